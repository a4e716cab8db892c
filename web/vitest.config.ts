import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { basemap } from './build/basemap.ts';

// Nothing here waits for long; the time is for a machine that does much else.
export default defineConfig({
  plugins: [svelte(), basemap()],
  test: { include: ['test/unit/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
});
