// Starts the built program's demo on a free port, and one Chromium for all tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

const program = new URL('../../../bin/drover', import.meta.url).pathname;
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Flags of the browser, in this one place: software drawing, and no call of its own to anywhere. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

declare module 'vitest' {
  interface ProvidedContext {
    base: string;
    browser: string;
  }
}

/** Waits for the line that says where the demo listens. */
function address(demo: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    demo.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
      if (found) resolve(found[0]);
    });
    demo.stderr?.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    demo.on('exit', (code) => reject(new Error(`the demo ended with ${code}: ${text}`)));
  });
}

export default async function setup(project: TestProject) {
  const executablePath = process.env.CHROMIUM ?? browsers.find(existsSync);
  if (!executablePath) throw new Error('no Chromium was found; scripts/test-tools installs it, or set CHROMIUM');
  const demo = spawn(program, ['demo', '--listen', '127.0.0.1:0', '--allow-network', '127.0.0.1/32'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = await chromium.launchServer({ executablePath, args: flags });
  project.provide('base', await address(demo));
  project.provide('browser', server.wsEndpoint());
  return async () => {
    await server.close();
    const ended = new Promise((resolve) => demo.on('exit', resolve));
    demo.kill('SIGTERM');
    await ended;
  };
}
