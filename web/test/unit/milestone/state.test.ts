import { expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

browser();
vi.useFakeTimers({ now: new Date('2026-07-01T12:00:00Z') });
const { byLateness, latestFirst } = await import('../../../src/screens/milestone/state.ts');

const journey = (id: string, start: string, end: string | null, eta: string | null) =>
  ({
    milestone: { id, status: 'trip_in_progress', start_time: start, end_time: end },
    update: { eta, current_position: null },
  }) as unknown as Parameters<typeof byLateness>[0];

test('the latest comes first, and what is not known to be late by its start', () => {
  const all = [
    journey('open later', '2026-07-01T09:00:00Z', null, '2026-07-01T13:00:00Z'),
    journey('early', '2026-07-01T10:00:00Z', '2026-07-01T14:00:00Z', '2026-07-01T13:00:00Z'),
    journey('open', '2026-07-01T08:00:00Z', null, null),
    journey('overdue', '2026-07-01T11:00:00Z', '2026-07-01T11:30:00Z', null),
    journey('late', '2026-07-01T10:00:00Z', '2026-07-01T12:00:00Z', '2026-07-01T15:00:00Z'),
  ];
  expect(all.toSorted(byLateness).map((j) => j.milestone.id)).toEqual([
    'late',
    'overdue',
    'early',
    'open',
    'open later',
  ]);
});

test('of a list of updates the latest comes first, and unknown is no lateness', () => {
  const all = [null, -60, null, 900, 0].map((late_by_seconds) => ({ late_by_seconds }));
  const sorted = (all as unknown as Parameters<typeof latestFirst>[0][]).toSorted(latestFirst);
  expect(sorted.map((m) => m.late_by_seconds)).toEqual([900, 0, -60, null, null]);
});
