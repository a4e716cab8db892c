// The console over PostgreSQL: the same words on the same pages.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { newDemo } from './demo.ts';
import { call, enter, settled, useDemo, visit } from './page.ts';

const unprivileged = 65_534; // PostgreSQL refuses to run as root
const folder = mkdtempSync(join(tmpdir(), 'drover-console-pg-'));
let server: ChildProcess | undefined;

useDemo(async () => {
  const all = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const newest = all.sort((a, b) => Number(b) - Number(a))[0];
  const bin = newest && `/usr/lib/postgresql/${newest}/bin`;
  if (!bin) throw new Error('no PostgreSQL was found; scripts/test-tools installs it');
  const who = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};
  if ('uid' in who) chownSync(folder, unprivileged, unprivileged);
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'drover', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...who, cwd: folder },
  );
  server = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'], {
    ...who,
    cwd: folder,
    stdio: 'ignore',
  });
  // Its socket answers before it takes anyone in: the last line of this file says when it does.
  await vi.waitFor(() => expect(readFileSync(join(data, 'postmaster.pid'), 'utf8')).toMatch(/^ready/m), {
    timeout: 90_000,
  });
  const { base, stop } = await newDemo('--database', `postgres://drover@/postgres?host=${folder}`);
  return { base, stop: () => stop().then(end) };
});

/** Ends the database, after the service that uses it. */
async function end(): Promise<void> {
  const ended = new Promise((resolve) => server?.on('exit', resolve));
  server?.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** The day before the demo's start: more of the past comes meanwhile, and the screen shows a page. */
const lastDay = 'from=2026-11-14T12:00:00.000Z&to=2026-11-15T12:00:00.000Z';

test('every list shows what the API has', async () => {
  const page = await enter('/console/');
  await page.getByRole('heading', { level: 2, name: /Needs attention/ }).waitFor();
  await settled(page);
  await page.getByText('Yarra Cold Chain is failing').waitFor();
  for (const [path, list] of [
    ['connection', '/connection'],
    ['webhook', '/webhook'],
    [`trip?valid=no&${lastDay}`, `/trip?is_valid=false&${lastDay}&limit=1000`],
  ] as const) {
    await visit(page, `/console/${path}`);
    const same = async () => (await page.locator('tbody tr').count()) - (await call(list)).data.length;
    await expect.poll(same).toBe(0);
  }
  await visit(page, '/console/event');
  await page.locator('tbody tr').first().waitFor();
});
