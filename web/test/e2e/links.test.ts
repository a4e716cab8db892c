// Pages for people without a login: a journey that is shared, a fleet that is invited.
import { expect, test } from 'vitest';
import { base, call, enter, open, settled, useDemo, violations } from './page.ts';

useDemo();

test('a shared journey is seen without a login, and no more once it is revoked', async () => {
  const milestone = (await call('/milestone?status=trip_in_progress')).data[0].id as string;
  const page = await enter(`/console/milestone/${milestone}`);
  await settled(page);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  await dialog.getByRole('img', { name: 'QR code of the link' }).waitFor();
  expect(await violations(page)).toEqual([]);
  const address = (await dialog.getByRole('link').first().getAttribute('href')) ?? '';
  expect(address).toMatch(/\/share\/[\w-]{20,}$/);

  for (const width of [1280, 390]) {
    const visitor = await open(new URL(address).pathname, { width });
    await visitor.getByRole('heading', { level: 1, name: 'On its way' }).waitFor();
    await visitor.getByText('Shared by demo').waitFor();
    await visitor.locator('.place[data-drawn]').waitFor();
    expect(await violations(visitor)).toEqual([]);
    const text = (await visitor.locator('body').textContent()) ?? '';
    expect(text).not.toContain(milestone);
    expect(await visitor.context().cookies()).toEqual([]);
  }

  // In the visitor's own language, with the zone that the times are in.
  for (const [locale, title, zone] of [
    ['de-AT', 'Unterwegs', 'Mitteleuropäische Normalzeit'],
    ['fr-FR', 'En route', 'heure normale d’Europe centrale'],
    ['es-MX', 'En camino', 'hora estándar de Europa central'],
  ] as const) {
    const visitor = await open(new URL(address).pathname, { width: 390, locale });
    await visitor.getByRole('heading', { level: 1, name: title }).waitFor();
    await visitor.getByText(zone).waitFor();
    expect(await visitor.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
    await visitor.close();
  }

  // A stream that is cut again and again is no further visit.
  const opened = async () => (await call(`/milestone/${milestone}/share`)).data[0].opened_count as number;
  const before = await opened();
  const cut = await open('/docs');
  let streams = 0;
  await cut.route('**/public/share/*/stream', (route) =>
    ++streams > 3 ? route.continue() : route.fulfill({ contentType: 'text/event-stream', body: 'retry: 1\n\n' }),
  );
  await cut.goto(address);
  await cut.getByRole('heading', { level: 1, name: 'On its way' }).waitFor();
  await expect.poll(() => streams).toBeGreaterThan(3);
  expect(await opened()).toBe(before + 1);
  await cut.close();

  await brandIs('Miller & Sons', '#b3261e');
  const customer = await open(new URL(address).pathname, { width: 390 });
  await customer.getByText('Shared by Miller & Sons').waitFor();
  await customer.getByRole('img', { name: 'Miller & Sons' }).waitFor();
  expect(await customer.locator('main').evaluate((m) => getComputedStyle(m).borderTopColor)).toBe('rgb(179, 38, 30)');
  expect(await violations(customer)).toEqual([]);
  await customer.close();

  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The link shows nothing any more').waitFor();
  const late = await open(new URL(address).pathname);
  await late.getByRole('heading', { level: 1, name: 'This link is no longer valid' }).waitFor();
});

/** brandIs sets how the pages look, as an admin does. */
async function brandIs(name: string, colour: string) {
  const page = await enter('/console/settings?tab=brand');
  await settled(page);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Colour').fill(colour);
  const logo = page.getByLabel('Logo', { exact: true });
  await logo.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
  await page.getByRole('alert').waitFor();
  await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') });
  await page.getByRole('img', { name: 'Logo' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Pages show it when they are loaded').waitFor();
  await page.close();
}

/** A PNG of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

test('an invited fleet connects itself with wrong, then right credentials, and withdraws', async () => {
  const page = await enter('/console/connection');
  await settled(page);
  await page.getByRole('button', { name: 'Invite a fleet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Business name').fill('Invited Haulage');
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  const address = (await dialog.getByRole('link').first().getAttribute('href')) ?? '';

  const fleet = await open(new URL(address).pathname);
  await fleet.getByRole('heading', { level: 1, name: 'demo asks to read your vehicle data' }).waitFor();
  expect(await violations(fleet)).toEqual([]);
  await fleet.getByLabel('Your provider').selectOption('traccar');
  for (const token of ['wrong', 'demo-traccar-token']) {
    await fleet.getByLabel(/Token/i).first().fill(token);
    await fleet
      .getByLabel(/(Base URL|address|Server)/i)
      .first()
      .fill('https://traccar.demo.invalid');
    await fleet.getByRole('button', { name: 'Connect' }).click();
    if (token === 'wrong') await fleet.getByText(/has refused/).waitFor();
  }
  await fleet.getByRole('heading', { level: 1, name: 'Connected' }).waitFor();
  const made = (await call('/connection')).data.find(
    (c: { business_name: string }) => c.business_name === 'Invited Haulage',
  );
  expect(made.active).toBe(true);
  await fleet.getByRole('button', { name: 'Withdraw' }).click();
  await fleet.getByRole('button', { name: /Withdraw now/ }).click();
  await fleet.getByRole('heading', { level: 1, name: 'Withdrawn' }).waitFor();
  expect((await call(`/connection/${made.id}`)).data.active).toBe(false);
});

test('a page of a link that never was says so', async () => {
  for (const path of ['/share/nothing', '/link/nothing']) {
    const page = await open(path);
    await page.getByRole('heading', { level: 1, name: 'This link is no longer valid' }).waitFor();
  }
  expect(
    (await fetch(`${base}/share/nothing`, { headers: { Accept: 'text/html' } })).headers.get('Referrer-Policy'),
  ).toBe('no-referrer');
});

test('an invited fleet agrees at its provider, and comes back connected', async () => {
  const page = await open('/link/nothing');
  let state = 'open';
  const sent: unknown[] = [];
  const invitation = () => ({
    tenant_name: 'demo',
    business_name: 'Invited Haulage',
    state,
    renewal: true,
    reads: ['vehicles', 'positions'],
    since: null,
    consent: state === 'open',
    providers: state === 'open' ? [{ name: 'john_deere', title: 'John Deere', credentials: [] }] : [],
  });
  await page.route('**/public/link/abc', async (route) => {
    if (route.request().method() === 'POST') {
      sent.push(route.request().postDataJSON());
      state = 'used';
      await route.fulfill({ json: { data: { connected: true, trial: { ok: true, error: null } } } });
      return;
    }
    await route.fulfill({ json: { data: invitation() } });
  });
  // The provider's page, on which the fleet agrees at once.
  await page.route('**/public/link/abc/consent', (route) =>
    route.fulfill({ json: { data: { url: `${base}/link/consent?code=c1&state=s1`, state: 's1' } } }),
  );
  await page.goto(`${base}/link/abc`);
  await page.getByRole('heading', { level: 1, name: 'demo needs new credentials for Invited Haulage' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Agree at John Deere' }).click();
  await page.getByRole('heading', { level: 1, name: 'Connected' }).waitFor();
  expect(sent).toEqual([{ integration_name: 'john_deere', credentials: {}, code: 'c1' }]);
  expect(page.url()).toBe(`${base}/link/abc`);

  // An answer that was not asked for here is not taken.
  await page.goto(`${base}/link/consent?code=c2&state=other`);
  await page.getByRole('heading', { level: 1, name: 'This link is no longer valid' }).waitFor();
  expect(sent).toHaveLength(1);
});
