// What moves: the fleet, its history and its milestones, in a demo that lives faster.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demo, wire } from './demo.ts';
import { base, call, open, settled, signIn } from './page.ts';

let fast: Awaited<ReturnType<typeof demo>>;
beforeAll(async () => {
  fast = await demo('--speed', '60');
});
afterAll(() => fast.stop());

const patience = { timeout: 120_000 };
const ask = (path: string, o: object = {}) => call(path, { ...o, base: fast.base });

test('a vehicle moves on the map by the stream alone', patience, async () => {
  const page = await open('/console/map', { base: fast.base });
  await signIn(page);
  await settled(page);
  await page.getByText('Live', { exact: true }).waitFor();
  // From here on no position is asked for: what changes comes by the stream.
  let asked = 0;
  page.on('request', (request) => {
    if (/\/position(\?|$)/.test(request.url())) asked++;
  });
  const list = page.getByRole('list').or(page.locator('[data-row]'));
  const before = await page.locator('aside').textContent();
  await expect.poll(() => page.locator('aside').textContent(), { timeout: 60_000 }).not.toBe(before);
  expect(asked).toBe(0);
  await list.first().waitFor();
});

test('a stream that was cut catches up and says so', patience, async () => {
  // What was missed is told by the clock, so this wants a service that goes by the reader's.
  const way = await wire(base);
  try {
    const page = await open('/console/map', { base: way.base, cut: true });
    await signIn(page);
    await settled(page);
    await page.getByText('Live', { exact: true }).waitFor();
    // A map that is cut off while it loads stays without its workers.
    await page.locator('[data-drawn]').first().waitFor({ timeout: 25_000 });
    const newest = async () => (await call('/event?order=desc&limit=1')).data[0].sequence as number;
    const before = await newest();
    way.cut();
    await page.getByText(/^(Offline|Catching up)$/).waitFor({ timeout: 60_000 });
    // Something must have happened meanwhile.
    await expect.poll(newest, { timeout: 60_000, interval: 500 }).toBeGreaterThan(before + 2);
    way.mend();
    await page.getByText(/caught up/).waitFor({ timeout: 60_000 });
    await page.getByText('Live', { exact: true }).waitFor();
  } finally {
    way.close();
  }
});

test('a window of the past is filled in to the end', patience, async () => {
  const connection = (await ask('/connection')).data[0].id as string;
  const page = await open(`/console/connection/${connection}?tab=history`, { base: fast.base });
  await signIn(page);
  await settled(page);
  await page.getByRole('button', { name: 'Start' }).click();
  type Stream = { history: { done_percent: number } | null };
  const done = async () => {
    const { streams } = (await ask(`/connection/${connection}/health`)).data as { streams: Stream[] };
    const jobs = streams.flatMap((s) => (s.history ? [s.history.done_percent] : []));
    return jobs.length > 0 && jobs.every((percent) => percent === 100);
  };
  await expect.poll(done, { timeout: 90_000, interval: 1000 }).toBe(true);
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

test('a milestone made by two clicks follows its drive to the end', { timeout: 180_000 }, async () => {
  const page = await open('/console/milestone?new=1', { base: fast.base });
  await signIn(page);
  const dialog = page.getByRole('dialog');
  await dialog.locator('.map[data-drawn]').waitFor({ timeout: 60_000 });
  const place = await places(page);
  const box = (await dialog.locator('.map').boundingBox())!;
  const edge = 12;
  const seen = (lat: number, lng: number) => {
    const { x, y } = place(lat, lng, box);
    return x > box.x + edge && x < box.x + box.width - edge && y > box.y + edge && y < box.y + box.height - edge;
  };
  const trips = (await ask('/trip?limit=1000&is_valid=true')).data as Drive[];
  const drive = trips.findLast(
    (t) =>
      t.distance_metres > 30_000 && seen(t.start_latitude, t.start_longitude) && seen(t.end_latitude, t.end_longitude),
  )!;
  const device = (await ask(`/device/${drive.device_id}`)).data;
  await dialog.getByRole('combobox', { name: 'Device' }).fill(device.registration);
  await page.getByRole('option', { name: device.registration }).click();
  for (const [lat, lng, field] of [
    [drive.start_latitude, drive.start_longitude, 'Start point'],
    [drive.end_latitude, drive.end_longitude, 'Destination'],
  ] as const) {
    const at = place(lat, lng, box);
    await page.mouse.click(at.x, at.y);
    await expect.poll(() => dialog.getByLabel(field).inputValue()).not.toBe('');
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
  await page.locator('main').getByText('Arrived', { exact: true }).first().waitFor({ timeout: 60_000 });
});

/** Where a coordinate is on a map that shows all newest positions, by the rules of Mercator. */
async function places(page: Awaited<ReturnType<typeof open>>) {
  const rows = (await ask('/position')).data as { position: { latitude: number; longitude: number } | null }[];
  const x = (lng: number) => (lng + 180) / 360;
  const y = (lat: number) => 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);
  const all = rows.flatMap((r) => (r.position ? [[x(r.position.longitude), y(r.position.latitude)] as const] : []));
  const [left, right] = [Math.min(...all.map(([a]) => a)), Math.max(...all.map(([a]) => a))];
  const [top, bottom] = [Math.min(...all.map(([, b]) => b)), Math.max(...all.map(([, b]) => b))];
  await page.getByRole('dialog').locator('.map').scrollIntoViewIfNeeded();
  return (lat: number, lng: number, box: { x: number; y: number; width: number; height: number }) => {
    const scale = Math.min((box.width - 96) / (right - left), (box.height - 96) / (bottom - top));
    return {
      x: box.x + box.width / 2 + (x(lng) - (left + right) / 2) * scale,
      y: box.y + box.height / 2 + (y(lat) - (top + bottom) / 2) * scale,
    };
  };
}
