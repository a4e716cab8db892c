// The map and a vehicle's day, as a dispatcher uses them.
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { call, drawn, enter, settled, useDemo, visit } from './page.ts';

useDemo();

test('the list, its counts and the map show the same fleet, live', async () => {
  const page = await enter('/console/map', { fine: true });
  await settled(page);
  await page.getByText('Live', { exact: true }).waitFor();
  const states = page.getByRole('group', { name: 'By state' }).getByRole('button');
  const counted = async () => (await states.allInnerTexts()).reduce((sum, text) => sum + Number.parseInt(text, 10), 0);
  const { data } = await call('/position');
  await expect.poll(counted).toBe((data as { position: unknown }[]).filter((row) => row.position !== null).length);
  // What is drawn is no empty canvas: one colour packs into very little.
  await drawn(page);
  const picture = await page.locator('.map').screenshot();
  expect(picture.length).toBeGreaterThan(4000);
});

test('the first look at the fleet, which changes the address, does not load it again', async () => {
  const page = await enter('/console/');
  await settled(page);
  const asked: string[] = [];
  page.on('request', (r) => asked.push(new URL(r.url()).pathname));
  await page.locator('nav a[href="/console/map"]').click();
  await page.locator('.map[data-vehicles]').waitFor();
  await drawn(page);
  await page.locator('[data-row]').first().waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.has('at')).toBe(true);
  expect(asked.filter((path) => path === '/position')).toHaveLength(1);
});

test('filters and the chosen vehicle are in the address, and stay after a reload', async () => {
  const page = await enter('/console/map');
  await settled(page);
  await page.getByRole('searchbox').fill('goldfields');
  await expect.poll(() => page.locator('[data-row]').count()).toBe(6);
  await page.locator('[data-row]').first().click();
  // Its name alone: what it does, and since when, changes.
  const chosen = page.locator('[data-row][aria-pressed=true] .name');
  const name = await chosen.textContent();
  expect(new URL(page.url()).searchParams.get('q')).toBe('goldfields');
  await page.reload();
  await expect.poll(() => chosen.textContent()).toBe(name);
  await expect.poll(() => page.locator('[data-row]').count()).toBe(6);
  await page.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.has('device')).toBe(false);
  await page.goBack();
  await page.getByRole('link', { name: 'Open vehicle' }).waitFor();
});

test('with six tabs open a seventh still loads', async () => {
  const page = await enter('/console/connection');
  await settled(page);
  for (let tab = 0; tab < 6; tab++) {
    const next = await page.context().newPage();
    await next.goto(page.url());
    await next.getByText('Live', { exact: true }).waitFor();
    await next.locator('[data-row]').first().waitFor();
  }
});

test('a day is replayed, and its export has every position', async () => {
  const trips = (await call('/trip?limit=1')).data as { device_id: string; start_time: string }[];
  const { device_id: id, start_time: start } = trips[0] as { device_id: string; start_time: string };
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date(start));
  const page = await enter(`/console/device/${id}?day=${day}`);
  await settled(page);
  const time = page.getByRole('slider');
  await time.waitFor();
  const before = Number(await time.inputValue());
  await page.getByRole('button', { name: 'Play', exact: true }).first().press('Enter');
  await expect.poll(async () => Number(await time.inputValue())).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Pause' }).press('Enter');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = (await text(await download.createReadStream())).trim().split('\r\n');
  const [from, to] = await Promise.all([time.getAttribute('min'), time.getAttribute('max')]);
  const iso = (at: number) => encodeURIComponent(new Date(at).toISOString());
  const stored = await call(`/device/${id}/positions?limit=1000&from=${iso(Number(from))}&to=${iso(Number(to) + 1)}`);
  expect(stored.data.length).toBeLessThan(1000);
  expect(lines.length - 1).toBe(stored.data.length);
});

test('a vehicle is renamed by those who may, and its keys step through the days', async () => {
  const id = (await call('/device?limit=1')).data[0].id as string;
  const page = await enter(`/console/device/${id}`);
  await settled(page);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill('Reefer 1');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Reefer 1' }).waitFor();
  expect((await call(`/device/${id}`)).data.description).toBe('Reefer 1');
  const today = await page.getByLabel('Day', { exact: true }).inputValue();
  await page.keyboard.press('[');
  await expect.poll(() => page.getByLabel('Day', { exact: true }).inputValue()).not.toBe(today);
  await page.keyboard.press(']');
  await expect.poll(() => page.getByLabel('Day', { exact: true }).inputValue()).toBe(today);
});

test('a viewer cannot rename a vehicle', async () => {
  const id = (await call('/device?limit=1')).data[0].id as string;
  const page = await enter('/console/', { user: 'viewer' });
  await visit(page, `/console/device/${id}`);
  await page.getByRole('link', { name: 'Show on map' }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
});
