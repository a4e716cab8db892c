// Which vehicle is nearest, and when could it be there: by keys alone.
import { expect, test } from 'vitest';
import { enter, settled, useDemo } from './page.ts';

useDemo();

for (const width of [390, 1280])
  test(`the nearest vehicles to a town and to a vehicle, at ${width} px`, async () => {
    const page = await enter('/console/map', { width });
    await settled(page);
    await page.locator('.map[data-vehicles]').waitFor();
    await page.keyboard.press('n');
    const field = page.getByRole('searchbox', { name: 'Town, vehicle or coordinates' });
    await expect.poll(() => field.evaluate((e) => e === document.activeElement)).toBe(true);
    await page.keyboard.type('ballar');
    await page.getByRole('button', { name: 'Ballarat', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    const found = page.locator('.float ol button');
    await expect.poll(() => found.count()).toBe(6);
    expect(await found.first().textContent()).toMatch(/\d\d:\d\d–\d\d:\d\d/);
    await field.fill('Truck 1');
    await page.keyboard.press('Enter');
    await page.getByText(/^To Truck 1/).waitFor();
    await expect.poll(() => found.count()).toBe(6);
    await field.fill('');
    await page.keyboard.press('Escape');
    await expect.poll(() => field.count()).toBe(0);
  });
