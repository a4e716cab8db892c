// What administrators do, what others may not, and files of records.
import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { password } from './demo.ts';
import { base, call, enter, open, settled, signIn, useDemo, visit } from './page.ts';

useDemo();

test('an administrator adds a user, who can sign in and is then stopped', async () => {
  const page = await enter('/console/settings?tab=users');
  await settled(page);
  await page.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User').fill('dispatcher');
  await dialog.getByLabel('E-mail').fill('dispatcher@demo.example');
  await dialog.getByLabel('Password').fill('drover-demo');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  const row = page.getByRole('row', { name: /dispatcher@demo.example/ });
  await row.waitFor();
  const theirs = await open('/console/settings?tab=users');
  await signIn(theirs, 'dispatcher');
  await settled(theirs);
  expect(await theirs.getByRole('link', { name: 'Users' }).count()).toBe(0);
  expect((await call('/user', { user: 'dispatcher' })).status).toBe(403);
  await row.getByRole('button', { name: 'Disable' }).click();
  await row.getByText('Disabled').waitFor();
  // Their stream ends by itself, with nothing clicked.
  await theirs.getByText('Your session has ended').waitFor();
});

test('a key is shown once, works, and works no more once it is revoked', async () => {
  const page = await enter('/console/settings?tab=keys');
  await settled(page);
  await page.getByRole('button', { name: 'Make a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('warehouse');
  await dialog.getByRole('button', { name: 'Make a key' }).click();
  const key = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const ask = async () =>
    (await fetch(`${base}/device?limit=1`, { headers: { Authorization: `Bearer ${key}` } })).status;
  expect(await ask()).toBe(200);
  await page
    .getByRole('row', { name: /warehouse/ })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await expect.poll(ask).toBe(401);
  await visit(page, '/console/settings?tab=audit');
  await page.getByText('api-key.create').first().waitFor();
});

/** What an authenticator app shows, by the clock of the service. */
async function codeOf(secret: string): Promise<string> {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret.replaceAll(' ', '')].map((c) => letters.indexOf(c).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.parse((await call('/account/summary')).data.generated_at) / 30_000)));
  const sum = createHmac('sha1', key).update(step).digest();
  return String((sum.readUInt32BE((sum.at(-1) ?? 0) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

test('a second factor is set up, and asked for at the sign-in and again where it matters', async () => {
  const body = { username: 'guard', email: 'guard@demo.example', role: 'admin', password };
  expect((await call('/user', { method: 'POST', body })).status).toBe(200);
  const page = await open('/console/settings');
  await signIn(page, 'guard');
  await page.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Go on' }).click();
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByLabel('Code').fill(await codeOf(secret));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const codes = await dialog.locator('li code').allTextContents();
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('10 recovery codes are left').waitFor();

  const other = await open('/console/settings');
  await other.locator('[name=username]').fill('guard');
  await other.locator('[name=password]').fill(password);
  await other.locator('[name=password]').press('Enter');
  await other.getByLabel('Code').fill('000000');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByText('The code is wrong').waitFor();
  await other.getByLabel('Code').fill(codes[0] ?? '');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByText('9 recovery codes are left').waitFor();

  // As the service answers ten minutes later.
  const headers = { 'X-Second-Factor': 'required', 'Content-Type': 'application/json' };
  const refusal = { error: { code: 403, message: 'A second factor is required' } };
  await other.route(
    '**/second-factor/recovery-code',
    (route) => route.fulfill({ status: 403, headers, body: JSON.stringify(refusal) }),
    { times: 1 },
  );
  await other.getByRole('button', { name: 'New recovery codes' }).click();
  await other
    .getByRole('dialog')
    .getByLabel('Code')
    .fill(codes[1] ?? '');
  await other.getByRole('button', { name: 'Confirm' }).click();
  await other.getByRole('button', { name: 'I have kept them' }).click();
  await other.getByText('10 recovery codes are left').waitFor();
});

test('what was done is kept as a file, as far as the filter leaves it', async () => {
  await call('/webhook', { user: 'viewer', method: 'POST', body: { url: 'https://hooks.example.com/x' } });
  const page = await enter('/console/settings?tab=audit&outcome=refused');
  await settled(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export these' }).click(),
  ]);
  const [head, ...rows] = (await text(await download.createReadStream())).trim().split('\r\n');
  expect(head).toMatch(/^time,actor_name,/);
  expect(rows.some((row) => row.includes('"webhook.create"'))).toBe(true);
  expect(rows.filter((row) => !row.includes('"refused"'))).toEqual([]);
});

test('after a new secret the time is shown for which the old one signs', async () => {
  const made = (await call('/webhook', { method: 'POST', body: { url: `${base}/hook`, enabled: false } })).data;
  const page = await enter(`/console/webhook/${made.id}?tab=settings`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText(/Old secret signs for (24 h|23 h \d+ min|1 d)/).waitFor();
  // It is the service's knowledge, not this page's; and only administrators change secrets.
  await page.reload();
  await page.getByText(/Old secret signs for/).waitFor();
  const theirs = await enter(`/console/webhook/${made.id}?tab=settings`, { user: 'viewer' });
  await settled(theirs);
  expect(await theirs.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
  expect(await theirs.getByText(/Old secret signs for/).count()).toBe(0);
});

test('the list of connections says how many vehicles each has, its lag and its errors', async () => {
  const counts = (await call('/connection?include=health')).data as { business_name: string; devices: number }[];
  const page = await enter('/console/connection');
  await settled(page);
  for (const { business_name, devices } of counts.filter((c) => c.devices > 0)) {
    const row = page.getByRole('row', { name: business_name });
    await row.getByRole('link', { name: String(devices), exact: true }).waitFor();
    await expect.poll(() => row.getByRole('cell').nth(5).textContent()).toMatch(/\d+ (s|min)/);
  }
  expect(counts.some((c) => c.devices > 0)).toBe(true);
  // The one whose credentials are refused counts its failures.
  const failing = page.getByRole('row', { name: 'Yarra Cold Chain' });
  await expect.poll(() => failing.getByRole('cell').nth(6).textContent()).toMatch(/^[1-9]/);
});

test('an event is a place in the feed from which one reads on', async () => {
  // Of a kind that comes seldom, so that it is still in the list when the page shows it.
  const type = 'type=trip.completed';
  const [newest, before] = (await call(`/event?order=desc&limit=2&${type}`)).data as { id: string }[];
  const page = await enter(`/console/event?event=${before?.id}&${type}`);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /GET \/event cursor/ })
    .click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const path = /http:\/\/[^/]+(\/event\?cursor=[^']+)/.exec(copied)?.[1] ?? '';
  expect((await call(`${path}&limit=1&${type}`)).data[0].id).toBe(newest?.id);
});

test('a filtered list is exported, downloaded and counted', async () => {
  // A window to which nothing is added any more: all of its trips have long ended.
  const from = Date.parse((await call('/trip?limit=1&is_valid=false')).data[0].start_time);
  const to = from + 12 * 3_600_000;
  const page = await enter(
    `/console/trip?valid=no&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`,
  );
  await settled(page);
  const rows = await page.locator('tbody tr').count();
  expect(rows).toBeGreaterThan(0);
  await page.getByRole('button', { name: `Export these ${rows}` }).click();
  await page.getByRole('heading', { level: 1, name: 'Exports and reports' }).waitFor();
  const link = page.getByRole('link', { name: 'Download' }).first();
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const lines = (await text(await download.createReadStream())).trim().split('\n');
  expect(lines.length - 1).toBe(rows);
});

test('the report of a month names the trips that it leaves out', async () => {
  const page = await enter('/console/export?tab=reports');
  await settled(page);
  await page.getByRole('heading', { level: 2, name: 'Left out' }).waitFor();
  const report = (await call('/report/time-use')).data;
  const rows = page.getByRole('table', { name: 'Time use' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(report.vehicles.length);
});

test('a connection is deleted by typing its name, with its data where that is wanted', async () => {
  const make = async () =>
    (
      await call('/connection', {
        method: 'POST',
        body: {
          integration_name: 'traccar',
          business_name: 'Short Lived',
          credentials: { token: 'x', base_url: 'https://traccar.demo.invalid' },
        },
      })
    ).data.id as string;
  const [kept, erased] = [await make(), await make()];
  const page = await enter('/console/connection');
  for (const id of [kept, erased]) {
    await visit(page, `/console/connection/${id}?tab=settings`);
    await page.getByRole('button', { name: 'Delete connection…' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Delete connection' });
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Short Lived to confirm').fill('Short Lived');
    if (id === erased) await dialog.getByLabel('Also erase everything').check();
    await confirm.click();
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
  }
  expect((await call(`/connection/${kept}`)).data.configuration.health).toBe('archived');
  // It is erased in the background: it says so, or is gone already.
  const rest = await call(`/connection/${erased}`);
  expect(rest.status === 404 || rest.data.configuration.purge !== undefined).toBe(true);
});
