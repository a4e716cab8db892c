import { expect, test } from 'vitest';
import type { Schema } from '../../../src/api/client.ts';
import { dayOfHours, fold } from '../../../src/screens/webhook/state.ts';

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

test('what a webhook skipped in a row is one row, and nothing else is', () => {
  const of = (id: string, state: string, webhook_id = 'w1') =>
    ({ id, state, webhook_id, milestone_id: null }) as Schema['DeliverySummary'];
  const rows = fold([
    of('1', 'skipped'),
    of('2', 'skipped'),
    of('3', 'skipped', 'w2'),
    of('4', 'failed'),
    of('5', 'failed'),
    of('6', 'skipped'),
  ]);
  expect(rows.map((r) => [r.first.id, r.count])).toEqual([
    ['1', 2],
    ['3', 1],
    ['4', 1],
    ['5', 1],
    ['6', 1],
  ]);
});
