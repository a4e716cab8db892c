import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest; the others fill what is left at the end. */
const first = ['screens-even', 'screens-odd', 'looks', 'journeys', 'live', 'links', 'map', 'keyboard'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = first.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? first.length : at;
    };
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

// The journeys run in a real Chromium against the built program, three files at a time: each
// has a demo of its own, and waits about as long as it works, so that two cores are busy. What a
// test waits for has 90 seconds to happen, which only a broken thing needs; a test waits for
// several things, one after the other.
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/e2e/setup.ts'],
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 300_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000, interval: 50 } },
    reporters: ['default'],
  },
});
