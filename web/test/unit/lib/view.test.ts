import { beforeEach, expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers({ now: new Date('2026-07-08T11:59:30Z') });
});

async function at(address: string) {
  browser(address);
  return import('../../../src/lib/view.ts');
}

test('a link to the view has the ends of a period that moves on, and all else of the address', async () => {
  const { fixedPeriod, fixes, viewLink } = await at('http://localhost/console/trip?period=24h&valid=no&tab=x&t=1');
  const query = { period: '24h' };
  const undo = fixes(() => fixedPeriod(query));
  expect(Object.fromEntries(new URL(viewLink()).searchParams)).toEqual({
    from: '2026-07-07T12:00:00.000Z',
    to: '2026-07-08T12:00:00.000Z',
    valid: 'no',
    tab: 'x',
    t: '1',
  });
  undo();
  expect(viewLink()).toBe('http://localhost/console/trip?period=24h&valid=no&tab=x&t=1');
});

test('ends that are given stay, and a list of everything gets none', async () => {
  const { fixedPeriod } = await at('http://localhost/console/event');
  const ends = { from: '2026-07-01T00:00:00.000Z', to: '2026-07-02T00:00:00.000Z' };
  expect(fixedPeriod(ends)).toMatchObject(ends);
  expect(fixedPeriod({}, 'all')).toEqual({});
});

test('an address that someone wrote breaks nothing: what is no time or no period is the standard one', async () => {
  const standard = { from: '2026-07-01T12:00:00.000Z', to: '2026-07-08T12:00:00.000Z' };
  const wrong: Record<string, string>[] = [
    { from: '"><script>' },
    { to: 'x'.repeat(10_000) },
    { from: '', to: 'NaN' },
    { period: 'constructor' },
    { period: '__proto__' },
  ];
  for (const query of wrong) {
    const { fixedPeriod } = await at('http://localhost/console/trip');
    expect(fixedPeriod(query)).toMatchObject(standard);
  }
});
