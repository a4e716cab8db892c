// How far a milestone is from its deadline.
import type { Schema } from '../../api/client.ts';
import type { Journey, MilestoneEntry } from '../../api/queries.ts';
import { present } from '../../lib/time.svelte.ts';
import type { Tone } from '../../ui/Badge.svelte';

type Milestone = Schema['Milestone'];
type Update = Pick<Schema['MilestoneUpdateEntry'], 'eta' | 'current_position'>;

/** Seconds after the deadline at which it is expected to arrive; negative is early, undefined is not known. */
export function lateBy(m: Milestone, update: Update | undefined): number | undefined {
  if (!m.end_time || m.status === 'trip_ended') return undefined;
  const deadline = Date.parse(m.end_time);
  if (update?.eta) {
    const late = (Date.parse(update.eta) - deadline) / 1000;
    return m.status === 'trip_in_progress' || late > 0 ? late : undefined;
  }
  return present() > deadline ? (present() - deadline) / 1000 : undefined;
}

/** Whether it may take as long as it likes. */
export const openEnded = (m: Milestone) => !m.end_time && m.status !== 'trip_ended';

/** The latest first; those of which that is not known come last. */
export const latestFirst = (a: MilestoneEntry, b: MilestoneEntry) =>
  (b.late_by_seconds ?? Number.NEGATIVE_INFINITY) - (a.late_by_seconds ?? Number.NEGATIVE_INFINITY) || 0;

/** The same of a list, where those by which nothing else decides are in the order of their start. */
export function byLateness(a: Journey, b: Journey): number {
  const late = ({ milestone, update }: Journey) => lateBy(milestone, update) ?? Number.NEGATIVE_INFINITY;
  return late(b) - late(a) || a.milestone.start_time.localeCompare(b.milestone.start_time);
}

export const statusTones: Record<Milestone['status'], Tone> = {
  trip_not_started: 'quiet',
  trip_in_progress: 'accent',
  trip_ended: 'good',
};

const earth = 6371.0088;

/** The straight distance between two points in kilometres. */
export function straight(a: Schema['Coordinate'], b: Schema['Coordinate']): number {
  const rad = Math.PI / 180;
  const dLat = (b.latitude - a.latitude) * rad;
  const dLon = (b.longitude - a.longitude) * rad;
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a.latitude * rad) * Math.cos(b.latitude * rad) * Math.sin(dLon / 2) ** 2;
  return 2 * earth * Math.asin(Math.sqrt(h));
}

/** The share of the way that lies behind, from 0 to 1. */
export function progress(m: Milestone, update: Update | undefined): number | undefined {
  if (m.status === 'trip_ended') return 1;
  if (m.status === 'trip_not_started') return 0;
  if (!update?.current_position) return undefined;
  const whole = straight(m.start_point, m.end_point);
  const left = straight(update.current_position, m.end_point);
  return whole > 0 ? Math.min(1, Math.max(0, 1 - left / whole)) : undefined;
}
