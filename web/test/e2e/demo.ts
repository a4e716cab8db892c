// The built program's demo on a free port: each file of tests has one of its own, so
// that none sees what another has changed.
import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The built program. */
export const program = new URL('../../../bin/drover', import.meta.url).pathname;

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

/** Always the same moment: vehicles are under way, and no day or month ends while tests run. */
const start = '2026-11-15T12:00:00Z';

/** Starts a demo on a free port. */
export const demo = (...more: string[]) =>
  run(['demo', '--listen', '127.0.0.1:0', '--allow-network', '127.0.0.1/32', '--start', start, ...more]);

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
