import { beforeEach, expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

beforeEach(() => vi.resetModules());

async function at(address: string) {
  browser(address);
  return import('../../../src/lib/router.svelte.ts');
}

test('the address is read as path and query', async () => {
  const { location } = await at('http://localhost/console/trip?valid=no&device=a%20b');
  expect(location.path).toBe('/trip');
  expect(location.query).toEqual({ valid: 'no', device: 'a b' });
});

test('the address without a path is the overview', async () => {
  expect((await at('http://localhost/console')).location.path).toBe('/');
});

test('href leaves out what is empty', async () => {
  const { href } = await at('http://localhost/console/');
  expect(href('/trip', { a: 1, b: '', c: undefined, d: null, e: false, f: true })).toBe('/console/trip?a=1&f=true');
  expect(href('/')).toBe('/console/');
});

test('setQuery changes one parameter and keeps the others', async () => {
  const { location, setQuery } = await at('http://localhost/console/trip?valid=no&device=7');
  setQuery({ valid: undefined, connection: 'c' });
  expect(location.query).toEqual({ device: '7', connection: 'c' });
  setQuery({ device: '' });
  expect(location.query).toEqual({ connection: 'c' });
});

test('go moves to another path', async () => {
  const { go, href, location } = await at('http://localhost/console/');
  go(href('/milestone', { new: 1 }));
  expect([location.path, location.query]).toEqual(['/milestone', { new: '1' }]);
});

test('visit says at once where it goes, and is there after the next picture', async () => {
  const { go, href, location, visit } = await at('http://localhost/console/?q=1');
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (call: () => void) => frames.push(call));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // frames come when the test says so
  visit(href('/device', { q: 'a' }));
  expect([window.location.pathname, location.wanted]).toEqual(['/console/device', '/device']);
  expect([location.path, location.query]).toEqual(['/', { q: '1' }]);
  frames.shift()?.();
  vi.runAllTimers();
  expect([location.path, location.query, location.wanted]).toEqual(['/device', { q: 'a' }, undefined]);

  visit(href('/milestone'));
  vi.advanceTimersByTime(500); // a machine that is busy paints late, and still before the screen is made
  expect([location.path, location.wanted]).toEqual(['/device', '/milestone']);
  frames.shift()?.();
  vi.runAllTimers();
  expect(location.path).toBe('/milestone');

  Object.assign(document, { hidden: true });
  visit(href('/trip'));
  vi.advanceTimersByTime(1); // nothing is painted in a window that is hidden
  expect(location.path).toBe('/trip');
  Object.assign(document, { hidden: false });

  visit(href('/map'));
  go(href('/event'));
  frames.splice(0).forEach((call) => void call());
  vi.runAllTimers();
  expect([location.path, location.wanted]).toEqual(['/event', undefined]);

  visit(href('/event', { type: 'x' }));
  expect(location.query).toEqual({ type: 'x' });
  vi.useRealTimers();
});

test('what is typed is in its field at once, and in the address when one pauses', async () => {
  const { filterText, go, href, location, setQuery, visit } = await at(
    'http://localhost/console/device?q=a&sort=plate',
  );
  vi.useFakeTimers();
  const type = (value: string) => filterText.oninput({ currentTarget: { value } as HTMLInputElement });
  type('ab');
  vi.advanceTimersByTime(100);
  type('abc');
  vi.advanceTimersByTime(100);
  expect([filterText.value, location.query.q, window.location.search]).toEqual(['abc', 'a', '?q=a&sort=plate']);
  vi.advanceTimersByTime(100);
  expect([filterText.value, location.query]).toEqual(['abc', { q: 'abc', sort: 'plate' }]);

  // Whatever else is chosen meanwhile takes it along.
  type('abcd');
  setQuery({ state: 'idling' });
  expect(location.query).toEqual({ q: 'abcd', sort: 'plate', state: 'idling' });
  type('abcde');
  setQuery({ q: '' });
  expect([filterText.value, location.query.q]).toEqual(['', undefined]);

  // It belongs to the screen that it was typed on.
  type('x');
  visit(href('/device', { q: 'y' }));
  vi.runAllTimers();
  expect([filterText.value, location.query]).toEqual(['y', { q: 'y' }]);
  type('z');
  go(href('/connection'));
  vi.runAllTimers();
  expect([filterText.value, location.path, location.query]).toEqual(['', '/connection', {}]);
  vi.useRealTimers();
});

test('match takes parameters out of a path, and whole segments alone', async () => {
  const { match } = await at('http://localhost/console/');
  expect(match('/trip/:id', '/trip/42')).toEqual({ id: '42' });
  expect(match('/trip/:id', '/trip')).toBeFalsy();
  expect(match('/trip', '/trip/42')).toBeFalsy();
  expect(match('/trip/:id', '/tripx/42')).toBeFalsy();
});

test('every screen has an address of its own', async () => {
  browser();
  const { find, routes, sections } = await import('../../../src/routes.ts');
  for (const section of sections) expect(find(section.path)?.route.section).toBe(section.id);
  expect(new Set(routes.map((r) => r.path)).size).toBe(routes.length);
  expect(new Set(sections.map((s) => s.key)).size).toBe(sections.length);
  expect(find('/connection/new')?.route.path).toBe('/connection/new');
  expect(find('/nowhere')).toBeFalsy();
});
