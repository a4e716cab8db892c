// Rules that the source of the console keeps.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { en } from '../../../src/locales/en.ts';

const root = new URL('../../../src/', import.meta.url);
const files = (readdirSync(root, { recursive: true }) as string[]).filter((name) => /\.(ts|svelte)$/.test(name));
const text = (name: string) => readFileSync(new URL(name, root), 'utf8');

test('the console reads the API in src/api alone', () => {
  // The pages without a sign-in, and the reference, have no code of the console.
  const screens = files.filter((name) => !/^(api|public|docs)\//.test(name));
  expect(screens.length).toBeGreaterThan(100);
  expect(screens.filter((name) => /\bapi\.GET\(|fetch\('\/(?!console\/)/.test(text(name)))).toEqual([]);
});

test('no two queries have the same key', () => {
  const sources = files.filter((name) => name.startsWith('api/')).map(text);
  const keys = [...sources.join('\n').matchAll(/^ {2}key: (\[.*\]),$/gm)].map(([, key]) => key);
  expect(keys.length).toBeGreaterThan(50);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test('texts are plain English', () => {
  const out = /\b(tells?|told|anew|whoever|somebody|nobody|everybody|foretold|of late|seldom|stands?|standing)\b/i;
  expect(Object.entries(en).filter(([, words]) => out.test(words))).toEqual([]);
  expect(out.exec(text('public/words.ts'))).toBeNull();
});
