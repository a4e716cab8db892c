// A page that is watched: whatever a person would not want to find in the browser's
// console fails the test that opened it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { copyOf, password } from './demo.ts';

/** How long anything may take before it is taken for broken: a busy machine with two cores is slow. */
const patience = 90_000;

/** Where the demo of this file of tests is. */
export let base: string;

let browser: Browser;
const contexts: BrowserContext[] = [];
const faults: string[] = [];

/** Starts a demo as all files of tests find it. */
export const demo = (...more: string[]) => copyOf(inject('demo'), ...more);

/** Starts the demo that a file's tests share. */
export function useDemo(start: () => ReturnType<typeof demo> = demo): void {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    browser = await chromium.connect(inject('browser'));
    ({ base, stop } = await start());
  });
  afterAll(async () => {
    await browser?.close();
    await stop?.();
  });
}

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  expect(faults.splice(0), 'what the browser complained about').toEqual([]);
});

export interface Look {
  /** Who is signed in already; no one where it is left out. */
  user?: string;
  /** Another way to the demo than the straight one. */
  base?: string;
  height?: number;
  /** Whether the connection is cut on purpose, which a browser reports too. */
  cut?: boolean;
  /** Another host that the page may call: the operator's map. */
  also?: string;
  width?: number;
  /** Whether maps show the finer coast and the waters: drawing them takes seconds, and only pictures show them. */
  fine?: boolean;
  dark?: boolean;
  locale?: string;
}

/** Opens a page in a browser profile of its own. */
export async function open(path: string, look: Look = {}): Promise<Page> {
  const width = look.width ?? 1280;
  const context = await browser.newContext({
    viewport: { width, height: look.height ?? (width < 600 ? 844 : 860) },
    colorScheme: look.dark ? 'dark' : 'light',
    locale: look.locale ?? 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(patience);
  contexts.push(context);
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (e) =>
      console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`),
    );
  });
  if (!look.fine) {
    await context.addInitScript(coarseMaps);
    // A pixel of a map is drawn by the processor: a quarter of them shows the same.
    await context.addInitScript(() => Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.5 }));
  }
  if (look.user) await context.addCookies([{ ...(await sessionOf(look.user)), url: look.base ?? base }]);
  const page = await context.newPage();
  watch(page, look.base ?? base, look);
  await page.goto((look.base ?? base) + path);
  return page;
}

/** Gives maps the coarse coast again in place of the finer one, and no waters; to be evaluated in the page. */
function coarseMaps() {
  const ask = window.fetch;
  let coarse: Promise<Response> | undefined;
  window.fetch = async (what, how) => {
    const file = /(shapes-110m|shapes-50m|waters)-[^/]*\.json$/.exec(String(what))?.[1];
    if (file === 'waters') return Response.json({ lakes: [], rivers: [], states: [] });
    if (file === 'shapes-50m' && coarse) return (await coarse).clone();
    const answer = ask(what, how);
    if (file === 'shapes-110m') {
      coarse = answer.then((a) => a.clone());
      coarse.catch(() => undefined); // who asked is told
    }
    return answer;
  };
}

/** Refusals that a journey provokes on purpose are reported by the browser too. */
const expected = /Failed to load resource: the server responded with a status of (400|401|403|404|422|429)/;

function watch(page: Page, base: string, { cut, also }: Look): void {
  page.on('console', (m) => {
    if (cut && /Failed to load resource: net::|Worker failed to load/.test(m.text())) return;
    if (m.type() === 'error' && !expected.test(m.text())) faults.push(`console: ${m.text()}`);
  });
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`));
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (url.protocol.startsWith('http') && url.origin !== base && url.origin !== also)
      faults.push(`request to ${url.origin}`);
  });
}

export async function signIn(page: Page, user = 'demo'): Promise<void> {
  await page.locator('[name=username]').fill(user);
  await page.locator('[name=password]').fill(password);
  await page.locator('[name=password]').press('Enter');
  await page.locator('nav').first().waitFor();
}

/** Opens a page as a user who has signed in before: the sign-in has tests of its own. */
export async function enter(path: string, look: Look = {}): Promise<Page> {
  const page = await open(path, { user: 'demo', ...look });
  await page.locator('nav').first().waitFor();
  return page;
}

/** Goes to another screen as a link would. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await settled(page);
}

/** Waits until the maps of a part of the page are drawn to the end, in other colours than those, and returns theirs. */
export async function drawn(part: Page | Locator, others: string[] = []): Promise<string[]> {
  const colours = async () =>
    (await part
      .locator('.map')
      .evaluateAll((maps) => maps.map((map) => map.getAttribute('data-drawn') ?? ''))) as string[];
  await expect.poll(async () => (await colours()).some((colour) => ['', ...others].includes(colour))).toBe(false);
  return colours();
}

/** What is drawn in outline, or is still to be drawn. */
const unfinished = 'main [role=status][aria-label], main[aria-busy=true], main [aria-busy=true]';

/** Waits until the screen shows its data: nothing is being drawn in outline any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main > *').first().waitFor();
  await expect.poll(() => page.locator(unfinished).count()).toBe(0);
}

/** How far a page reaches beyond its window, seen or cut off; to be evaluated in the page. */
export const sideways = () =>
  Math.max(
    ...[document.documentElement, document.querySelector('main')].map((e) => (e ? e.scrollWidth - e.clientWidth : 0)),
  );

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };

/** The rules that look at colours; all others find the same on a page that only changes them. */
export const colourRules = ['color-contrast', 'link-in-text-block'];

/** What axe finds wrong with the page as it is, by all rules or by some, everywhere, within a part, or in the first rows of lists. */
export async function violations(
  page: Page,
  o: { only?: string[]; within?: string; rows?: number } = {},
): Promise<string[]> {
  // Its source is large: once is enough for a page that stays.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(
    async ({ runOnly, context }) => {
      type Found = { id: string; nodes: { target: string[]; failureSummary: string }[] };
      const runner = (
        window as unknown as { axe: { run: (context: unknown, o: unknown) => Promise<{ violations: Found[] }> } }
      ).axe;
      const { violations: found } = await runner.run(context, {
        runOnly,
        resultTypes: ['violations'],
      });
      return found.flatMap((v) =>
        v.nodes.slice(0, 3).map((n) => `${v.id}: ${n.target.join(' ')}: ${n.failureSummary.split('\n')[1] ?? ''}`),
      );
    },
    {
      runOnly: o.only ?? rules,
      context: { include: [o.within ?? 'html'], exclude: o.rows ? [`tbody tr:nth-child(n + ${o.rows + 1})`] : [] },
    },
  );
}

/** Calls the API beside the browser. */
export async function call(path: string, o: { user?: string; method?: string; body?: unknown } = {}) {
  const answer = await fetch(base + path, {
    method: o.method ?? 'GET',
    headers: {
      Authorization: `Bearer ${await tokenOf(o.user ?? 'demo')}`,
      ...(o.body ? { 'Content-Type': 'application/json' } : {}),
    },
    body: o.body ? JSON.stringify(o.body) : undefined,
  });
  return { status: answer.status, data: (await answer.json().catch(() => ({}))).data };
}

/** Asks once for each user, since passwords are slow to check on purpose. */
function once<T>(ask: (user: string) => Promise<T>): (user: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (user) => {
    const answer = answers.get(user) ?? ask(user);
    answers.set(user, answer);
    return answer;
  };
}

const tokenOf = once(async (user) => (await (await logIn('/token', user)).json()).data.access_token as string);

/** The cookie of a session, as a browser keeps it. */
const sessionOf = once(async (user) => {
  const [cookie = ''] = (await logIn('/session', user)).headers.getSetCookie();
  const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
  return { name, value, httpOnly: true, sameSite: 'Strict' as const };
});

async function logIn(path: string, username: string): Promise<Response> {
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  if (!answer.ok) throw new Error(`${username} could not log in: ${answer.status}`);
  return answer;
}
