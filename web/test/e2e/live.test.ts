// What moves: the fleet, its history and its milestones, in a demo that lives faster.
import { expect, test } from 'vitest';
import { wire } from './demo.ts';
import { base, call, demo, drawn, enter, settled, useDemo } from './page.ts';

useDemo(() => demo('--speed', '30'));

type Newest = { device_id: string; state: string; position: { latitude: number; longitude: number } | null };

test('what vehicles do changes on the map by itself', async () => {
  const page = await enter('/console/map?state=driving');
  await settled(page);
  await page.getByText('Live', { exact: true }).waitFor();
  // Who drives, and how fast: nothing of it moves on by the clock, and no position is asked for again.
  const speeds = async () => (await page.locator('[data-row]').allInnerTexts()).join();
  const before = await speeds();
  await expect.poll(speeds).not.toBe(before);
});

test('a stream that was cut catches up and says so', async () => {
  const way = await wire(base);
  try {
    const page = await enter('/console/map', { base: way.base, cut: true });
    await settled(page);
    await page.getByText('Live', { exact: true }).waitFor();
    const newest = async () => (await call('/event?order=desc&limit=1')).data[0].sequence as number;
    const before = await newest();
    way.cut();
    await page.getByText(/^(Offline|Catching up)$/).waitFor();
    // Something must have happened meanwhile.
    await expect.poll(newest).toBeGreaterThan(before + 2);
    const said = page.getByText(/caught up/).waitFor();
    way.mend();
    await said;
    await page.getByText('Live', { exact: true }).waitFor();
    // Whatever of the map was still on its way when the connection was cut has come by now.
    await drawn(page);
  } finally {
    way.close();
  }
});

for (const [what, files, said] of [
  ['library', /maplibre-gl-[\d.]+\/.*\.mjs$/, 'The map is not loaded. It is tried again by itself.'],
  // What the page itself asks for is there; what its worker asks for is not.
  ['worker', /maplibre-gl-worker\.mjs$/, 'The map could not be started.'],
] as const) {
  test(`a map whose ${what} could not be loaded says so, and comes when it can`, async () => {
    const page = await enter('/console/', { cut: true });
    await settled(page);
    await page.route(files, (route) =>
      what === 'worker' && route.request().resourceType() === 'fetch' ? route.continue() : route.abort(),
    );
    await page.getByRole('link', { name: 'Map' }).click();
    await page.getByText(said).waitFor();
    expect(await page.locator('.map').getAttribute('data-drawn')).toBeNull();
    await page.unroute(files);
    // Where it has been tried again by itself meanwhile, there is no button any more.
    await page.getByRole('button', { name: 'Try again' }).evaluateAll((buttons) => {
      for (const button of buttons) (button as HTMLElement).click();
    });
    await page.locator('.map[data-drawn]').waitFor();
    expect(await page.getByText(said).count()).toBe(0);
  });
}

test('a window of the past is filled in to the end', async () => {
  const connection = (await call('/connection')).data[0].id as string;
  const page = await enter(`/console/connection/${connection}?tab=history`);
  await settled(page);
  await page.getByRole('button', { name: 'Start' }).click();
  type Job = { backfill: { done_percent: number } | null };
  const done = async () => {
    const { jobs: all } = (await call(`/connection/${connection}/health`)).data as { jobs: Job[] };
    const jobs = all.flatMap((s) => (s.backfill ? [s.backfill.done_percent] : []));
    return jobs.length > 0 && jobs.every((percent) => percent === 100);
  };
  await expect.poll(done).toBe(true);
  await page.getByText('100%').first().waitFor();
});

type Drive = {
  device_id: string;
  start_time: string;
  start_latitude: number;
  start_longitude: number;
  end_latitude: number;
  end_longitude: number;
  distance_metres: number;
};

test('a milestone made by two clicks follows its drive to the end', async () => {
  const page = await enter('/console/milestone');
  await settled(page);
  // The map shows all newest positions as the page was given them.
  const [positions] = await Promise.all([
    page.waitForResponse(/\/position(\?|$)/),
    page.getByRole('button', { name: 'New milestone' }).click(),
  ]);
  const dialog = page.getByRole('dialog');
  await drawn(dialog);
  const map = dialog.locator('.map');
  await map.scrollIntoViewIfNeeded();
  const box = (await map.boundingBox())!;
  const place = places((await positions.json()).data, box);
  const edge = 12;
  const seen = (lat: number, lng: number) => {
    const { x, y } = place(lat, lng);
    return x > box.x + edge && x < box.x + box.width - edge && y > box.y + edge && y < box.y + box.height - edge;
  };
  const trips = (await call('/trip?limit=1000&is_valid=true')).data as Drive[];
  const drive = trips.find(
    (t) =>
      t.distance_metres > 30_000 && seen(t.start_latitude, t.start_longitude) && seen(t.end_latitude, t.end_longitude),
  );
  if (!drive) throw new Error('no trip of the demo lies within the map');
  const device = (await call(`/device/${drive.device_id}`)).data;
  await dialog.getByRole('combobox', { name: 'Vehicle' }).fill(device.registration);
  await page.getByRole('option', { name: device.registration }).first().click();
  for (const [lat, lng, name] of [
    [drive.start_latitude, drive.start_longitude, 'Start point'],
    [drive.end_latitude, drive.end_longitude, 'Destination'],
  ] as const) {
    const field = dialog.getByLabel(name);
    const at = place(lat, lng);
    await page.mouse.click(at.x, at.y);
    await expect.poll(() => field.inputValue()).not.toBe('');
    const [clickedLat = 0, clickedLng = 0] = (await field.inputValue()).split(',').map(Number);
    // Within the radius that is given below, which is some 0.09 degrees.
    expect(Math.abs(clickedLat - lat)).toBeLessThan(0.06);
    expect(Math.abs(clickedLng - lng)).toBeLessThan(0.06);
  }
  await dialog.getByLabel('Radius').fill('10000');
  const start = new Date(Date.parse(drive.start_time) - 60_000);
  const shown = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Europe/Berlin',
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(start);
  await dialog.getByLabel('Earliest start').fill(shown.replace(' ', 'T'));
  await dialog.getByRole('button', { name: 'New milestone' }).click();
  await page.locator('main').getByText('Arrived', { exact: true }).first().waitFor();
});

/** Where a coordinate is on a map that shows these positions, by the rules of Mercator. */
function places(rows: Newest[], box: { x: number; y: number; width: number; height: number }) {
  const x = (lng: number) => (lng + 180) / 360;
  const y = (lat: number) => 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);
  const all = rows.flatMap((r) => (r.position ? [[x(r.position.longitude), y(r.position.latitude)] as const] : []));
  const [left, right] = [Math.min(...all.map(([a]) => a)), Math.max(...all.map(([a]) => a))];
  const [top, bottom] = [Math.min(...all.map(([, b]) => b)), Math.max(...all.map(([, b]) => b))];
  const scale = Math.min((box.width - 120) / (right - left), (box.height - 120) / (bottom - top));
  return (lat: number, lng: number) => ({
    x: box.x + box.width / 2 + (x(lng) - (left + right) / 2) * scale,
    y: box.y + box.height / 2 + (y(lat) - (top + bottom) / 2) * scale,
  });
}
