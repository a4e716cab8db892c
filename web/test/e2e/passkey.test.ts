// Passkeys, with a device that the browser makes up. They need a name for the service's address.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort, password, program, run } from './demo.ts';
import { open, sideways, signIn, useDemo, violations } from './page.ts';

useDemo(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-passkey-'));
  const data = ['--data', folder];
  const add = (...args: string[]) => execFileSync(program, [...args, ...data], { input: `${password}\n` });
  add('tenant', 'add', 'keys');
  add('user', 'add', '--tenant', 'keys', '--username', 'keeper', '--email', 'keeper@keys.example', '--role', 'admin');
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const { stop } = await run(['serve', '--listen', `127.0.0.1:${port}`, '--public-url', base, ...data]);
  return { base, stop: () => stop().then(() => rmSync(folder, { recursive: true, force: true })) };
});

/** Gives a page a device that verifies its person by itself. */
async function withDevice(page: Page) {
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Whether the person is who the device thinks. */
    verify: (isUserVerified: boolean) => device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

test('a passkey is added, signs in without a password and beside one, and is shown again where it matters', async () => {
  const page = await open('/console/settings', { width: 390 });
  const device = await withDevice(page);
  await signIn(page, 'keeper');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog.getByLabel('Name').fill('My phone');
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('10 recovery codes are left').waitFor();
  await page.getByText('My phone').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(sideways)).toBe(0);

  const signOut = () => page.evaluate(() => fetch('/session', { method: 'DELETE' }).then(() => location.reload()));
  await signOut();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('My phone').waitFor();

  await signOut();
  await page.locator('[name=username]').fill('keeper');
  await page.locator('[name=password]').fill(password);
  await page.locator('[name=password]').press('Enter');
  // A finger that is not that of the person.
  await device.verify(false);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('The passkey was not accepted').waitFor();
  await device.verify(true);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('My phone').waitFor();

  // As the service answers ten minutes later.
  await page.route(
    '**/user/me/passkey/*',
    (route) =>
      route.fulfill({
        status: 403,
        headers: { 'X-Second-Factor': 'required', 'Content-Type': 'application/json' },
        body: JSON.stringify({ error: { code: 403, message: 'A second factor is required' } }),
      }),
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Rename: My phone' }).click();
  await dialog.getByLabel('Name').fill('Old phone');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('Old phone').waitFor();
  await page.getByRole('button', { name: 'Remove: Old phone' }).click();
  await page.getByText('The passkey Old phone was removed').waitFor();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
});
