import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { basemap } from './build/basemap.ts';
import { pageHead } from './build/head.ts';
import { maplibre } from './build/maplibre.ts';
import { words } from './build/words.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The service that the development server passes API calls to. */
const service = process.env.DROVER_URL ?? 'http://127.0.0.1:8080';

const tools =
  /src\/ui\/(Combobox|ExportThese|Json|Notes|Period|Qr|qr|Recompute|RecordHead|Tabs|TimeBar|TripRules|TypeToConfirm)\b/;

export default defineConfig({
  base: '/console/',
  plugins: [words(), pageHead(), svelte(), basemap(), maplibre()],
  build: {
    outDir: 'out',
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // The content security policy allows neither inline scripts nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: { index: at('index.html'), docs: at('docs.html'), share: at('share.html'), link: at('link.html') },
      // Small files pack badly: what all screens share travels at once, and screens of one subject together.
      output: {
        codeSplitting: {
          groups: [
            // What the overview does not need. A group takes along whatever its files use, so what
            // all screens use is named with a higher priority.
            { name: 'tools', test: tools },
            // What the public pages use too.
            { name: 'base', test: /src\/lib\/(config|patience|present)\b/, priority: 2 },
            {
              name: 'parts',
              test: (id) =>
                /src\/(ui\/(?!Chart)|lib|api|locales\/en|screens\/\w+\/state\.ts)/.test(id) && !tools.test(id),
              priority: 1,
            },
            { name: 'svelte', test: /node_modules\/svelte\/|vite\/preload-helper/, priority: 2 },
            {
              name: 'office',
              test: /src\/screens\/(connection\/|webhook\/|event\/|settings\/|export\/|office\.ts)/,
            },
            // Those who look at vehicles go to and fro between these.
            { name: 'vehicles', test: /src\/screens\/(map\/|device\/|milestone\/|trip\/|vehicles\.ts)/ },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    proxy: {
      '^/(?!console/|docs$|@|src/|node_modules/)': { target: service },
      '^/console/(config|map.pmtiles)$': { target: service },
    },
  },
});
