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

/** builtInStyle is the basemap in a palette. Its sources are filled by fillBasemap. */
export function builtInStyle(palette: Palette): StyleSpecification {
  return {
    version: 8,
    sources: {
      world: { type: 'geojson', data: empty, tolerance: 0.2, attribution },
      ...Object.fromEntries(
        ['town', 'city', 'country'].map((kind) => [sourceOf(kind), { type: 'geojson', data: empty }]),
      ),
    },
    layers: layers(palette),
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
      id: 'border',
      type: 'line',
      source: 'world',
      filter: ['==', ['get', 'kind'], 'border'],
      paint: { 'line-color': palette.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 2, 0.5, 8, 1.4] },
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
