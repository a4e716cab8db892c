// The card that a messenger shows for the link of a journey.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync(new URL('../../../share.html', import.meta.url), 'utf8');
const tags = [...page.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]+)"/g)].map(
  ([, name, text]) => [name, text] as const,
);
const card = Object.fromEntries(tags);

it('has each of its tags once: of two a messenger takes either', () => {
  expect(tags.map(([name]) => name)).toEqual(Object.keys(card));
});

it('says what the link is for, and the same for every journey', () => {
  expect(card['og:title']).toBeTruthy();
  expect(card['og:description']).toBeTruthy();
  // No picture of a map, and nothing to be filled in: the card cannot say where a vehicle is.
  expect(Object.keys(card).filter((name) => /image|latitude|longitude|url/.test(name))).toEqual([]);
  expect(page).not.toMatch(/\{\{|%/);
});
