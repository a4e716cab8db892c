// A map of the console: MapLibre with the basemap in the console's colours, which
// follow the theme. What is shown on it is added by those who use it.
import type { Map as MapLibreMap, StyleSpecification } from 'maplibre-gl';
import { fillBasemap } from './basemap.ts';
import { type MapConfig, mapConfig } from './config.ts';
import { loadMapLibre } from './maplibre.ts';
import { type Palette, readPalette, watchTheme } from './palette.ts';
import { builtInStyle, repaint } from './style.ts';
import './map.css';

/** Look is where a map looks. */
export type Look = { lng: number; lat: number; zoom: number };

/** MapOptions is what a map starts with. */
export type MapOptions = { look?: Look; label: string; scroll?: boolean; attribution?: boolean };

/** MapView is a map that is ready for layers. */
export type MapView = {
  map: MapLibreMap;
  palette: Palette;
  /** streets says whether the operator has configured a map with streets. */
  streets: boolean;
  /** onTheme calls back with the palette of another theme. */
  onTheme(changed: (palette: Palette) => void): () => void;
  remove(): void;
};

const world: Look = { lng: 12, lat: 25, zoom: 1.2 };

/** openMap makes a map within an element and returns when layers can be added. */
export async function openMap(container: HTMLElement, options: MapOptions): Promise<MapView> {
  const [library, config] = await Promise.all([loadMapLibre(), mapConfig()]);
  let palette = readPalette(container);
  const look = options.look ?? world;
  const map = new library.Map({
    container,
    style: await styleFor(config, palette),
    center: [look.lng, look.lat],
    zoom: look.zoom,
    maxPitch: 0,
    dragRotate: false,
    touchPitch: false,
    pitchWithRotate: false,
    maxZoom: 18,
    attributionControl: options.attribution === false ? false : { compact: false },
    scrollZoom: options.scroll ?? true,
    fadeDuration: 100,
    locale: { 'Map.Title': options.label },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new library.ScaleControl({ maxWidth: 96 }), 'bottom-left');
  const listeners = new Set<(palette: Palette) => void>();
  const unwatch = watchTheme(() => {
    palette = readPalette(container);
    view.palette = palette;
    if (!config.streets) repaint(map, palette);
    for (const listener of listeners) listener(palette);
  });
  const view: MapView = {
    map,
    palette,
    streets: config.streets,
    onTheme(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    remove() {
      unwatch();
      map.remove();
    },
  };
  await new Promise<void>((resolve) => map.once('style.load', () => resolve()));
  if (!config.streets) void fillBasemap(map).catch(() => undefined); // the sea alone is a map still
  // Drawn to the end, for those who take a picture of it.
  map.once('idle', () => container.setAttribute('data-drawn', ''));
  return view;
}

async function styleFor(config: MapConfig, palette: Palette): Promise<StyleSpecification | string> {
  if (config.style) return config.style;
  if (config.pmtiles) return (await import('./pmtiles.ts')).tileStyle(config.pmtiles, palette);
  return builtInStyle(palette);
}
