import { defineConfig } from 'vitest/config';

// The journeys run in a real Chromium against the built program, one after the other:
// they share one demo and the machine's cores.
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/e2e/setup.ts'],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    reporters: ['default'],
  },
});
