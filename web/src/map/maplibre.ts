// MapLibre is served as the three files it is published in: bundled, its worker
// and its main part would each carry a copy of what they share.
import type * as MapLibre from 'maplibre-gl';

/** folder is where build/maplibre.ts puts the files, under the console's own address. */
export const folder = 'assets/maplibre-gl-6.12.0';

let loaded: Promise<typeof MapLibre> | undefined;

/** loadMapLibre loads the library once, when the first map is shown. */
export function loadMapLibre(): Promise<typeof MapLibre> {
  loaded ??= import(
    /* @vite-ignore */ new URL(`${import.meta.env.BASE_URL}${folder}/maplibre-gl.mjs`, location.href).href
  ) as Promise<typeof MapLibre>;
  return loaded;
}

/** hasWebGL reports whether this browser can draw a map at all. */
export function hasWebGL(): boolean {
  try {
    return document.createElement('canvas').getContext('webgl2') !== null;
  } catch {
    return false;
  }
}
