// What a connection's health means for a person: in words, and who must act.
import type { Schema } from '../../api/client.ts';
import type { Key } from '../../lib/i18n.svelte.ts';
import type { Tone } from '../../ui/Badge.svelte';

export type HealthState = Schema['Configuration']['health'];

export const tones: Record<HealthState, Tone> = {
  healthy: 'good',
  pending: 'accent',
  degraded: 'warn',
  failing: 'bad',
  disabled: 'quiet',
  archived: 'quiet',
  stalled: 'bad',
};

const parties: Record<Schema['Party'], Key> = {
  fleet: 'who.you',
  vendor: 'who.provider',
  operator: 'who.support',
  drover: 'who.drover',
};

/** Who must act, as the service says. */
export const whoActs = (health: Pick<Schema['ConnectionHealth'], 'acts'> | undefined): Key =>
  parties[health?.acts ?? 'drover'];

/** What to do about an error of this kind. */
export function advice(kind: string | null | undefined): Key {
  switch (kind) {
    case 'credentials':
      return 'advice.credentials';
    case 'rate_limited':
      return 'advice.rateLimited';
    case 'temporary':
      return 'advice.temporary';
    default:
      return 'advice.permanent';
  }
}

/** Whether nothing is read of a connection, because a user wanted it so. */
export const rests = (state: HealthState) => state === 'disabled' || state === 'archived';

/** The job whose trouble is the connection's trouble: the one that has failed most often in a row. */
export function worst(health: Schema['ConnectionHealth'] | undefined): Schema['JobHealth'] | undefined {
  if (!health || rests(health.state)) return undefined;
  return health.jobs
    .filter((s) => s.consecutive_errors > 0)
    .sort((a, b) => b.consecutive_errors - a.consecutive_errors)[0];
}

/** The live jobs, without backfills. */
export const liveJobs = (health: Schema['ConnectionHealth']) => health.jobs.filter((s) => !s.backfill);
export const backfills = (health: Schema['ConnectionHealth']) => health.jobs.filter((s) => s.backfill);

/** How far behind a connection's positions are; undefined where none were read, and where it rests. */
export const lagOf = (health: Schema['ConnectionHealth'] | undefined): number | undefined =>
  health && !rests(health.state)
    ? (liveJobs(health).find((s) => s.kind === 'positions')?.lag_seconds ?? undefined)
    : undefined;

/** How fast a backfill job has gone so far, and how long the rest takes at that speed. */
export function pace(job: Schema['JobHealth'], at: number): { perMinute: number; left: number } | undefined {
  if (!job.backfill || job.state !== 'active') return undefined;
  const done = job.backfill.done_percent / 100;
  const seconds = (at - Date.parse(job.backfill.started_at)) / 1000;
  if (done <= 0 || done >= 1 || seconds <= 0) return undefined;
  return { perMinute: (job.records * 60) / seconds, left: (seconds * (1 - done)) / done };
}
