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
