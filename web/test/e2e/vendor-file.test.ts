// A vendor that a file of the operator's describes: its form, and the file with what the runs used of it.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { address, freePort, password, program, run } from './demo.ts';
import { open, settled, sideways, signIn, useDemo, violations } from './page.ts';

let vendor: string;

useDemo(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-file-'));
  mkdirSync(join(folder, 'vendors'));
  const file = new URL('../../../internal/provider/declared/testdata/motive.yaml', import.meta.url).pathname;
  cpSync(file, join(folder, 'vendors', 'motive.yaml'));
  const drover = (...args: string[]) =>
    execFileSync(program, [...args, '--data', join(folder, 'data')], { input: `${password}\n`, encoding: 'utf8' });
  drover('tenant', 'add', 'north');
  const keeper = ['--username', 'keeper', '--email', 'keeper@north.example', '--role', 'admin'];
  drover('user', 'add', '--tenant', 'north', ...keeper);
  const sandbox = spawn(program, ['sandbox', 'motive', '--listen', `127.0.0.1:${await freePort()}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  vendor = await address(sandbox);
  const { base, stop } = await run([
    ...['serve', '--data', join(folder, 'data'), '--listen', '127.0.0.1:0'],
    ...['--provider-dir', join(folder, 'vendors'), '--allow-network', '127.0.0.1/32'],
  ]);
  return {
    base,
    stop: async () => {
      sandbox.removeAllListeners('exit').kill();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

test('someone connects a vendor that a file describes, and sees what its runs use of the file', async () => {
  const page = await open('/console/connection/new');
  await signIn(page, 'keeper');
  await page.getByLabel('Search providers').fill('motive_file');
  await page.getByRole('button', { name: 'Motive' }).click();

  // The form is that of the file.
  await page.getByText('Made by an administrator in the dashboard.').waitFor();
  await page.getByLabel('API key').fill('sandbox-motive-key');
  await page.getByLabel('Server address').fill(vendor);
  await page.getByText('A file describes this provider').waitFor();
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText('Motive answered').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Business name').fill('Northern Haulage');
  await page.getByRole('button', { name: 'Save and collect' }).click();
  await page.getByRole('heading', { name: 'Northern Haulage' }).waitFor();

  // The first run lists the devices: the lines of that call are marked, and those of the name are not.
  const marked = page.locator('pre .used');
  await expect
    .poll(
      async () => {
        await page.goto(`${page.url().split('?')[0]}?tab=file`);
        await settled(page);
        return marked.count();
      },
      { interval: 1000 },
    )
    .toBeGreaterThan(2);
  await expect.poll(() => marked.allTextContents()).toContainEqual(expect.stringContaining('get: /v1/vehicles'));
  expect(await page.locator('pre .line').first().getAttribute('class')).not.toContain('used');
  expect(await page.getByRole('listitem').filter({ hasText: 'devices' }).first().textContent()).toMatch(
    /lines \d+ to \d+, 1 calls?, \d+ rows/,
  );
  await page.getByText(/The last runs gave.*Vehicles: \d+/).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(sideways)).toBe(0);
});
