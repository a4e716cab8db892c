// Measures the map in a real browser and writes the figures of every run as one
// line of JSON. Each fleet is measured beside the bare map, in turns, since only
// the ratio of two figures of one time says anything.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { launch } from './browser.ts';
import type { Figures } from './page.ts';

const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 5);
const fleets = [10_000, 50_000];

const web = fileURLToPath(new URL('../..', import.meta.url));
const server = await createServer({
  root: web,
  configFile: `${web}vite.config.ts`,
  logLevel: 'error',
  server: { host: '127.0.0.1', port: 0 },
});
await server.listen();
const port = (server.httpServer!.address() as { port: number }).port;
const browser = await launch();

const devtools = await browser.newBrowserCDPSession();

/** The seconds of processor that all of the browser has taken: on a busy machine they say more than a clock. */
async function processorTime(): Promise<number> {
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, process) => sum + process.cpuTime, 0);
}

type Run = Figures & { processorPerFrame: number };

/** One run in a page of its own. */
async function measure(vehicles: number): Promise<Run> {
  const page = await browser.newPage({ viewport: { width: 400, height: 240 } });
  const marks: number[] = [];
  await page.exposeFunction('mark', async () => void marks.push(await processorTime()));
  page.on('pageerror', (error) => console.error(error.message));
  await page.goto(`http://127.0.0.1:${port}/console/test/bench/index.html`);
  await page.waitForFunction(() => 'measure' in window, null, { timeout: 60_000 });
  const figures = await page.evaluate(([n, s]) => window.measure(n as number, s as number), [vehicles, seconds]);
  await page.close();
  const [from = 0, to = 0] = marks;
  return { ...figures, processorPerFrame: ((to - from) * 1000) / Math.max(1, figures.frames) };
}

await measure(0); // the server compiles for the first page
const runs: { bare: Run; fleet: Run }[] = [];
for (let round = 0; round < rounds; round++) {
  for (const vehicles of fleets) {
    const bare = await measure(0);
    runs.push({ bare, fleet: await measure(vehicles) });
  }
}
console.log(JSON.stringify(runs));
await browser.close();
await server.close();
