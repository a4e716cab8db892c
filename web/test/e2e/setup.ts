// Starts one Chromium for all tests, and makes the demo that each file of tests has a copy of.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { makeDemo } from './demo.ts';

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Flags of the browser, in this one place: software drawing, and no call of its own to anywhere.
 * Without a graphics card only maps are drawn as if there were one; pages, which would be too,
 * take a third of the time without.
 */
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
  '--disable-gpu-compositing',
];

declare module 'vitest' {
  interface ProvidedContext {
    browser: string;
    demo: string;
  }
}

export default async function setup(project: TestProject) {
  const executablePath = process.env.CHROMIUM ?? browsers.find(existsSync);
  if (!executablePath) throw new Error('no Chromium was found; scripts/test-tools installs it, or set CHROMIUM');
  const server = await chromium.launchServer({ executablePath, args: flags, timeout: 120_000 });
  project.provide('browser', server.wsEndpoint());
  const folder = mkdtempSync(join(tmpdir(), 'drover-console-'));
  await makeDemo(folder);
  project.provide('demo', folder);
  return async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  };
}
