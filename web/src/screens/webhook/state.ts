// The states of a webhook and its deliveries, in words and shapes.
import type { Schema } from '../../api/client.ts';
import type { Key } from '../../lib/i18n.svelte.ts';
import type { Tone } from '../../ui/Badge.svelte';

type Webhook = Schema['Webhook'];

export function webhookState(w: Webhook): { tone: Tone; label: Key } {
  if (w.enabled)
    return w.error_count > 0 ? { tone: 'bad', label: 'webhook.failing' } : { tone: 'good', label: 'webhook.enabled' };
  return w.error_count > 0
    ? { tone: 'bad', label: 'webhook.disabledByErrors' }
    : { tone: 'quiet', label: 'webhook.disabled' };
}

export const deliveryTones: Record<string, Tone> = {
  pending: 'accent',
  delivered: 'good',
  failed: 'bad',
  skipped: 'quiet',
  superseded: 'quiet',
};

export const deliveryStates = ['pending', 'delivered', 'failed', 'skipped', 'superseded'] as const;

/** How many filters narrow what is sent. */
export function filterCount({ filters: f }: Webhook): number {
  return (
    (f.event_types?.length ?? 0) +
    f.connection_ids.length +
    f.tags.length +
    f.device_ids.length +
    f.connection_devices.length
  );
}

const hour = 3_600_000;

/** The attempts of each of the 24 hours until now: an hour without any is not in the service's list. */
export function dayOfHours(hours: Pick<Schema['WebhookHour'], 'hour' | 'attempts'>[], now: number): number[] {
  const known = new Map(hours.map((h) => [Math.floor(Date.parse(h.hour) / hour), h.attempts]));
  const last = Math.floor(now / hour);
  return Array.from({ length: 24 }, (_, i) => known.get(last - 23 + i) ?? 0);
}

/** A delivery, or the newest of several in a row that were skipped. */
export interface Row {
  first: Schema['DeliverySummary'];
  count: number;
}

/** fold makes one row of deliveries of a webhook that were skipped one after the other. */
export function fold(list: Schema['DeliverySummary'][]): Row[] {
  const rows: Row[] = [];
  for (const next of list) {
    const last = rows.at(-1);
    const same = last?.first.webhook_id === next.webhook_id && last?.first.milestone_id === next.milestone_id;
    if (last && same && last.first.state === 'skipped' && next.state === 'skipped') last.count++;
    else rows.push({ first: next, count: 1 });
  }
  return rows;
}
