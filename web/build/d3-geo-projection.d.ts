// The one function of d3-geo-projection that the build uses; the package has no types.
declare module 'd3-geo-projection' {
  import type { GeoProjection } from 'd3-geo';
  import type { Geometry } from 'geojson';
  export function geoProject(object: Geometry, projection: GeoProjection): Geometry;
}
