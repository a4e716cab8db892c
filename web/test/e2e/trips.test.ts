// Lists that answer a question: what all trips of a filter come to, how two of them differ,
// which vehicles are in a state, and the rules by which positions become trips.
import { expect, test } from 'vitest';
import { call, enter, settled, useDemo, visit } from './page.ts';

useDemo();

type Trip = { id: string; start_time: string; distance_metres: number };

/** A window of the past to which no trip is added any more. */
async function past() {
  const from = Date.parse((await call('/trip?limit=1&is_valid=false')).data[0].start_time);
  return `from=${new Date(from).toISOString()}&to=${new Date(from + 12 * 3_600_000).toISOString()}`;
}

test('the trips of a filter are summed up, all of them and not only those on the screen', async () => {
  const window = await past();
  const page = await enter(`/console/trip?${window}`);
  await settled(page);
  const figure = (name: string) =>
    page.locator('dl.figures > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
  for (const [chosen, filter] of [
    ['Valid and invalid', ''],
    ['Invalid only', '&is_valid=false'],
  ] as const) {
    await page.getByLabel('Validity').selectOption(chosen);
    const sums = (await call(`/trip/totals?${window}${filter}`)).data;
    expect(sums.trips).toBeGreaterThan(0);
    await expect.poll(() => figure('Trips').textContent()).toBe(String(sums.trips));
    await expect.poll(() => figure('Invalid').textContent()).toBe(String(sums.trips - sums.valid_trips));
    const kilometres = `${new Intl.NumberFormat('en-GB').format(Math.round(sums.distance_metres / 1000))} km`;
    if (sums.distance_metres >= 100_000) expect(await figure('Distance').textContent()).toBe(kilometres);
  }
  // Each says between which towns it was.
  await page
    .getByText(/^(near )?\p{L}.* → ?to/u)
    .first()
    .waitFor();

  // Zone and units are changed where they are seen, and a record that is not there has a page with a name.
  const measures = page.getByRole('button', { name: /^Time zone and units/ });
  await measures.click();
  const choices = page.locator('header [popover] select');
  await choices.nth(0).selectOption('UTC');
  await choices.nth(1).selectOption('imperial');
  await expect.poll(() => figure('Distance').textContent()).toMatch(/ mi$/);
  await expect.poll(() => measures.textContent()).toBe('UTC · mi');
  await visit(page, '/console/trip/00000000-0000-7000-8000-000000000000');
  await page.getByText('This does not exist').waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Trip');
});

test('trips of a tag are kept, and a trip becomes a milestone of the same way', async () => {
  const tagged = (await call('/device?limit=1000')).data.find((d: { tags: string[] | null }) => d.tags?.length);
  const tag = tagged.tags[0] as string;
  const window = await past();
  const page = await enter(`/console/trip?${window}`);
  await settled(page);
  await page.getByLabel('All tags').selectOption(tag);
  const sums = (await call(`/trip/totals?${window}&tag=${encodeURIComponent(tag)}`)).data;
  expect(sums.trips).toBeGreaterThan(0);
  const count = page.locator('dl.figures > div', { has: page.getByText('Trips', { exact: true }) }).locator('dd');
  await expect.poll(() => count.textContent()).toBe(String(sums.trips));

  const trip = (await call(`/trip?limit=1&is_valid=true&${window}`)).data[0];
  await visit(page, `/console/trip/${trip.id}`);
  await page.getByRole('link', { name: 'Milestone of this way' }).click();
  const at = (latitude: number, longitude: number) => `${latitude}, ${longitude}`;
  await expect
    .poll(() => page.getByLabel('Start point').inputValue())
    .toBe(at(trip.start_latitude, trip.start_longitude));
  expect(await page.getByLabel('Destination').inputValue()).toBe(at(trip.end_latitude, trip.end_longitude));
});

test('two trips are chosen from the list and compared', async () => {
  const page = await enter(`/console/trip?valid=yes&${await past()}`);
  await settled(page);
  await page
    .getByRole('checkbox', { name: /^Compare/ })
    .first()
    .check();
  await page
    .getByRole('checkbox', { name: /^Compare/ })
    .nth(1)
    .check();
  await page.getByRole('link', { name: 'Compare 2 trips' }).click();
  const row = page.getByRole('row', { name: /^Distance/ }).getByRole('cell');
  await expect.poll(() => row.count()).toBe(3);
  const query = new URL(page.url()).searchParams;
  const trips = await Promise.all(['a', 'b'].map(async (x) => (await call(`/trip/${query.get(x)}`)).data as Trip));
  const [first, second, difference] = (await row.allTextContents()).map((text) =>
    Number.parseFloat(text.replace('−', '-').replace('+', '')),
  ) as [number, number, number];
  expect(first * 1000).toBeCloseTo(trips[0]?.distance_metres ?? 0, -3);
  expect(second * 1000).toBeCloseTo(trips[1]?.distance_metres ?? 0, -3);
  const before = await row.nth(2).textContent();
  expect(Math.sign(difference)).toBe(Math.sign((trips[1]?.distance_metres ?? 0) - (trips[0]?.distance_metres ?? 0)));
  await page.getByRole('button', { name: 'Swap' }).click();
  const swapped = before?.startsWith('+') ? before.replace('+', '−') : (before?.replace('−', '+') ?? '');
  await expect.poll(() => row.nth(2).textContent()).toBe(swapped);
});

test('vehicles are listed by their state, and in the order that was asked for', async () => {
  const page = await enter('/console/device');
  await settled(page);
  const names = page.locator('tbody [data-row]');
  const { data: all } = await call('/device?limit=1000');
  await expect.poll(() => names.count()).toBe(all.length);
  await page.getByLabel('Sorted by').selectOption('By plate');
  const { data: sorted } = await call('/device?limit=1000&sort=registration&order=asc');
  const plates = sorted.map((d: { registration: string }) => d.registration) as string[];
  await expect.poll(async () => (await page.locator('tbody .plate').allTextContents()).join()).toBe(plates.join());
  await page.getByLabel('State', { exact: true }).selectOption('Stopped');
  // The fleet drives on meanwhile: what is shown and what the API says become the same.
  await expect
    .poll(async () => (await names.count()) - (await call('/device?limit=1000&state=stopped')).data.length)
    .toBe(0);
  await page.getByRole('searchbox').fill(plates[3] ?? '');
  await expect.poll(() => new URL(page.url()).search).toContain(`q=${plates[3]}`);
  await page.reload();
  await settled(page);
  expect(await page.getByLabel('Sorted by').inputValue()).toBe('plate');
  expect(await page.getByRole('searchbox').inputValue()).toBe(plates[3]);
});

test('rules of trips are set, inherited, and applied to the past', async () => {
  const connection = (await call('/connection')).data[0].id as string;
  const page = await enter('/console/settings?tab=rules');
  await settled(page);
  await page.getByLabel('A stop ends a trip after').fill('8');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The rules are saved').waitFor();
  expect((await call('/account/settings')).data.trip_rules.stop_seconds).toBe(480);

  // A connection whose provider reports trips has no rules; one whose trips are derived inherits them.
  await visit(page, `/console/connection/${connection}?tab=settings`);
  await page.getByText('The provider reports the trips of this connection itself').waitFor();
  const derived = { configuration: { trips: 'derived' } };
  expect((await call(`/connection/${connection}`, { method: 'PATCH', body: derived })).status).toBe(200);
  await page.reload();
  await settled(page);
  await page.getByText('8 min, set for the tenant').waitFor();
  await page.getByRole('button', { name: 'Recompute' }).click();
  await page.getByRole('row', { name: /Done/ }).waitFor();
  const { data: jobs } = await call('/trip-recompute');
  expect(jobs.map((j: { connection_id: string; state: string }) => [j.connection_id, j.state])).toEqual([
    [connection, 'done'],
  ]);

  // A vehicle's own rule overrides both, and what is out of bounds is refused at its field.
  const device = (await call(`/device?limit=1&connection_id=${connection}`)).data[0].id as string;
  await visit(page, `/console/device/${device}?tab=rules`);
  await page.getByLabel('Still in one place within').fill('120');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Set here. Empty it to take that back.').waitFor();
  expect((await call(`/device/${device}/settings`)).data.effective_trip_rules.radius_metres).toEqual({
    value: 120,
    source: 'device',
  });
});

test('a viewer reads the rules and cannot change them', async () => {
  const page = await enter('/console/settings?tab=rules', { user: 'viewer' });
  await settled(page);
  await page.getByLabel('A stop ends a trip after').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Recompute' }).count()).toBe(0);
});
