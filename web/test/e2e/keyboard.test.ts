// The console without a pointer.
import { expect, test } from 'vitest';
import { open, settled, signIn, useDemo } from './page.ts';

useDemo();

test('the palette leads to a screen', async () => {
  const page = await open('/console/');
  await signIn(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or jump to…' }).waitFor();
  await page.keyboard.type('webh');
  await page.getByRole('option', { name: 'Webhooks', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

test('letters lead to screens, and j, k and Enter to a row', async () => {
  const page = await open('/console/');
  await signIn(page);
  await settled(page);
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor();
  await settled(page);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/console\/trip\/.+/);
});

test('the first Tab skips the menu', async () => {
  const page = await open('/console/connection');
  await signIn(page);
  await settled(page);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});

test('a dialog keeps the focus, and Escape gives it back', async () => {
  const page = await open('/console/webhook');
  await signIn(page);
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
  const page = await open('/console/');
  await signIn(page);
  await settled(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Next row').waitFor();
  await page.keyboard.press('Escape');
});
