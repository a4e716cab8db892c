// The operator's map with streets, which comes from another host: it may be away, or let everyone wait.
import type { Map as MapLibreMap, StyleSpecification } from 'maplibre-gl';
import type { MapConfig } from './config.ts';
import type { Palette } from './palette.ts';

/** How long its style may keep everyone from seeing a map, and its first tile after that. */
const stylePatience = 8_000;
const tilePatience = 20_000;

/** How long it is left alone after that: each map of each screen would wait for it again. */
const rest = 60_000;
let away = Number.NEGATIVE_INFINITY;

/** streetsAway notes that the operator's map cannot be reached. */
export function streetsAway(error: unknown): void {
  console.warn('The street map was not loaded', error);
  away = performance.now();
}

/** streetStyle is the style of the operator's map; undefined where there is none, or it cannot be reached. */
export async function streetStyle(config: MapConfig, palette: Palette): Promise<StyleSpecification | undefined> {
  if (performance.now() - away < rest) return undefined;
  try {
    if (config.style) return await readStyle(config.style);
    if (config.pmtiles) return await (await import('./pmtiles.ts')).tileStyle(config.pmtiles, palette);
  } catch (error) {
    streetsAway(error);
  }
  return undefined;
}

async function readStyle(address: string): Promise<StyleSpecification> {
  const response = await fetch(address, { signal: AbortSignal.timeout(stylePatience) });
  if (!response.ok) throw new Error(`The style is not there: ${response.status}`);
  const style = (await response.json()) as StyleSpecification;
  if (!style.sources || !style.layers) throw new Error('This is no style of a map');
  return style;
}

/**
 * watchTiles says when no tile of a map can be had: the first has failed, or does not come. A tile here and there may
 * fail; where none has come yet, none will. What it returns is to be told of failures, and stopped.
 */
export function watchTiles(map: Pick<MapLibreMap, 'on' | 'areTilesLoaded'>, sources: object, none: () => void) {
  let tiles = 0;
  const stop = () => clearTimeout(timer);
  const failed = (error: unknown) => {
    if (tiles > 0) return console.warn('The street map was not loaded', error);
    stop();
    streetsAway(error);
    none();
  };
  // A map that no one looks at asks for nothing.
  const timer = setTimeout(() => {
    if (tiles === 0 && !map.areTilesLoaded()) failed(new Error('No tile has come'));
  }, tilePatience);
  map.on('sourcedata', (event) => {
    if (event.sourceId in sources && 'tile' in event && event.tile) tiles++;
  });
  return { failed, stop };
}
