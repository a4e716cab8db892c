import { beforeEach, expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

beforeEach(() => vi.resetModules());

async function load(...languages: string[]) {
  browser('http://localhost/share/abc', languages[0]);
  vi.stubGlobal('navigator', { language: languages[0], languages });
  return import('../../../src/public/words.ts');
}

test('a page is in the first of its reader’s languages that is known', async () => {
  expect((await load('pt-BR', 'es-AR', 'en')).language).toBe('es');
  vi.resetModules();
  expect((await load('ja-JP')).language).toBe('en');
});

test.each([
  ['en-GB', 'On its way', '12 min ago'],
  ['de-DE', 'Unterwegs', 'vor 12 min'],
  ['fr-FR', 'En route', 'il y a 12 min'],
  ['es-ES', 'En camino', 'hace 12 min'],
])('%s has its own words', async (tag, title, age) => {
  const { ago, t } = await load(tag);
  expect(t('trip_in_progress')).toBe(title);
  expect(ago('2026-11-15T12:00:00Z', Date.parse('2026-11-15T12:12:00Z'))).toBe(age);
});

test('long times are in hours', async () => {
  const { lasting } = await load('en-GB');
  expect([90, 7100, 7300, 90_000].map(lasting)).toEqual(['2 min', '118 min', '2 h', '25 h']);
});
