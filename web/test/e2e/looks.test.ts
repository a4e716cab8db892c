// How screens look with what a demo rarely has: long names in a language of long
// words, nothing at all, things that fail. Nothing may be too narrow, lie over another or
// reach out of the window.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { password, program, run } from './demo.ts';
import { wellPlaced } from './measure.ts';
import { base, call, drawn, enter, open, settled, useDemo, violations, visit } from './page.ts';

useDemo();

interface Named {
  id: string;
  url: string;
  configuration: { health: string };
}
const list = async (path: string) => (await call(path)).data as Named[];

/** Screens that show names of records, and what is about one of them. */
async function named(): Promise<string[]> {
  const one = async (path: string) => (await list(path))[0]?.id;
  const [a, b] = await list('/trip?limit=2');
  const connection = await one('/connection');
  return [
    '',
    'map',
    'device',
    `device/${await one('/device?limit=1')}`,
    'trip',
    'trip?show=stops',
    `trip/${a?.id}`,
    `trip/compare?a=${a?.id}&b=${b?.id}`,
    'milestone',
    'milestone?view=table',
    `milestone/${await one('/milestone?status=trip_in_progress')}`,
    'connection',
    `connection/${connection}`,
    `connection/${connection}?tab=settings`,
    `connection/${connection}?tab=coverage`,
    `connection/${connection}?tab=quality`,
    `connection/${connection}?tab=history`,
    'fault?status=any',
    'fault?show=safety',
    'driver',
    `driver/${await one('/driver?limit=1')}`,
    'webhook',
    `webhook/${await one('/webhook')}`,
    'event',
    'export?tab=reports',
    'settings',
    'settings?tab=brand',
    'settings?tab=sso',
    'settings?tab=limits',
    'settings?tab=keys',
    'settings?tab=shares',
    'settings?tab=users',
  ];
}

test('names of 80 characters in German fit everywhere', async () => {
  const long = (i: number) =>
    `Kühltransporte Straßenbau-Sondergenehmigung Nordrhein-Westfalen Zugmaschine ${i}`.padEnd(80, ' A').slice(0, 80);
  const change = (path: string, body: unknown, method = 'PATCH') => call(path, { method, body });
  for (const [i, d] of (await list('/device?limit=1000')).entries())
    await change(`/device/${d.id}`, { description: long(i) });
  for (const [i, c] of (await list('/connection')).entries())
    await change(`/connection/${c.id}`, { business_name: long(i) });
  for (const w of await list('/webhook')) await change(`/webhook/${w.id}`, { url: `${w.url}?${'long-'.repeat(20)}` });
  await change('/api-key', { name: long(0), scopes: ['read'] }, 'POST');
  const page = await enter('/console/', { width: 390, locale: 'de-DE' });
  const paths = await named();
  for (const path of paths) {
    await visit(page, `/console/${path}`);
    await wellPlaced(page, path, [390, 768, 1280]);
  }
  // The same screens, each of whose questions is refused with a long reason.
  const msg =
    'Der angefragte Datensatz kann aus betrieblichen Gründen vorübergehend nicht bereitgestellt werden. '.repeat(3);
  await page.route(
    (url) => !/^\/(console|session|account\/(settings|summary))/.test(url.pathname),
    (route) => route.fulfill({ status: 403, json: { error: { msg, loc: [] } } }),
  );
  await page.goto(`${base}/console/settings`);
  for (const path of paths) {
    await visit(page, `/console/${path}`);
    await wellPlaced(page, `refused: ${path}`, [390]);
  }
});

test('a fleet of ten thousand fits too', async () => {
  const positions = (await call('/position?format=columns')).data as Record<string, unknown[]>;
  const devices = await list('/device?limit=1000');
  const many = 10_000;
  const id = (i: number) => `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`;
  const page = await open('/docs', { user: 'demo' });
  await page.route('**/position?format=columns', (route) => {
    const copies = Object.entries(positions).map(([name, values]) => [
      name,
      Array.from({ length: many }, (_, i) => (name === 'device_id' ? id(i) : values[i % values.length])),
    ]);
    return route.fulfill({ json: { data: Object.fromEntries(copies) }, headers: { 'X-Event-Sequence': '1' } });
  });
  await page.route(/\/device\?.*limit=/, (route) => {
    const { searchParams } = new URL(route.request().url());
    const [from, limit] = [Number(searchParams.get('cursor') ?? 0), Number(searchParams.get('limit'))];
    const data = Array.from({ length: limit }, (_, i) => ({ ...devices[i % devices.length], id: id(from + i) }));
    const next: Record<string, string> = from + limit < many ? { 'X-Next-Cursor': String(from + limit) } : {};
    return route.fulfill({ json: { data }, headers: next });
  });
  await page.goto(`${base}/console/map`);
  await page.getByText('10,000 vehicles').waitFor();
  for (const path of ['map', 'device', '', 'board']) {
    await visit(page, `/console/${path}`);
    await wellPlaced(page, `ten thousand: ${path}`, [390, 768, 1920, 1280]);
  }
});

/** Screens that have something to say about nothing. */
const lists = [
  ...[
    '',
    'map',
    'device',
    'trip',
    'trip?show=stops',
    'milestone',
    'milestone?view=map',
    'fault',
    'fault?show=safety',
    'driver',
  ],
  ...[
    'connection',
    'webhook',
    'webhook?show=deliveries',
    'event',
    'export',
    'export?tab=reports',
    'settings',
    'settings?tab=shares',
  ],
  ...['settings?tab=keys', 'settings?tab=audit', 'board'],
];

test('a tenant that has nothing yet sees what comes next, on a phone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-empty-'));
  const data = ['--data', folder];
  const add = (...args: string[]) => execFileSync(program, [...args, ...data], { input: `${password}\n` });
  add('tenant', 'add', 'empty');
  add('user', 'add', '--tenant', 'empty', '--username', 'first', '--email', 'first@empty.example', '--role', 'admin');
  const service = await run(['serve', '--listen', '127.0.0.1:0', ...data]);
  try {
    const page = await open('/console/', { width: 390, base: service.base });
    await page.locator('[name=username]').fill('first');
    await page.locator('[name=password]').fill(password);
    await page.locator('[name=password]').press('Enter');
    await page.getByRole('heading', { name: 'Getting started' }).waitFor();
    for (const path of lists) {
      await visit(page, `/console/${path}`);
      await wellPlaced(page, `nothing: ${path}`, [390]);
    }
    await page.context().close();
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what to do about a failing connection is read on a phone', async () => {
  const failing = (await list('/connection')).find((c) => c.configuration.health === 'failing');
  const page = await enter(`/console/connection/${failing?.id}`, { width: 390 });
  const advice = page.getByRole('region', { name: 'What is wrong' }).locator('dd').first();
  await advice.waitFor();
  await wellPlaced(page, 'failing connection', [390]);
  expect((await advice.boundingBox())?.width).toBeGreaterThan(140);
});

test('the chosen one of many tabs is in sight on a phone', async () => {
  const page = await enter('/console/settings?tab=system', { width: 390 });
  await settled(page);
  const tab = page.locator('main nav [aria-current=page]');
  await expect.poll(async () => (await tab.textContent())?.trim()).toBe('System');
  const right = async () => ((box) => (box ? box.x + box.width : Number.NaN))(await tab.boundingBox());
  await expect.poll(right).toBeLessThanOrEqual(390);
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('no name covers a mark on a map, and names come before a finer coast', async () => {
  const milestone = (await list('/milestone?status=trip_in_progress'))[0]?.id;
  const page = await open('/docs', { user: 'demo', fine: true });
  const asked: string[] = [];
  page.on('request', (r) => {
    const name = /\/(towns|shapes-50m)-[^/]*\.json$/.exec(r.url())?.[1];
    if (name) asked.push(name);
  });
  await page.goto(`${base}/console/milestone/${milestone}`);
  await settled(page);
  await drawn(page);
  expect(asked).toEqual(['towns', 'shapes-50m']);

  interface Map_ {
    querySourceFeatures(source: string): { geometry: { type: string; coordinates: [number, number] } }[];
    queryRenderedFeatures(box: unknown, o?: unknown): { properties: { label?: string; name?: string } }[];
    project(at: [number, number]): { x: number; y: number };
  }
  const seen = await page.locator('.map').evaluate((element) => {
    const { map } = element as unknown as { map: Map_ };
    const names = ['marks-name', 'name-town', 'name-city', 'name-country'];
    const points = ['marks', 'track'].flatMap((source) =>
      map.querySourceFeatures(source).filter((f) => f.geometry.type === 'Point'),
    );
    const radius = 7; // of a mark, with its edge
    const covering = points.flatMap(({ geometry }) => {
      const { x, y } = map.project(geometry.coordinates);
      const box = [
        [x - radius, y - radius],
        [x + radius, y + radius],
      ];
      return map.queryRenderedFeatures(box, { layers: names }).map((f) => f.properties.label ?? f.properties.name);
    });
    const labels = map.queryRenderedFeatures({ layers: ['marks-name'] }).map((f) => f.properties.label);
    return { points: points.length, covering, labels: labels.sort() };
  });
  expect(seen.points).toBeGreaterThan(1);
  expect(seen.labels).toEqual(['Destination', 'Start point']);
  expect(seen.covering).toEqual([]);
});

test('what a webhook skipped while it was off is one line', async () => {
  const webhook = (await list('/webhook'))[0]?.id as string;
  await call(`/webhook/${webhook}`, { method: 'PATCH', body: { enabled: false } });
  const page = await open('/docs', { user: 'demo' });
  await page.route('**/delivery?*', async (route) => {
    const state = new URL(route.request().url()).searchParams.get('state');
    const of = (id: number) => ({
      id: `d${id}`,
      event_id: `e${id}`,
      state: id < 60 ? 'skipped' : 'failed',
      type: 'trip.completed',
      webhook_id: webhook,
      milestone_id: null,
      attempts: 0,
      created_at: '2026-11-15T12:00:00Z',
      duration_ms: null,
      error: null,
      last_attempt_at: null,
      next_attempt_at: null,
      sequence: id,
      status: null,
    });
    const all = Array.from({ length: 62 }, (_, id) => of(id)).filter((d) => !state || d.state === state);
    await route.fulfill({ json: { data: all } });
  });
  await page.goto(`${base}/console/webhook/${webhook}`);
  await settled(page);
  const rows = page.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(3);
  await rows.first().getByText('60 events, while it was switched off').click();
  await expect.poll(() => rows.count()).toBe(60);

  // Of the list across webhooks it leads to those of this one.
  await visit(page, '/console/webhook?show=deliveries');
  await rows.first().getByText('60 events, while it was switched off').click();
  await expect.poll(() => new URL(page.url()).searchParams.get('webhook')).toBe(webhook);
});

test('tokens of programs are no places where one is signed in', async () => {
  await call('/device?limit=1'); // by a token
  const page = await enter('/console/settings');
  await settled(page);
  const people = page.getByRole('table', { name: 'Where you are signed in' });
  const programs = page.getByRole('table', { name: 'Tokens of programs' });
  await people.getByText('this one').waitFor();
  expect(await people.getByText('Token').count()).toBe(0);
  expect(await programs.locator('tbody tr').first().textContent()).toMatch(/Token …[0-9a-f]{8}/);
});

test('what is late says when it is due, apart from what fails since', async () => {
  const page = await enter('/console/');
  await settled(page);
  const late = page.locator('main li', { hasText: / late/ }).first();
  expect(await late.locator('dl').textContent()).toMatch(/Due\s*(in .*|now|.* ago)/);
});

test('the board of a wall has no menu, is dark, counts the fleet, and is left by a key', async () => {
  const page = await enter('/console/');
  await settled(page);
  await page.getByRole('link', { name: 'Wall board' }).click();
  const board = page.locator('.board');
  await board.getByRole('heading', { name: 'Under way, the latest first' }).waitFor();
  expect(await page.locator('nav').count()).toBe(0);
  const counted = async () =>
    (await board.locator('.states dd').allTextContents()).reduce((sum, text) => sum + Number(text), 0);
  const known = ((await call('/position')).data as { state: string | null }[]).filter((p) => p.state).length;
  await expect.poll(counted).toBe(known);
  await expect.poll(() => board.locator('li').count()).toBeGreaterThan(0);
  await wellPlaced(page, 'board', [1920, 390]);
  expect(await violations(page)).toEqual([]);
  const [red = 255] = await board.evaluate((e) => getComputedStyle(e).backgroundColor.match(/\d+/g)?.map(Number) ?? []);
  expect(red).toBeLessThan(64);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

test('on paper a day and a milestone have no menu and nothing to press', async () => {
  const page = await enter('/console/');
  const [day, milestone] = [(await list('/device?limit=1'))[0]?.id, (await list('/milestone?limit=1'))[0]?.id];
  // An A4 page within its margins.
  await page.setViewportSize({ width: 718, height: 1000 });
  for (const path of [`device/${day}`, `milestone/${milestone}`]) {
    await visit(page, `/console/${path}`);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const seen = (name: string) => page.locator(name).filter({ visible: true }).count();
    expect.soft(await seen('h1'), path).toBe(1);
    expect.soft(await seen('.frame > nav, .frame > header, button, a.button'), path).toBe(0);
    expect.soft(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), path).toBe('light');
    await wellPlaced(page, `${path} on paper`, [718]);
    await page.emulateMedia({ media: null });
  }
});
