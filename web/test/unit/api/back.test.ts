import { expect, test, vi } from 'vitest';

vi.mock('../../../src/api/client.ts', () => ({}));
const { loadBack } = await import('../../../src/api/trips.ts');

const noon = Date.parse('2026-11-15T12:00:00Z');

/** Reads all stops that begin one after the other, the newest at noon, as the API gives them. */
async function read(apart: number, count: number) {
  const starts = Array.from({ length: count }, (_, i) => noon - i * apart).reverse();
  const from = (starts[0] ?? noon) - 1;
  let asked = 0;
  const window = async (start: number, end: number, limit: number) => {
    asked++;
    const within = starts.filter((at) => at >= start && at < end);
    return { items: within.slice(0, limit), next: within.length > limit ? 'more' : undefined };
  };
  const pages: number[][] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await loadBack({ from, to: noon + 1 }, cursor, window);
    pages.push(items);
    cursor = next;
    if (!cursor) break;
  }
  expect(pages.flat()).toEqual(starts.reverse());
  return { asked, longest: Math.max(...pages.map((p) => p.length)) };
}

test.each([
  ['a small fleet', 3_600_000, 400],
  ['a fleet of thirty', 90_000, 3000],
  ['a fleet of ten thousand', 220, 3000],
])('the stops of %s are read without a gap, a screen at once', async (_, apart, count) => {
  const { asked, longest } = await read(apart, count);
  expect(longest).toBeLessThan(300);
  expect(asked).toBeLessThan(count / 10);
});
