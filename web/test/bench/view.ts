// Measures the console as a person meets it, and writes the figures as one line of JSON:
// the first view of a large fleet (the service at URL), what a browser says of its
// quality at a quarter of the processor, and the memory of a map that stays open over a
// fleet that moves (the program's own demo, MINUTES long).
import type { BrowserContext, Page } from 'playwright-core';
import { newDemo } from '../e2e/demo.ts';
import { launch } from './browser.ts';

const { URL: base = '', USERNAME: username = '', PASSWORD: password = '' } = process.env;
const minutes = Number(process.env.MINUTES ?? 1);
const rounds = Number(process.env.ROUNDS ?? 3);
const slowDown = 4;

const browser = await launch();
const patience = 120_000;
const size = { width: 1280, height: 860 };

async function signIn(page: Page, name: string, word: string): Promise<void> {
  await page.locator('[name=username]').fill(name);
  await page.locator('[name=password]').fill(word);
  await page.locator('[name=password]').press('Enter');
}

/** The overview shows its figures: nothing is drawn in outline any more. */
async function overview(page: Page): Promise<void> {
  await page.locator('dl a[href="/console/device"]').waitFor();
  await settled(page);
}

/** A screen is there, and nothing of it is drawn in outline or still to be drawn. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const unfinished = 'main [role=status][aria-label], main[aria-busy=true], main [aria-busy=true]';
    return document.querySelector('main h1') && !document.querySelector(unfinished);
  });
}

async function context(): Promise<BrowserContext> {
  const made = await browser.newContext({ viewport: size, reducedMotion: 'reduce', serviceWorkers: 'block' });
  made.setDefaultTimeout(patience);
  return made;
}

type Vitals = { lcp: number; cls: number; inp: number; blocking: number; shifted: string[]; slowest: string };

/** Watches what the browser itself measures of a page, from its first byte on. */
function watchVitals(): void {
  const vitals: Vitals = { lcp: 0, cls: 0, inp: 0, blocking: 0, shifted: [], slowest: '' };
  (window as unknown as { vitals: Vitals }).vitals = vitals;
  const watch = (type: string, each: (entry: PerformanceEntry) => void, more: object = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more });
  watch('largest-contentful-paint', (e) => {
    vitals.lcp = e.startTime;
  });
  watch('layout-shift', (e) => {
    type Source = { node: Node | null };
    const shift = e as PerformanceEntry & { value: number; hadRecentInput: boolean; sources: Source[] };
    if (shift.hadRecentInput) return;
    // All of a visit together, which is more than the five worst seconds that others count.
    vitals.cls += shift.value;
    const what = shift.sources.map(({ node }) => {
      const element = node instanceof Element ? node : node?.parentElement;
      return element ? `${element.tagName.toLowerCase()}.${element.className}` : 'gone';
    });
    vitals.shifted.push(`${window.location.pathname} ${shift.value.toFixed(3)} ${what.join(', ')}`);
  });
  watch('longtask', (e) => {
    vitals.blocking += Math.max(0, e.duration - 50);
  });
  watch(
    'event',
    (e) => {
      const event = e as PerformanceEventTiming & { interactionId: number };
      if (!event.interactionId || event.duration <= vitals.inp) return;
      vitals.inp = event.duration;
      const waited = Math.round(event.processingStart - event.startTime);
      vitals.slowest = `${event.name} at ${window.location.pathname}, which waited ${waited} ms`;
    },
    { durationThreshold: 16 },
  );
}

const vitalsOf = (page: Page) => page.evaluate(() => ({ ...(window as unknown as { vitals: Vitals }).vitals }));

/** One person with an empty cache: signs in, looks at the overview, then at the map. */
async function firstView() {
  const person = await context();
  const page = await person.newPage();
  await page.goto(`${base}/console/`);
  await page.locator('[name=username]').waitFor();
  const begun = performance.now();
  await signIn(page, username, password);
  await overview(page);
  const overviewTime = performance.now() - begun;
  const bytes = await page.evaluate(() =>
    (performance.getEntries() as PerformanceResourceTiming[])
      .filter((e) => /^http.*\/console\//.test(e.name) && e.transferSize !== undefined)
      .reduce((sum, e) => sum + e.transferSize, 0),
  );
  const left = performance.now();
  await page.locator('nav a[href="/console/map"]').click();
  await page.locator('.map[data-vehicles]').waitFor();
  const map = performance.now() - left;
  await page.locator('.map[data-drawn]').waitFor();
  await page.locator('main [data-row]').first().waitFor();
  const whole = performance.now() - left;
  await person.close();
  return { overview: overviewTime, bytes, map, whole };
}

/** The same way to a map without vehicles: what drawing a map takes by itself on this machine. */
async function bareMap(): Promise<number> {
  const person = await context();
  const page = await person.newPage();
  await page.goto(`${base}/console/`);
  await signIn(page, username, password);
  await overview(page);
  const nothing = { data: [], pagination: { next_cursor: null, has_more: false } };
  await page.route(/\/device\?/, (route) => route.fulfill({ json: nothing }));
  await page.route(/\/position\?/, (route) => route.fulfill({ json: { data: { device_id: [] } } }));
  const left = performance.now();
  await page.locator('nav a[href="/console/map"]').click();
  await page.locator('.map[data-drawn]').waitFor();
  const drawn = performance.now() - left;
  await person.close();
  return drawn;
}

/** The same person again with a quarter of the processor, who then goes through the screens. */
async function vitals(): Promise<Vitals> {
  const person = await context();
  // The compiler of this file names functions by a helper, which pages do not have.
  await person.addInitScript({ content: 'globalThis.__name = (f) => f;' });
  await person.addInitScript(watchVitals);
  const page = await person.newPage();
  await page.goto(`${base}/console/`);
  await signIn(page, username, password);
  await overview(page);
  const devtools = await person.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowDown });
  await page.reload();
  await overview(page);
  const opened = await vitalsOf(page);
  if (opened.lcp === 0) throw new Error('the browser said nothing of what it painted');
  for (const screen of ['trip', 'connection', 'webhook', 'event', 'device', 'settings']) {
    await page.locator(`nav a[href="/console/${screen}"]`).click();
    await settled(page);
  }
  await page.locator('nav a[href="/console/device"]').click();
  await page.locator('[data-filter]').click();
  await page.keyboard.type('truck 12');
  await page.waitForFunction(() => new URLSearchParams(window.location.search).get('q') === 'truck 12');
  const walked = await vitalsOf(page);
  await person.close();
  if (walked.inp > 200) console.error(`slowest: ${walked.slowest}`);
  if (walked.cls > 0.02) console.error(`shifted: ${walked.shifted.join('; ')}`);
  return { ...opened, cls: walked.cls, inp: walked.inp };
}

/** The map of a moving fleet that is not touched: what it holds after a while, without what is to be thrown away. */
async function memory() {
  const service = await newDemo('--speed', '30');
  const person = await context();
  const page = await person.newPage();
  await page.goto(`${service.base}/console/map`);
  await signIn(page, 'demo', 'drover-demo');
  await page.locator('.map[data-drawn]').waitFor();
  const devtools = await person.newCDPSession(page);
  const held = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    return (await devtools.send('Runtime.getHeapUsage')).usedSize;
  };
  const warm = 10_000; // until everything has been used once
  await page.waitForTimeout(warm);
  const before = await held();
  const events = () => page.evaluate(() => performance.getEntriesByType('resource').length);
  const asked = await events();
  await page.waitForTimeout(minutes * 60_000);
  const after = await held();
  const figures = {
    minutes,
    heap: after,
    growth: after - before,
    nodes: await page.evaluate(() => document.querySelectorAll('*').length),
    requests: (await events()) - asked,
  };
  await person.close();
  await service.stop();
  return figures;
}

const views = [];
for (let round = 0; round < rounds; round++)
  views.push({ bare: await bareMap(), ...(await firstView()), ...(await vitals()) });
console.log(JSON.stringify({ views, memory: await memory() }));
await browser.close();
