import { expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

async function load() {
  vi.resetModules();
  browser();
  return import('../../../src/lib/units.ts');
}

test('a length of time has its two largest units', async () => {
  const { duration } = await load();
  expect([null, 0, 59, 90, 11_520, 86_400, 219_600].map(duration)).toEqual([
    '–',
    '0 s',
    '59 s',
    '2 min',
    '3 h 12 min',
    '1 d',
    '2 d 13 h',
  ]);
});

test('work that is summed up is counted in hours, not in days', async () => {
  const { worked } = await load();
  expect([null, 11_520, 86_399, 86_400, 219_600, 36_000_000].map(worked)).toEqual([
    '–',
    '3 h 12 min',
    '24 h',
    '24 h',
    '61 h',
    '10,000 h',
  ]);
});
