import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { basemap } from './build/basemap.ts';
import { maplibre } from './build/maplibre.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The service that the development server passes API calls to. */
const service = process.env.DROVER_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/console/',
  plugins: [svelte(), basemap(), maplibre()],
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
    rollupOptions: { input: { index: at('index.html'), docs: at('docs.html') } },
  },
  worker: { format: 'es' },
  server: {
    proxy: { '^/(?!console/|docs$|@|src/|node_modules/)': { target: service } },
  },
});
