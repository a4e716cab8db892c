// MapLibre is served as the three files it is published in: bundled, its worker
// and its main part would each carry a copy of what they share.
import type * as MapLibre from 'maplibre-gl';

/** folder is where build/maplibre.ts puts the files, under the console's own address. */
export const folder = 'assets/maplibre-gl-6.12.0';

const files = ['maplibre-gl.mjs', 'maplibre-gl-shared.mjs', 'maplibre-gl-worker.mjs'];

let loaded: Promise<typeof MapLibre> | undefined;

/** loadMapLibre loads the library when the first map is shown, and again where that failed. */
export function loadMapLibre(): Promise<typeof MapLibre> {
  loaded ??= load().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

const urls = () => files.map((file) => new URL(`${import.meta.env.BASE_URL}${folder}/${file}`, location.href).href);

// All files are fetched before the first is run: a browser may remember for ever that it
// could not import one, and the library does not try again to load its worker.
async function load(): Promise<typeof MapLibre> {
  const [main, ...others] = urls() as [string, ...string[]];
  await Promise.all([main, ...others].map(fetchWhole));
  return import(/* @vite-ignore */ main);
}

let fetched: Promise<unknown> | undefined;

/** fetchMapLibre has the library at hand for later. It is not run, which would hold up a reader who types meanwhile. */
export function fetchMapLibre(): Promise<unknown> {
  fetched ??= Promise.all(urls().map(fetchWhole)).catch((error) => {
    fetched = undefined;
    throw error;
  });
  return fetched;
}

async function fetchWhole(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The map's library is not there: ${response.status}`);
  await response.arrayBuffer();
}

let drawable: boolean | undefined;

/** hasWebGL reports whether this browser can draw a map at all. Trying it takes a while, so it is tried once. */
export function hasWebGL(): boolean {
  drawable ??= tryWebGL();
  return drawable;
}

function tryWebGL(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext(); // browsers allow few at a time
    return context !== null;
  } catch {
    return false;
  }
}
