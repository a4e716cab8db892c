// How long after something happened the feed says so.
import type { Schema } from '../../api/client.ts';

type Event = Pick<Schema['Event'], 'type' | 'timestamp' | 'data'>;

/** When what an event is about happened, where it says so. */
export function happened(event: Event): string | undefined {
  const data = event.data as {
    positions?: { timestamp: string }[];
    occurred_at?: string;
    end_time?: string;
    state?: string;
    state_since?: string | null;
  };
  if (event.type === 'position.updated')
    return data.positions
      ?.map((p) => p.timestamp)
      .sort()
      .at(-1);
  if (event.type === 'trip.completed') return data.end_time;
  // Silence is noticed by its length, which is no lag.
  if (event.type === 'device.state_changed' && data.state !== 'silent') return data.state_since ?? undefined;
  return data.occurred_at;
}

/** The seconds between what happened and the event about it; undefined where the event does not say when that was. */
export function lag(event: Event): number | undefined {
  const then = happened(event);
  return then === undefined ? undefined : Math.max(0, (Date.parse(event.timestamp) - Date.parse(then)) / 1000);
}
