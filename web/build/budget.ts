// Fails the build where the console has grown beyond what was agreed. Sizes are
// those of the compressed files, which is what travels.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const dist = new URL('../dist/', import.meta.url).pathname;
const out = new URL('../out/', import.meta.url).pathname;
const kilobyte = 1000;

function files(folder: string, prefix = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name), `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}

/** The size of a file as it travels. */
function size(name: string): number {
  const packed = join(dist, `${name}.br`);
  return statSync(existsSync(packed) ? packed : join(dist, name)).size;
}

const all = files(out).filter((name) => !name.startsWith('.'));
const page = readFileSync(join(out, 'index.html'), 'utf8');
const first = all.filter(
  (name) => name === 'index.html' || page.includes(name) || /inter-latin-wght-normal/.test(name),
);
/** What a page of its own loads before anything else. */
const opened = (html: string) => {
  const text = readFileSync(join(out, html), 'utf8');
  return all.filter((name) => name === html || text.includes(name));
};
const isScript = (name: string) => /\.m?js$/.test(name);
// The reader of tile files is the map's, and is loaded where an operator has configured one.
const isMap = (name: string) => /maplibre|pmtiles/.test(name);
// The reference is a page of its own, with a budget of its own.
const isReference = (name: string) => /(^|\/)docs-[^/]*\.js$/.test(name);
const isBasemap = (name: string) => /\.(geo)?json$/.test(name);
const isTowns = (name: string) => /towns-.*\.json$/.test(name);
const isCoarse = (name: string) => /(shapes-110m|countries)-.*\.json$/.test(name);
const sum = (names: string[]) => names.reduce((total, name) => total + size(name), 0);

const budgets: [what: string, bytes: number, limit: number][] = [
  ['first screen', sum(first), 150 * kilobyte],
  ['first screen, scripts', sum(first.filter(isScript)), 80 * kilobyte],
  [
    'scripts without the map',
    sum(all.filter((name) => isScript(name) && !isMap(name) && !isReference(name))),
    220 * kilobyte,
  ],
  ['page of a shared journey', sum(opened('share.html')), 60 * kilobyte],
  ['page of an invitation', sum(opened('link.html')), 60 * kilobyte],
  ['API reference', sum(opened('docs.html')), 40 * kilobyte],
  ['map library', sum(all.filter((name) => isScript(name) && isMap(name))), 265 * kilobyte],
  ['basemap, first', sum(all.filter(isCoarse)), 40 * kilobyte],
  ['basemap, then', sum(all.filter((name) => isBasemap(name) && !isCoarse(name) && !isTowns(name))), 300 * kilobyte],
  ['basemap, towns when near', sum(all.filter(isTowns)), 210 * kilobyte],
];

let over = false;
for (const [what, bytes, limit] of budgets) {
  over ||= bytes > limit;
  console.log(
    `${bytes > limit ? 'OVER' : 'ok  '} ${what.padEnd(26)} ${(bytes / kilobyte).toFixed(1).padStart(7)} of ${limit / kilobyte} KB`,
  );
}
if (over) process.exit(1);
