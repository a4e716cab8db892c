// The style of the built-in basemap: sea, land, borders and names, and nothing
// that competes with the vehicles.
import type { LayerSpecification, Map as MapLibreMap, StyleSpecification } from 'maplibre-gl';
import type { Palette } from './palette.ts';

const empty = { type: 'FeatureCollection' as const, features: [] };
const font = ['Inter Variable'];

/** sourceOf is the source of one kind of names. */
export const sourceOf = (kind: string) => `names-${kind}`;

/** attribution names those whose data the basemap is made of. */
export const attribution = 'Natural Earth · GeoNames';

/** roads is the source, and the layer, of where the fleet has driven. */
export const roads = 'road';

// The zooms of GET /tile; a map shows closer ones from the last.
const roadZooms = { minzoom: 10, maxzoom: 14 };

/**
 * builtInStyle is the basemap in a palette. Its sources are filled by fillBasemap, but for the roads that the fleet has
 * driven, which come from the API at this address; without one there are none.
 */
export function builtInStyle(palette: Palette, api?: string): StyleSpecification {
  return {
    version: 8,
    sources: {
      ...(api && { [roads]: { type: 'vector' as const, tiles: [`${api}/tile/{z}/{x}/{y}`], ...roadZooms } }),
      world: { type: 'geojson', data: empty, tolerance: 0.2, attribution },
      waters: { type: 'geojson', data: empty, tolerance: 0.2 },
      ...Object.fromEntries(
        ['town', 'city', 'country'].map((kind) => [sourceOf(kind), { type: 'geojson', data: empty }]),
      ),
    },
    layers: layers(palette).filter((layer) => api || layer.id !== roads),
  };
}

function layers(palette: Palette): LayerSpecification[] {
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': palette.sea } },
    {
      id: 'land',
      type: 'fill',
      source: 'world',
      filter: ['==', ['get', 'kind'], 'land'],
      paint: { 'fill-color': palette.land, 'fill-antialias': true },
    },
    {
      id: 'coast',
      type: 'line',
      source: 'world',
      filter: ['==', ['get', 'kind'], 'land'],
      paint: { 'line-color': palette.border, 'line-width': 0.6 },
    },
    {
      id: 'lake',
      type: 'fill',
      source: 'waters',
      filter: ['==', ['get', 'kind'], 'lake'],
      minzoom: 3,
      paint: { 'fill-color': palette.sea, 'fill-outline-color': palette.border },
    },
    {
      id: 'river',
      type: 'line',
      source: 'waters',
      filter: ['==', ['get', 'kind'], 'river'],
      minzoom: 3,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': palette.river,
        'line-width': ['interpolate', ['exponential', 1.4], ['zoom'], 3, 0.5, 9, 2],
        // Its course is known to a kilometre or two, which is wrong on a street.
        'line-opacity': ['interpolate', ['linear'], ['zoom'], 9, 1, 11, 0],
      },
    },
    {
      id: 'state',
      type: 'line',
      source: 'waters',
      filter: ['==', ['get', 'kind'], 'state'],
      minzoom: 3,
      paint: { 'line-color': palette.border, 'line-width': 0.8, 'line-dasharray': [3, 2] },
    },
    {
      id: 'border',
      type: 'line',
      source: 'world',
      filter: ['==', ['get', 'kind'], 'border'],
      paint: { 'line-color': palette.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 2, 0.5, 8, 1.4] },
    },
    {
      id: roads,
      type: 'line',
      source: roads,
      'source-layer': 'road',
      minzoom: roadZooms.minzoom,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': palette.road,
        'line-width': ['interpolate', ['exponential', 1.5], ['zoom'], 10, 0.8, 14, 2, 18, 7],
        'line-opacity': ['interpolate', ['linear'], ['zoom'], 10, 0.5, 13, 0.8],
      },
    },
    names('town', ['interpolate', ['linear'], ['zoom'], 7, 10, 12, 12], 6.3, palette),
    names('city', ['interpolate', ['linear'], ['zoom'], 3, 10, 8, 13, 12, 15], 3.2, palette),
    names('country', ['interpolate', ['linear'], ['zoom'], 1, 9, 5, 13], 1, palette, 7),
  ];
}

function names(kind: string, size: unknown, from: number, palette: Palette, to = 24): LayerSpecification {
  return {
    id: `name-${kind}`,
    type: 'symbol',
    source: sourceOf(kind),
    minzoom: from,
    maxzoom: to,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': font,
      'text-size': size as number,
      'text-max-width': 7,
      'text-padding': kind === 'country' ? 4 : 10,
      'text-letter-spacing': kind === 'country' ? 0.06 : 0,
      'symbol-sort-key': ['-', 0, ['get', 'rank']],
    },
    paint: {
      'text-color': palette.label,
      'text-halo-color': palette.halo,
      'text-halo-width': 1.6,
      'text-opacity': kind === 'town' ? 0.85 : 1,
    },
  };
}

/** repaint gives a map's basemap another palette without loading anything again. */
export function repaint(map: MapLibreMap, palette: Palette): void {
  for (const layer of layers(palette)) {
    if (!map.getLayer(layer.id)) continue;
    for (const [name, value] of Object.entries(layer.paint ?? {}))
      map.setPaintProperty(layer.id, name as never, value as never);
  }
}
