import { beforeEach, expect, it, vi } from 'vitest';

const config = { style: 'https://tiles.example/style', pmtiles: null, streets: true };
const palette = {} as never;

async function streets() {
  vi.resetModules();
  return import('../../../src/map/streets.ts');
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

it('leaves a map that cannot be reached alone for a minute', async () => {
  const { streetStyle } = await streets();
  const asked = vi.fn(async () => new Response('', { status: 503 }));
  vi.stubGlobal('fetch', asked);
  expect(await streetStyle(config, palette)).toBeUndefined();
  expect(await streetStyle(config, palette)).toBeUndefined();
  expect(asked).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(60_000);
  asked.mockImplementation(async () => Response.json({ version: 8, sources: {}, layers: [] }));
  expect(await streetStyle(config, palette)).toMatchObject({ version: 8 });
});

/** A map of which some tiles are asked for, and come where they are given. */
function map(loaded = false) {
  let given = (_: object) => {};
  const on = (_: string, take: typeof given) => {
    given = take;
  };
  return {
    map: { on, areTilesLoaded: () => loaded } as never,
    give: (sourceId: string) => given({ sourceId, tile: {} }),
  };
}

it('gives up a map of which no tile comes, and none of which one has', async () => {
  const { watchTiles } = await streets();
  const [waiting, served, unseen] = [map(), map(), map(true)];
  const gone = vi.fn((name: string) => name);
  for (const [name, { map }] of Object.entries({ waiting, served, unseen }))
    watchTiles(map, { streets: {} }, () => gone(name));
  served.give('streets');
  waiting.give('fleet');
  vi.advanceTimersByTime(60_000);
  expect(gone.mock.calls).toEqual([['waiting']]);
});

it('gives up a map whose first tile fails, once, and not for a later one', async () => {
  const { watchTiles } = await streets();
  const [first, later] = [map(), map()];
  const gone = vi.fn((name: string) => name);
  watchTiles(first.map, { streets: {} }, () => gone('first')).failed(new Error('404'));
  const watched = watchTiles(later.map, { streets: {} }, () => gone('later'));
  later.give('streets');
  watched.failed(new Error('404'));
  vi.advanceTimersByTime(60_000);
  expect(gone.mock.calls).toEqual([['first']]);
});
