// The head that all pages begin with, in one place.
import type { Plugin } from 'vite';

const head = `
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />`;

export const pageHead = (): Plugin => ({
  name: 'page-head',
  transformIndexHtml: { order: 'pre', handler: (html) => html.replace('<head>', `<head>${head}`) },
});
