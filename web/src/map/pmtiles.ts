// Streets from the operator's own file of tiles. This part is loaded only where one
// is configured. Vector tiles are drawn by the schema of Protomaps' basemaps, which
// is what the tools that cut such files out of OpenStreetMap write.
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import { PMTiles, Protocol, TileType } from 'pmtiles';
import { loadMapLibre } from './maplibre.ts';
import type { Palette } from './palette.ts';

const credit = '© OpenStreetMap';
let protocol: Protocol | undefined;

/** tileStyle is a style that reads its tiles from the file at an address. */
export async function tileStyle(address: string, palette: Palette): Promise<StyleSpecification> {
  const archive = new PMTiles(new URL(address, location.href).href);
  if (!protocol) {
    protocol = new Protocol();
    (await loadMapLibre()).addProtocol('pmtiles', protocol.tile);
  }
  protocol.add(archive);
  const header = await archive.getHeader();
  const url = `pmtiles://${archive.source.getKey()}`;
  if (header.tileType !== TileType.Mvt) {
    return {
      version: 8,
      sources: { tiles: { type: 'raster', url, tileSize: 256, attribution: credit } },
      layers: [{ id: 'tiles', type: 'raster', source: 'tiles' }],
    };
  }
  return {
    version: 8,
    sources: { tiles: { type: 'vector', url, attribution: credit } },
    layers: streetLayers(palette),
  };
}

/** streetLayers is the vector style in a palette. */
export function streetLayers(palette: Palette): LayerSpecification[] {
  const fill = (id: string, layer: string, colour: string, opacity = 1): LayerSpecification => ({
    id,
    type: 'fill',
    source: 'tiles',
    'source-layer': layer,
    paint: { 'fill-color': colour, 'fill-opacity': opacity },
  });
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': palette.sea } },
    fill('land', 'earth', palette.land),
    fill('landuse', 'landuse', palette.border, 0.15),
    fill('water', 'water', palette.sea),
    fill('buildings', 'buildings', palette.border, 0.35),
    road('path', ['path', 'other'], 14, [14, 0.5, 18, 2], palette),
    road('minor', ['minor_road'], 11, [11, 0.5, 18, 9], palette),
    road('major', ['major_road'], 6, [6, 0.6, 18, 14], palette),
    road('highway', ['highway'], 4, [4, 0.8, 18, 18], palette),
    {
      id: 'border',
      type: 'line',
      source: 'tiles',
      'source-layer': 'boundaries',
      paint: { 'line-color': palette.label, 'line-opacity': 0.5, 'line-dasharray': [3, 2] },
    },
    names('roads', 13, 10, palette, 'line'),
    names('places', 2, 12, palette, 'point'),
  ];
}

function road(
  id: string,
  kinds: string[],
  from: number,
  [z1, w1, z2, w2]: [number, number, number, number],
  palette: Palette,
): LayerSpecification {
  return {
    id: `road-${id}`,
    type: 'line',
    source: 'tiles',
    'source-layer': 'roads',
    minzoom: from,
    filter: ['in', ['get', 'kind'], ['literal', kinds]],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: {
      'line-color': palette.border,
      'line-width': ['interpolate', ['exponential', 1.5], ['zoom'], z1, w1, z2, w2],
    },
  };
}

function names(
  layer: string,
  from: number,
  size: number,
  palette: Palette,
  placement: 'line' | 'point',
): LayerSpecification {
  return {
    id: `name-${layer}`,
    type: 'symbol',
    source: 'tiles',
    'source-layer': layer,
    minzoom: from,
    layout: {
      'text-field': ['coalesce', ['get', 'name:en'], ['get', 'name']],
      'text-font': ['Inter Variable'],
      'text-size': size,
      'symbol-placement': placement,
    },
    paint: { 'text-color': palette.label, 'text-halo-color': palette.halo, 'text-halo-width': 1.2 },
  };
}
