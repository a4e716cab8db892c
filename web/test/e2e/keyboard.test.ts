// The console without a pointer.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { password } from './demo.ts';
import { call, enter, open, settled, useDemo } from './page.ts';

useDemo();

/** Goes on by Tab to the control with this name, as a reader without a pointer does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLLabelElement> | null };
      const label = e.labels?.[0]?.textContent ?? '';
      return (e.getAttribute('aria-label') || label || e.textContent || '').trim().replace(/\s+/g, ' ');
    });
    if (name.test(at)) return;
    passed.push(at.slice(0, 30));
  }
  throw new Error(`no Tab leads to ${name}; passed ${passed.join(' | ')}`);
}

test('the palette leads to a screen', async () => {
  const page = await enter('/console/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or jump to…' }).waitFor();
  await page.keyboard.type('webh');
  await page.getByRole('option', { name: 'Webhooks', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('nearest');
  await page.getByRole('option', { name: 'Nearest vehicles', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('searchbox', { name: 'Town, vehicle or coordinates' }).waitFor();
});

test('letters lead to screens, and j, k and Enter to a row', async () => {
  const page = await enter('/console/');
  await settled(page);
  // The second letter is to come soon after the first: on a busy machine it may take another try.
  const gone = async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    return page.getByRole('heading', { level: 1, name: 'Trips' }).count();
  };
  await expect.poll(gone).toBe(1);
  await settled(page);
  await page.keyboard.press('y');
  await page.getByText('Link copied').waitFor();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect([...link.searchParams.keys()]).toEqual(['from', 'to']);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  // It opens beside the list, Escape leads back to the row, and the whole page is a key away.
  const whole = page.getByRole('dialog', { name: 'Trip' }).getByRole('link', { name: 'Whole page' });
  await whole.waitFor();
  const shown = new URL(page.url());
  expect([shown.pathname, shown.searchParams.get('record')]).toEqual([
    '/console/trip',
    expect.stringMatching(/^trip\/.+/),
  ]);
  await page.keyboard.press('Escape');
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await expect.poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-row'))).toBe(true);
  await page.keyboard.press('Enter');
  await whole.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/${shown.searchParams.get('record')}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
});

test('the first Tab skips the menu', async () => {
  const page = await enter('/console/connection');
  await settled(page);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});

test('a dialog keeps the focus, and Escape gives it back', async () => {
  const page = await enter('/console/webhook');
  await settled(page);
  const add = page.getByRole('button', { name: 'Add webhook' });
  await add.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Tab');
    const inside = await page.evaluate(
      () => document.activeElement === document.body || !!document.activeElement?.closest('dialog'),
    );
    expect(inside).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Add webhook');
});

test('the list of keys is one key away', async () => {
  const page = await enter('/console/');
  await settled(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Next row').waitFor();
  await page.keyboard.press('Escape');
});

test('walk: from signing in to what is wrong', async () => {
  const page = await open('/console/');
  await page.locator('[name=username]').waitFor();
  await tabTo(page, /^Username/);
  await page.keyboard.type('demo');
  await tabTo(page, /^Password/);
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await settled(page);
  await page.getByRole('link', { name: /^Show: .*invalid/ }).waitFor();
  await tabTo(page, /^Show: .*invalid/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor();
  await settled(page);
  await page.locator('tbody tr').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page
    .getByText(/^the distance of/i)
    .first()
    .waitFor();
});

test('walk: a day is played, paused and wound, and the days are stepped through', async () => {
  const trip = (await call('/trip?limit=1')).data[0] as { device_id: string; start_time: string };
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date(trip.start_time));
  const page = await enter(`/console/device/${trip.device_id}?day=${day}`);
  await settled(page);
  const slider = page.getByRole('slider', { name: 'Time of the replay' });
  await slider.waitFor();
  const at = async () => Number(await slider.inputValue());
  const [first, last] = [Number(await slider.getAttribute('min')), Number(await slider.getAttribute('max'))];

  await tabTo(page, /^Play$/);
  await page.keyboard.press('Enter');
  await expect.poll(at).toBeGreaterThan(first);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Play', exact: true }).first().waitFor();
  await tabTo(page, /^Time of the replay$/);
  await page.keyboard.press('End');
  // The slider counts in whole seconds from its beginning.
  await expect.poll(async () => last - (await at())).toBeLessThan(1000);
  await page.keyboard.press('Home');
  await expect.poll(at).toBe(first);
  await page.keyboard.press('ArrowRight');
  await expect.poll(at).toBe(first + 1000);

  await tabTo(page, /^Follow$/);
  await page.keyboard.press('Space');
  expect(await page.getByRole('checkbox', { name: 'Follow' }).isChecked()).toBe(true);
  await tabTo(page, /^Copy link to this moment$/);
  await page.keyboard.press('Enter');
  await page.getByText(/^The link opens at/).waitFor();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(Date.parse(link.searchParams.get('t') ?? '')).toBe(first + 1000);

  await page.keyboard.press('[');
  await expect.poll(() => new URL(page.url()).searchParams.get('day')).not.toBe(day);
  await page.keyboard.press(']');
  await expect.poll(() => page.getByLabel('Day', { exact: true }).inputValue()).toBe(day);
});

test('walk: a milestone is made', async () => {
  const device = (await call('/device?limit=1')).data[0];
  const page = await enter('/console/milestone');
  await settled(page);
  await tabTo(page, /^New milestone$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.getByRole('combobox', { name: 'Vehicle' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('combobox');
  await page.keyboard.type(device.registration);
  await page.getByRole('option', { name: device.registration }).first().waitFor();
  await page.keyboard.press('Enter');
  await tabTo(page, /^Start point/);
  await page.keyboard.type('-36.1, 146.1');
  await tabTo(page, /^Destination/);
  await page.keyboard.type('-36.4, 146.1');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: device.description }).waitFor();
});

test('walk: a webhook is added and its secret stored', async () => {
  const page = await enter('/console/webhook');
  await settled(page);
  await tabTo(page, /^Add webhook$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('URL').waitFor();
  await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe('url');
  await page.keyboard.type('https://hooks.example.com/by-keyboard');
  await tabTo(page, /^Trip completed$/);
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  await tabTo(page, /^I have stored it$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'https://hooks.example.com/by-keyboard' }).waitFor();
  const made = (await call('/webhook')).data.find((w: { url: string }) => w.url.endsWith('/by-keyboard'));
  expect(made.filters.event_types).toEqual(['trip.completed']);
});

test('walk: a vehicle is found by its plate', async () => {
  const device = (await call('/device?limit=1')).data[0];
  const page = await enter('/console/device');
  await settled(page);
  await page.locator('tbody tr').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(device.registration);
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  await tabTo(page, new RegExp(`^${device.description}`));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: device.description }).waitFor();
});
