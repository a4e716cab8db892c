// What a driver drove, day by day in the reader's zone.
import type { Assignment } from '../../api/records.ts';

/** Stretch is a part of a day in which a driver had a vehicle. */
export type Stretch = { device: string; from: number; to: number };

export type DriverDay = { name: string; from: number; to: number; stretches: Stretch[]; seconds: number };

/** daysOf cuts assignments at the ends of days, newest first; an assignment that goes on ends now. */
export function daysOf(
  assignments: Assignment[],
  days: { name: string; from: number; to: number }[],
  now: number,
): DriverDay[] {
  const spans = assignments.map((a) => ({
    device: a.device_id,
    from: Date.parse(a.start_time),
    to: a.end_time ? Date.parse(a.end_time) : now,
  }));
  return days
    .map((day) => {
      const stretches = spans
        .map((s) => ({ ...s, from: Math.max(s.from, day.from), to: Math.min(s.to, day.to) }))
        .filter((s) => s.to > s.from)
        .sort((a, b) => a.from - b.from);
      return { ...day, stretches, seconds: stretches.reduce((sum, s) => sum + (s.to - s.from) / 1000, 0) };
    })
    .filter((day) => day.stretches.length > 0)
    .reverse();
}
