// The built program's demo on a free port: each file of tests has one of its own, so
// that none sees what another has changed.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export const password = 'drover-demo';

/** The built program. */
export const program = new URL('../../../bin/drover', import.meta.url).pathname;

/** A port that is free, for an address that has to be known before a service listens. */
export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Waits for the line that says where a service listens. */
export function address(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk;
      const found = /(?:http:\/\/|address=)(127\.0\.0\.1:\d+)/.exec(text);
      if (found) resolve(`http://${found[1]}`);
    };
    service.stdout?.on('data', read);
    service.stderr?.on('data', read);
    service.on('exit', (code) => reject(new Error(`the service ended with ${code}: ${text}`)));
  });
}

/** Runs the program until stop is called. */
export async function run(args: string[], env: NodeJS.ProcessEnv = process.env) {
  const service = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const base = await address(service);
  const stop = async () => {
    const ended = new Promise((resolve) => service.on('exit', resolve));
    service.kill('SIGTERM');
    await ended;
  };
  return { base, stop };
}

/** Always the same moments: vehicles are under way, and no day or month ends while tests run. */
const made = '2026-11-15T11:50:00Z';
const start = '2026-11-15T12:00:00Z';

/** The connection whose credentials are refused. */
const failing = 'Yarra Cold Chain';

const common = ['demo', '--listen', '127.0.0.1:0', '--allow-network', '127.0.0.1/32'];

/** Starts a demo on a free port, which makes its own data. */
export const newDemo = (...more: string[]) => run([...common, '--start', start, ...more]);

/** Starts a demo on a free port, which goes on with a copy of what is in a folder. */
export async function copyOf(from: string, ...more: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'drover-console-'));
  cpSync(from, folder, { recursive: true });
  const { base, stop } = await run([...common, '--data', folder, '--start', start, ...more]);
  return { base, stop: () => stop().then(() => rmSync(folder, { recursive: true })) };
}

/** Makes a demo in a folder, with all of its history: half a minute of work, once for all tests. */
export async function makeDemo(folder: string): Promise<void> {
  const { base, stop } = await run([...common, '--data', folder, '--start', made]);
  const ask = async (path: string, init?: RequestInit) => (await (await fetch(base + path, init)).json()).data;
  const { access_token } = await ask('/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'demo', password }),
  });
  const signed = { headers: { Authorization: `Bearer ${access_token}` } };
  const done = async () => {
    const all: { id: string; business_name: string }[] = await ask('/connection', signed);
    for (const c of all.filter((c) => c.business_name !== failing)) {
      const { jobs }: { jobs: { backfill: { done_percent: number } | null }[] } = await ask(
        `/connection/${c.id}/health`,
        signed,
      );
      if (jobs.some((j) => j.backfill && j.backfill.done_percent < 100)) return false;
    }
    return true;
  };
  for (const until = Date.now() + 300_000; !(await done()); await setTimeout(200))
    if (Date.now() > until) throw new Error('the demo has not read all of its history');
  await stop();
}

/** A way to a service that can be cut and mended: what a bad network does, for all that a browser runs. */
export async function wire(base: string) {
  const { hostname, port } = new URL(base);
  const open = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [a, b] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(a);
      a.pipe(b);
      a.on('error', () => b.destroy());
      a.on('close', () => {
        open.delete(a);
        b.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      whole = false;
      for (const socket of open) socket.destroy();
    },
    mend() {
      whole = true;
    },
    close: () => server.close(),
  };
}
