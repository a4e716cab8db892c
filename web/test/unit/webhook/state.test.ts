import { expect, test } from 'vitest';
import { dayOfHours } from '../../../src/screens/webhook/state.ts';

test('a day has all of its hours, also those without an attempt', () => {
  const now = Date.parse('2026-07-02T11:30:00Z');
  const of = (hour: string, attempts: number) => ({ hour, attempts });
  const day = dayOfHours(
    [
      of('2026-07-01T11:00:00Z', 9),
      of('2026-07-01T12:00:00Z', 1),
      of('2026-07-02T09:00:00Z', 2),
      of('2026-07-02T11:00:00Z', 3),
    ],
    now,
  );
  expect(day).toHaveLength(24);
  expect([day[0], day[21], day[22], day[23]]).toEqual([1, 2, 0, 3]);
  expect(day.reduce((sum, n) => sum + n)).toBe(6);
});
