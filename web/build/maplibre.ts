// Serves MapLibre's three published files unbundled, see src/map/maplibre.ts.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const require = createRequire(import.meta.url);
const folder = 'assets/maplibre-gl-6.12.0';
const files = ['maplibre-gl.mjs', 'maplibre-gl-shared.mjs', 'maplibre-gl-worker.mjs'];

/** read gives one of the files without the line that names its source map, which is not shipped. */
function read(file: string): string {
  const dist = dirname(require.resolve('maplibre-gl/dist/maplibre-gl.mjs'));
  return readFileSync(join(dist, file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}

/** maplibre is the Vite plugin that puts the files into the build, and serves them in development. */
export function maplibre(): Plugin {
  return {
    name: 'drover-maplibre',
    generateBundle() {
      for (const file of files) this.emitFile({ type: 'asset', fileName: `${folder}/${file}`, source: read(file) });
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').split('?')[0] ?? '';
        if (!path.includes(`/${folder}/`) || !files.includes(basename(path))) return next();
        response.setHeader('content-type', 'text/javascript');
        response.end(read(basename(path)));
      });
    },
  };
}
