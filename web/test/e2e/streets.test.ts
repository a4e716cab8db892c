// A street map of another host: it is shown while it can be reached, and the built-in one otherwise.
import { afterAll, expect, test } from 'vitest';
import { demo, drawn, enter, useDemo } from './page.ts';
import { region, tileServer } from './tiles.ts';

const tiles = await tileServer();
afterAll(() => tiles.close());
useDemo(() => demo('--map', tiles.style));

const closer = `/console/map?at=${region.lat},${region.lng},14`;
const notice = 'The street map cannot be reached. This is the built-in map.';

/** streetsShown is how many streets the map has drawn. */
const streetsShown = (page: Awaited<ReturnType<typeof enter>>) =>
  page.evaluate(() => {
    const { map } = document.querySelector('.map') as unknown as { map: import('maplibre-gl').Map };
    return map.getLayer('streets') ? map.queryRenderedFeatures({ layers: ['streets'] }).length : -1;
  });

test('the streets of the operator are drawn', async () => {
  tiles.state.fails = '';
  const page = await enter(closer, { also: tiles.origin, width: 390 });
  await drawn(page);
  await expect.poll(() => streetsShown(page)).toBeGreaterThan(3);
  expect(tiles.state.served).toBeGreaterThan(0);
  expect(await page.getByText(notice).count()).toBe(0);
});

for (const fails of ['style', 'tiles'] as const)
  test(`without its ${fails} the built-in map stays, and says so`, async () => {
    tiles.state.fails = fails;
    const page = await enter(closer, { also: tiles.origin, width: 390, cut: true });
    await page.getByText(notice).waitFor();
    await page.locator('.map[data-vehicles]').waitFor();
    await drawn(page);
    expect(await streetsShown(page)).toBe(-1);
  });
