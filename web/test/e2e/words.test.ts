// Longer words and larger letters: nothing may be cut off or pushed out of the window.
import { expect, test } from 'vitest';
import { base, enter, open, settled, sideways, signIn, useDemo, visit } from './page.ts';

useDemo();

const screens = [
  '',
  'map',
  'device',
  'trip',
  'trip/compare',
  'milestone',
  'milestone?view=table',
  'fault?status=any',
  'fault?show=safety',
  'driver',
  'connection',
  'connection/new',
  'webhook',
  'webhook?new=1',
  'event',
  'export',
  'settings',
  'settings?tab=users',
  'settings?tab=rules',
];

test('at 200 % nothing scrolls sideways', async () => {
  // A window of 1280 by 860 at 200 % has room for 640 by 430.
  const page = await enter('/console/', { width: 640, height: 430 });
  for (const path of screens) {
    await visit(page, `/console/${path}`);
    expect.soft(await page.evaluate(sideways), path).toBeLessThanOrEqual(0);
  }
});

test('in a language of long words nothing scrolls sideways, and no word is left in English', async () => {
  const tab = await open('/docs', { width: 390, locale: 'de-DE' });
  // The German words travel in a file of their own: here each of them is made longer and marked.
  await tab.route(/\/assets\/de-.*\.js$/, async (route) => {
    const source = await (await route.fetch()).text();
    const words = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    const [name, de] = Object.entries(words)[0] as [string, string[]];
    const longer = de.map((text) => `[${text} ${'ß'.repeat(Math.ceil(text.length * 0.3))}]`);
    await route.fulfill({
      contentType: 'text/javascript',
      body: `const words = ${JSON.stringify(longer)}; export { words as ${name} };`,
    });
  });
  await tab.goto(`${base}/console/`);
  await signIn(tab);
  for (const path of screens) {
    await visit(tab, `/console/${path}`);
    await settled(tab);
    expect.soft(await tab.evaluate(sideways), path).toBeLessThanOrEqual(0);
    const headings = await tab.locator('main :is(h1, h2, th)').allTextContents();
    expect
      .soft(
        headings.filter((text) => text.trim() && !text.includes('[')),
        path,
      )
      .toEqual([]);
  }
});
