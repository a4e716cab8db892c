// Writes what Vite built into dist/ as the program embeds it: packed by brotli, or as it is
// where it is compressed already.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const from = new URL('../out/', import.meta.url).pathname;
const to = new URL('../dist/', import.meta.url).pathname;
const compressed = new Set(['.woff2', '.png', '.jpg', '.webp', '.pmtiles']);

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
}

for (const name of readdirSync(to)) {
  if (name !== '.gitkeep') rmSync(join(to, name), { recursive: true });
}
for (const path of files(from)) {
  const name = relative(from, path);
  if (name.startsWith('.')) continue;
  const target = join(to, name);
  mkdirSync(dirname(target), { recursive: true });
  const content = readFileSync(path);
  if (compressed.has(extname(path))) {
    writeFileSync(target, content);
    continue;
  }
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: statSync(path).size };
  writeFileSync(`${target}.br`, brotliCompressSync(content, { params }));
}
