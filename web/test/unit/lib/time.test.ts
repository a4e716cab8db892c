import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers({ now: new Date('2026-07-01T12:00:00Z') });
});
afterEach(() => vi.useRealTimers());

async function load(zone = 'UTC', language = 'en-GB') {
  browser('http://localhost/console/', language);
  const { setPref } = await import('../../../src/lib/prefs.svelte.ts');
  setPref('zone', zone);
  return import('../../../src/lib/time.svelte.ts');
}

test('an age is shown in the two largest units', async () => {
  const { age } = await load();
  expect(age('2026-07-01T11:59:57Z')).toBe('now');
  expect(age('2026-07-01T11:59:20Z')).toBe('40 s ago');
  expect(age('2026-07-01T11:00:00Z')).toBe('1 h ago');
  expect(age('2026-06-29T09:00:00Z')).toBe('2 d 3 h ago');
});

test('what was reported is never yet to come, what is to come is', async () => {
  const { age, until } = await load();
  expect(age('2026-07-01T12:00:22Z')).toBe('now');
  expect(age('2026-07-01T14:30:00Z')).toBe('now');
  expect(until('2026-07-01T12:00:22Z')).toBe('in 22 s');
  expect(until('2026-07-01T14:30:00Z')).toBe('in 2 h 30 min');
  expect(until('2026-07-01T12:00:04Z')).toBe('now');
  // A moment has one name, whichever way it is looked at.
  for (const near of ['11:59:51', '11:59:58', '12:00:00', '12:00:02', '12:00:09'])
    expect([age(`2026-07-01T${near}Z`), until(`2026-07-01T${near}Z`)]).toEqual(['now', 'now']);
  expect(until('2026-07-01T11:59:45Z')).toBe('now');
  expect(until('2026-07-01T11:59:20Z')).toBe('40 s ago');
});

test('today is shown by the clock, another day with its date', async () => {
  const { shortTime } = await load();
  expect(shortTime('2026-07-01T09:05:00Z')).toBe('09:05');
  expect(shortTime('2026-06-30T23:05:00Z')).toBe('30 Jun, 23:05');
});

test('what is today depends on the zone', async () => {
  const { shortTime } = await load('Australia/Melbourne');
  expect(shortTime('2026-06-30T23:05:00Z')).toBe('09:05');
});

test('a field is read in the chosen zone, also where clocks change', async () => {
  const { fromInput, toInput } = await load('Europe/Berlin');
  expect(fromInput('2026-07-01T12:00')).toBe('2026-07-01T10:00:00.000Z');
  expect(fromInput('2026-01-01T12:00')).toBe('2026-01-01T11:00:00.000Z');
  expect(toInput('2026-07-01T10:00:00Z')).toBe('2026-07-01T12:00');
  expect(fromInput('')).toBeUndefined();
  expect(toInput(undefined)).toBe('');
});

test('the demo may live elsewhere in time than its reader, and faster', async () => {
  browser();
  vi.stubGlobal('fetch', async () =>
    Response.json({
      data: {
        map_style: null,
        map_pmtiles: null,
        demo: {
          username: 'demo',
          password: 'x',
          speed: 20,
          since: '2026-07-01T11:59:00Z',
          start: '2026-01-01T08:00:00Z',
        },
      },
    }),
  );
  const { present, timeSpeed } = await import('../../../src/lib/time.svelte.ts');
  await vi.waitFor(() => expect(timeSpeed()).toBe(20), { timeout: 60_000 });
  expect(new Date(present()).toISOString().slice(0, 16)).toBe('2026-01-01T08:20');
});

test.each([
  ['2026-11-15', 1, '2026-11-16'],
  ['2026-03-01', -1, '2026-02-28'],
  ['2027-01-01', -1, '2026-12-31'],
])('%s and %i days is %s', async (name, by, next) => {
  const { nextName } = await load();
  expect(nextName(name, by)).toBe(next);
});
