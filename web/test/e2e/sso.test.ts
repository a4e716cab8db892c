// Signing in at a provider made of ory/fosite, a process of its own, with its sign-in page in the same browser.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort, password, program, run } from './demo.ts';
import { open, settled, sideways, signIn, useDemo, violations } from './page.ts';

let issuer: string;

useDemo(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-sso-'));
  const base = `http://localhost:${await freePort()}`;
  const drover = (...args: string[]) =>
    execFileSync(program, [...args, '--data', folder], { input: `${password}\n`, encoding: 'utf8' });
  drover('tenant', 'add', 'north');
  const keeper = ['--username', 'keeper', '--email', 'keeper@north.example', '--role', 'admin'];
  drover('user', 'add', '--tenant', 'north', ...keeper);
  const { redirect_uri } = JSON.parse(drover('tenant', 'sso', 'north', '--public-url', base));
  const binary = join(folder, 'provider');
  execFileSync('go', ['build', '-o', binary, '.'], { cwd: new URL('../../../test/provider', import.meta.url) });
  const provider = spawn(binary, ['-redirect', redirect_uri], { stdio: ['ignore', 'pipe', 'inherit'] });
  issuer = await new Promise((resolve, reject) => {
    provider.stdout.on('data', (line: Buffer) => resolve(line.toString().trim().replace('issuer ', '')));
    provider.on('exit', () => reject(new Error('the provider ended')));
  });
  const { stop } = await run([
    ...['serve', '--data', folder, '--listen', base.replace('http://localhost', '127.0.0.1')],
    ...['--public-url', base, '--allow-network', '127.0.0.1/32'],
  ]);
  return {
    base,
    stop: async () => {
      provider.removeAllListeners('exit').kill();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

test('an admin sets single sign-on up, someone signs in by it for the first time, and someone else is refused', async () => {
  const admin = await open('/console/settings?tab=sso');
  await signIn(admin, 'keeper');
  await admin.getByLabel('Issuer').fill(issuer);
  await admin.getByLabel('Client id').fill('drover');
  await admin.getByLabel('Client secret').fill('a client secret of the tests');
  await admin.getByLabel('People who have no user yet').selectOption('automatic');
  await admin.getByLabel('E-mail domains').fill('northern.example');
  await admin.getByLabel('Claim with the roles').fill('groups');
  await admin.getByLabel('Roles', { exact: true }).fill('fleet-admins = member');
  await admin.getByLabel('People can sign in by the provider.').check();
  const form = admin.locator('form', { has: admin.getByLabel('Issuer') });
  await form.getByRole('button', { name: 'Save' }).click();
  await admin.getByText('Saved.').waitFor();
  await form.getByRole('button', { name: 'Ask the provider' }).click();
  await admin.getByText('The provider answers').waitFor();
  const begin = (await form.locator('code', { hasText: '?code=' }).textContent()) ?? '';

  const page = await open('/console/', { width: 390, also: issuer });
  await page.goto(begin);
  await page.getByLabel('Name').fill('ann');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('nav').first().waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(page.url()).not.toContain('/sso');
  const me = await page.evaluate(() => fetch('/session').then((answer) => answer.json()));
  expect([me.data.user.email, me.data.role]).toEqual(['ann@northern.example', 'member']);

  // Those who come later have to be invited.
  await admin.getByLabel('People who have no user yet').selectOption('invited');
  await form.getByRole('button', { name: 'Save' }).click();
  await admin.getByText('Saved.').last().waitFor();
  await settled(admin);

  const stranger = await open('/console/', { width: 390, also: issuer });
  await stranger.goto(begin);
  await stranger.getByLabel('Name').fill('bob');
  await stranger.getByRole('button', { name: 'Sign in' }).click();
  await stranger.getByRole('alert').getByText('You may not come in.').waitFor();
  expect(await stranger.locator('nav').count()).toBe(0);
  expect(await violations(stranger)).toEqual([]);
  expect(await stranger.evaluate(sideways)).toBe(0);

  // Ann goes on: she has a user now.
  await page.evaluate(() => fetch('/session', { method: 'DELETE' }));
  await page.goto(begin);
  await page.getByLabel('Name').fill('ann');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('nav').first().waitFor();
});
