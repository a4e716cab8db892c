// The browser that is measured, with the same flags for every figure.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? browsers.find(existsSync),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--enable-precise-memory-info',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
    ],
  });
