// What people come to do, from the first click to what they wanted.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { base, call, drawn, enter, open, settled, signIn, useDemo, violations, visit } from './page.ts';

useDemo();

test('a wrong password is said so, the right one leads to the page that was asked for', async () => {
  const page = await open('/console/trip?valid=no');
  await page.locator('[name=username]').fill('demo');
  await page.locator('[name=password]').fill('wrong');
  await page.locator('[type=submit]').click();
  await page.getByText('The name or the password is wrong.').waitFor();
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor();
  await settled(page);
  expect(new URL(page.url()).search).toBe('?valid=no');
  const rows = page.locator('tbody tr');
  expect(await rows.count()).toBeGreaterThan(0);
  expect(await rows.filter({ hasNot: page.getByText('Invalid', { exact: true }) }).count()).toBe(0);
});

test('a viewer sees no buttons that change things, and the API refuses too', async () => {
  const page = await enter('/console/webhook', { user: 'viewer' });
  await settled(page);
  expect(await page.getByRole('button', { name: 'Add webhook' }).count()).toBe(0);
  await visit(page, '/console/connection');
  expect(await page.getByRole('link', { name: 'Add connection' }).count()).toBe(0);
  await visit(page, '/console/milestone');
  expect(await page.getByRole('button', { name: 'New milestone' }).count()).toBe(0);
  const refused = await call('/webhook', {
    user: 'viewer',
    method: 'POST',
    body: { url: 'https://hooks.example.com/x' },
  });
  expect(refused.status).toBe(403);
});

test('who guesses passwords has to wait, and sees how long', async () => {
  const guess = async () => {
    const answer = await fetch(`${base}/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'nobody', password: 'a guess' }),
    });
    return Number(answer.headers.get('Retry-After') ?? 0);
  };
  // Each guess that is heard makes the wait longer: until it is longer than what follows here.
  await expect.poll(async () => Math.max(...(await Promise.all(Array.from({ length: 4 }, guess))))).toBeGreaterThan(15);
  const page = await open('/console/');
  await page.locator('[name=username]').fill('nobody');
  const word = page.locator('[name=password]');
  // Where all that took longer than the wait, this guess is heard, and the next is not.
  const refused = async () => {
    await word.fill('another guess');
    await page.locator('[type=submit]').click();
    await expect.poll(() => word.inputValue()).toBe(''); // there is an answer
    return page.getByText(/Too many attempts. Try again in \d+ (s|min)/).count();
  };
  await expect.poll(refused).toBe(1);
});

test('what needs attention leads to what is wrong', async () => {
  const page = await enter('/console/');
  await settled(page);
  await page.getByRole('link', { name: /^Show: .*invalid/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor();
  expect(page.url()).toContain('valid=no');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

test('the overview shows what happens now, and says what it could not check', async () => {
  const page = await enter('/console/');
  await settled(page);
  const ticker = page.getByRole('region', { name: 'What happens now' });
  await ticker.getByRole('listitem').first().waitFor();
  await ticker.getByRole('link').first().waitFor();
  expect(await page.getByText('Not everything could be checked').count()).toBe(0);
  await page.route(/\/webhook\?/, (route) => route.fulfill({ status: 403, json: { error: { message: 'no' } } }));
  await page.reload();
  await page.getByText('Not everything could be checked').waitFor();
});

test('a trip, a milestone and a connection open beside their list, and Back closes them', async () => {
  const page = await enter('/console/');
  for (const [list, name, part] of [
    ['trip', 'Trip', 'Average speed'],
    ['milestone', 'Milestone', 'Predicted arrivals'],
    ['connection', 'Connection', 'Runs of the last 24 hours'],
  ] as const) {
    await visit(page, `/console/${list}`);
    await page.locator('main [data-row]').first().click();
    const drawer = page.getByRole('dialog', { name });
    await drawer.getByText(part).first().waitFor();
    await drawn(drawer);
    // What lies behind is looked at where every screen is.
    expect.soft(await violations(page, { within: 'dialog[open]' }), list).toEqual([]);
    expect(new URL(page.url()).pathname).toBe(`/console/${list}`);
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
  }
  // The address is enough to show the same again.
  await page.goForward();
  await page.reload();
  await page.getByRole('dialog', { name: 'Connection' }).getByText('Runs of the last 24 hours').waitFor();
});

test('a viewer sees a record beside its list, without buttons that change it', async () => {
  const page = await enter('/console/connection', { width: 390, user: 'viewer' });
  await settled(page);
  // On a phone the way to this screen is behind another button, which says so.
  const more = page.getByRole('button', { name: 'More', exact: true });
  await expect.poll(() => more.getAttribute('aria-current')).toBe('true');
  await page.locator('main [data-row]').first().click();
  const drawer = page.getByRole('dialog', { name: 'Connection' });
  await drawer.getByRole('link', { name: 'Backfill' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('history');
  await drawer.getByRole('progressbar').first().waitFor();
  expect(await drawer.getByRole('button', { name: /Pause|Collect now/ }).count()).toBe(0);
  expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
  // What was chosen within it goes with it.
  await drawer.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await page.locator('nav a[href="/console/trip"]').click();
  await page.getByRole('heading', { level: 1, name: 'Trips' }).waitFor();
  await expect.poll(() => more.getAttribute('aria-current')).toBeNull();
});

test('a connection with wrong credentials says so in words, with right ones it collects', async () => {
  const page = await enter('/console/connection/new');
  for (const [token, state] of [
    ['wrong', 'Failing'],
    ['demo-traccar-token', 'Healthy'],
  ] as const) {
    await visit(page, '/console/connection/new');
    await page.getByRole('searchbox').fill('tracc');
    await page.getByRole('button', { name: /^Traccar/ }).click();
    await page.getByLabel(/Token/i).first().fill(token);
    await page
      .getByLabel(/(Base URL|address|Server)/i)
      .first()
      .fill('https://traccar.demo.invalid');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Business name').fill(`Journey ${token}`);
    await page.getByRole('button', { name: 'Save and collect' }).click();
    await page.getByRole('heading', { level: 1, name: `Journey ${token}` }).waitFor();
    await page
      .locator('header')
      .getByText(state === 'Failing' ? /Failing|Has trouble/ : state)
      .first()
      .waitFor();
    if (state === 'Failing') await page.getByText('The provider refuses the credentials. Enter valid ones.').waitFor();
  }
});

test('a milestone is made by coordinates, and its deletion undone', async () => {
  const device = (await call('/device?limit=1')).data[0];
  const page = await enter('/console/milestone');
  await settled(page);
  await page.getByRole('button', { name: 'New milestone' }).click();
  const dialog = page.getByRole('dialog');
  await drawn(dialog);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('combobox', { name: 'Vehicle' }).fill(device.registration);
  await page.getByRole('option', { name: device.registration }).first().waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Start point').fill('-36.1, 146.1');
  await dialog.getByLabel('Destination').fill('-36.4, 146.1');
  await dialog.getByRole('button', { name: 'New milestone' }).click();
  await page.getByRole('heading', { level: 1, name: device.description }).waitFor();
  const address = page.url();
  // It can be undone for a few seconds only, which a click from outside could miss on a busy machine.
  const undone = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        new MutationObserver((_, watch) => {
          const undo = [...document.querySelectorAll('button')].find((b) => b.textContent?.trim() === 'Undo');
          if (!undo) return;
          watch.disconnect();
          undo.click();
          resolve();
        }).observe(document.body, { childList: true, subtree: true });
      }),
  );
  await page.getByRole('button', { name: 'Delete' }).click();
  await undone;
  await expect.poll(() => page.url()).toBe(address);
  await page.getByRole('heading', { level: 1, name: device.description }).waitFor();
});

/** A receiver that fails until it is mended. */
async function receiver() {
  const got: { headers: IncomingMessage['headers']; body: string }[] = [];
  const state = { works: false };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (state.works) got.push({ headers: request.headers, body });
      response.writeHead(state.works ? 204 : 503).end(state.works ? undefined : 'down for repair');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { got, state, url: `http://127.0.0.1:${port}/hook`, close: () => server.close() };
}

test('a failing webhook is repaired, and its signature verifies', async () => {
  const target = await receiver();
  try {
    const page = await enter('/console/webhook');
    await settled(page);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('dialog').getByLabel('URL').fill(target.url);
    // Of an event that does not happen here: only tests are sent.
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Milestone without news' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
    const secret = await page.getByRole('dialog').locator('code').textContent();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { level: 1, name: target.url }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page
      .getByRole('row', { name: /Test.*Failed.*503/ })
      .first()
      .waitFor();
    target.state.works = true;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page
      .getByRole('row', { name: /Test.*Delivered.*204/ })
      .first()
      .waitFor();
    await expect.poll(() => target.got.some((g) => JSON.parse(g.body).type === 'webhook.test')).toBe(true);
    const { headers, body } = target.got.find((g) => JSON.parse(g.body).type === 'webhook.test')!;
    const key = Buffer.from((secret ?? '').replace('whsec_', ''), 'base64');
    const want = createHmac('sha256', key)
      .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
      .digest('base64');
    expect(headers['webhook-signature']).toContain(`v1,${want}`);
    await page.locator('tbody [data-row]').first().click();
    await page.getByRole('dialog').getByText('Event id (webhook-id)').waitFor();
  } finally {
    target.close();
  }
});

test('a delivery is opened and sent again, as the same event', async () => {
  const target = await receiver();
  target.state.works = true;
  try {
    const made = await call('/webhook', {
      method: 'POST',
      body: { url: target.url, filters: { event_types: ['device.updated'] } },
    });
    const page = await enter(`/console/webhook/${made.data.id}`);
    await settled(page);
    const device = (await call('/device?limit=1')).data[0].id as string;
    expect((await call(`/device/${device}`, { method: 'PATCH', body: { tags: ['sent-again'] } })).status).toBe(200);
    await expect.poll(() => target.got.length).toBe(1);
    const row = page.getByRole('row', { name: /Vehicle changed.*Delivered.*204/ });
    await row.first().waitFor();
    await page.locator('tbody [data-row]').first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => target.got.length).toBe(2);
    const [first, again] = target.got;
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(again?.body).toBe(first?.body);
  } finally {
    target.close();
  }
});

test('a session that ended elsewhere asks to sign in and goes on where it was', async () => {
  const page = await open('/console/connection');
  await signIn(page);
  await settled(page);
  // At once, before the stream finds it out too.
  await page.evaluate(async () => {
    await fetch('/session', { method: 'DELETE' });
    document.querySelector<HTMLElement>('nav a[href="/console/webhook"]')?.click();
  });
  await page.getByText('Your session has ended').waitFor();
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

test('the demo is entered with one button', async () => {
  const page = await open('/');
  await page.getByRole('button', { name: 'Enter the demo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

test('a page of another origin cannot use the session', async () => {
  const page = await open('/console/settings');
  await signIn(page);
  const cookies = await page.context().cookies();
  expect(cookies.map((c) => [c.name, c.httpOnly, c.sameSite])).toEqual([['drover', true, 'Strict']]);
  const cookie = cookies.map((c) => `${c.name}=${c.value}`).join('; ');
  const forged = await fetch(`${base}/webhook`, {
    method: 'POST',
    headers: {
      Cookie: cookie,
      'Content-Type': 'application/json',
      Origin: 'https://elsewhere.example',
      'Sec-Fetch-Site': 'cross-site',
    },
    body: JSON.stringify({ url: 'https://hooks.example.com/forged' }),
  });
  expect(forged.status).toBe(403);
});

test('the request of a page can be copied as curl', async () => {
  const page = await enter('/console/webhook');
  await settled(page);
  await page.keyboard.press('Alt+c');
  await page.getByText('The request was copied as curl').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl -s 'http:.*\/webhook/);
});

test('all words are there in German', async () => {
  const page = await open('/console/', { locale: 'de-DE' });
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
});

test('the reference lists every operation, and finds one by a word', async () => {
  const page = await open('/docs');
  await page.getByRole('heading', { level: 2, name: 'List trips' }).waitFor();
  const document = await (await fetch(`${base}/openapi.json`)).json();
  const operations = Object.values(document.paths as Record<string, object>).reduce(
    (n, methods) => n + Object.keys(methods).length,
    0,
  );
  expect(await page.locator('main section').count()).toBe(operations);
  await page.getByRole('searchbox').fill('rotate');
  await expect.poll(() => page.locator('main section').count()).toBeLessThan(5);
  // Sections are alike: to look at all of them takes a minute.
  expect(await violations(page)).toEqual([]);
});
