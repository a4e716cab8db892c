// A map of the console: MapLibre with the basemap in the console's colours, which
// follow the theme. What is shown on it is added by those who use it.
import type { ErrorEvent, Map as MapLibreMap, MapOptions as MapLibreOptions } from 'maplibre-gl';
import { fillBasemap } from './basemap.ts';
import { mapConfig, noStreets } from './config.ts';
import { loadMapLibre } from './maplibre.ts';
import { type Palette, readPalette, watchTheme } from './palette.ts';
import { streetStyle, watchTiles } from './streets.ts';
import { builtInStyle, repaint, roads } from './style.ts';
import './map.css';

/** Start is where a map looks first: at a place, or at a part of the world. */
export type Start = Pick<MapLibreOptions, 'center' | 'zoom' | 'bounds' | 'fitBoundsOptions'>;

/** MapOptions is what a map starts with. */
export type MapOptions = {
  /** start says where the map looks first, once what it shows is known: going there later draws all of it twice. */
  start?(): Start | undefined | Promise<Start | undefined>;
  label: string;
  scroll?: boolean;
  attribution?: boolean;
  /** builtIn leaves the operator's map alone, which could not be reached. */
  builtIn?: boolean;
  /** roads shows where the fleet has driven, where there are no streets: for those who are signed in. */
  roads?: boolean;
};

/** MapView is a map that is ready for layers. */
export type MapView = {
  map: MapLibreMap;
  palette: Palette;
  /** streets says whether it shows the operator's map with streets. */
  streets: boolean;
  /** unreached says that it is the built-in map because the operator's could not be reached. */
  unreached: boolean;
  /** onTheme calls back with the palette of another theme. */
  onTheme(changed: (palette: Palette) => void): () => void;
  /** lost settles when the map turns out to be without its worker: it will never show anything. */
  lost: Promise<void>;
  /** bare settles when nothing of the operator's tiles can be had: the built-in map is better than none. */
  bare: Promise<void>;
  remove(): void;
};

/** The image of a guard: nothing to see, but names keep off it. */
export const guard = 'guard';
const guardSize = 14; // pixels, a mark with its edge

/** guardLayout lets the points of a layer keep names away: names avoid symbols, and symbols alone. */
export const guardLayout = { 'icon-image': guard, 'icon-allow-overlap': true } as const;

/** NoDrawing says that this browser cannot draw a map, however often it is tried. */
export class NoDrawing extends Error {}

const world: Start = { center: [12, 25], zoom: 1.2 };

/** openMap makes a map within an element and returns when layers can be added. */
export async function openMap(container: HTMLElement, options: MapOptions): Promise<MapView> {
  const [library, configured, start] = await Promise.all([loadMapLibre(), mapConfig(), options.start?.()]);
  const palette = readPalette(container);
  const style = options.builtIn ? undefined : await streetStyle(configured, palette);
  const unreached = configured.streets && !style;
  const config = style ? configured : noStreets;
  container.removeAttribute('data-drawn');
  container.removeAttribute('data-vehicles');
  const map = make(library, {
    container,
    style: style ?? builtInStyle(palette, options.roads ? location.origin : undefined),
    ...(start ?? world),
    maxPitch: 0,
    dragRotate: false,
    touchPitch: false,
    pitchWithRotate: false,
    maxZoom: 18,
    attributionControl: options.attribution === false ? false : { compact: false },
    scrollZoom: options.scroll ?? true,
    fadeDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 100,
    locale: { 'Map.Title': options.label },
  });
  Object.assign(container, { map }); // for those who measure what is drawn
  let isBare = () => {};
  const bare = new Promise<void>((resolve) => {
    isBare = resolve;
  });
  const lost = new Promise<void>((resolve) => {
    map.on('error', ({ error, sourceId }: ErrorEvent & { sourceId?: string }) => {
      if (error.message.startsWith('Worker failed to load')) resolve();
      // Without them the map is as useful as before: offline, or once the session has ended.
      else if (sourceId === roads) console.warn('Roads were not loaded', error);
      else if (sourceId && sourceId in streetSources) streets?.failed(error);
      else console.error(error);
    });
  });
  const streetSources = style?.sources ?? {};
  const streets = style && watchTiles(map, streetSources, isBare);
  const ending = new AbortController();
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new library.ScaleControl({ maxWidth: 96 }), 'bottom-left');
  const listeners = new Set<(palette: Palette) => void>();
  const paint = () => {
    view.palette = readPalette(container);
    if (!config.streets) repaint(map, view.palette);
    for (const listener of listeners) listener(view.palette);
    if (filled) drawn();
  };
  // Drawn to the end, and in which colours, for those who take a picture of it.
  let filled = false;
  const drawn = () => {
    filled = true;
    container.removeAttribute('data-drawn');
    map.once('idle', () => container.setAttribute('data-drawn', view.palette.sea));
    map.triggerRepaint();
  };
  const unwatch = watchTheme(paint);
  const view: MapView = {
    map,
    palette,
    streets: config.streets,
    unreached,
    onTheme(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    lost,
    bare,
    remove() {
      ending.abort();
      streets?.stop();
      unwatch();
      map.remove();
    },
  };
  await new Promise<void>((resolve) => map.once('style.load', () => resolve()));
  map.addImage(guard, { width: guardSize, height: guardSize, data: new Uint8Array(guardSize * guardSize * 4) });
  paint(); // the theme may have changed since the style was made
  if (config.streets) drawn();
  else void fillBasemap(map, ending.signal).then(drawn, () => undefined); // fails when the map is gone
  return view;
}

function make(library: Awaited<ReturnType<typeof loadMapLibre>>, options: MapLibreOptions): MapLibreMap {
  try {
    return new library.Map(options);
  } catch (error) {
    throw new NoDrawing('The browser cannot draw a map', { cause: error });
  }
}
