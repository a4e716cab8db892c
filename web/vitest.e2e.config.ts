import { defineConfig } from 'vitest/config';

// The journeys run in a real Chromium against the built program, two files at a time: each
// has a demo of its own, and waits about as long as it works. What a test waits for has 90 seconds to happen, which
// only a broken thing needs; a test waits for several things, one after the other.
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/e2e/setup.ts'],
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000, interval: 50 } },
    reporters: ['default'],
  },
});
