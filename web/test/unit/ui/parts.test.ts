import { expect, test } from 'vitest';
import { atOnce, part } from '../../../src/ui/parts.svelte.ts';

const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ id: `${from + i}` }));
const ids = (list: { id: string }[]) => new Set(list.map((entry) => entry.id));

test('a short list is made at once', () => {
  const list = entries(0, atOnce);
  expect(part(list, new Set())).toEqual(list);
});

test('a long list is made in parts', () => {
  const list = entries(0, 2 * atOnce + 5);
  const first = part(list, new Set());
  expect(first).toEqual(list.slice(0, atOnce));
  const second = part(list, ids(first));
  expect(second).toEqual(list.slice(0, 2 * atOnce));
  expect(part(list, ids(second))).toEqual(list);
});

test('what is drawn stays when others come before it', () => {
  const drawn = entries(10, 100);
  const list = entries(0, 100);
  expect(part(list, ids(drawn))).toEqual(list);
});

test('another list starts again', () => {
  const list = entries(100, 200);
  expect(part(list, ids(entries(0, 100)))).toEqual(list.slice(0, atOnce));
});
