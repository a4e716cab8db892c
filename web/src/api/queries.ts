// What screens ask for, each question in one place, so that two screens that ask the
// same share the answer.
import { api, data, type Page, page, type Schema } from './client.ts';
import type { Ask } from './query.svelte.ts';

const minute = 60_000;

export const accountSummary = (): Ask<Schema['AccountSummary']> => ({
  key: ['account', 'summary'],
  load: () => data(api.GET('/account/summary')),
  every: minute / 2,
});

export type Days = 7 | 14 | 30 | 90;

export const activity = (days: Days): Ask<Schema['ActivitySummary']> => ({
  key: ['account', 'activity', days],
  load: () => data(api.GET('/account/activity-summary', { params: { query: { days } } })),
  every: minute,
});

export const connections = (): Ask<Schema['Connection'][]> => ({
  key: ['connection', 'list'],
  load: () => data(api.GET('/connection')),
  every: minute / 2,
});

export const connection = (id: string): Ask<Schema['ConnectionWithTags']> => ({
  key: ['connection', id],
  load: () => data(api.GET('/connection/{connection_id}', { params: { path: { connection_id: id } } })),
  every: minute / 6,
});

export const health = (id: string): Ask<Schema['ConnectionDiagnosis']> => ({
  key: ['connection', id, 'health'],
  load: () => data(api.GET('/connection/{connection_id}/health', { params: { path: { connection_id: id } } })),
  every: minute / 6,
});

export type Healths = Map<string, Schema['ConnectionHealth'] & { devices?: number }>;

/** The health of every connection, by its id. */
export const healths = (): Ask<Healths> => ({
  key: ['connection', 'healths'],
  load: async () => {
    const all = await data(api.GET('/connection', { params: { query: { include: 'health' } } }));
    return new Map(all.flatMap((c) => (c.health ? [[c.id, { ...c.health, devices: c.devices }] as const] : [])));
  },
  every: minute / 4,
});

export interface Doubt {
  connection: string;
  reason: string | null;
  since: string;
}

/** The connections whose data contradict themselves, by the newest that was said of each. */
export const doubts = (): Ask<Doubt[]> => ({
  key: ['connection', 'doubts'],
  load: async () => {
    const type: Schema['EventType'][] = ['connection.doubtful', 'connection.trusted'];
    const { items } = await page(api.GET('/event', { params: { query: { type, order: 'desc', limit: 1000 } } }));
    const newest = new Map<string, Schema['Event']>();
    for (const event of items) {
      const id = event.connection_id;
      if (id && !newest.has(id)) newest.set(id, event);
    }
    return [...newest].flatMap(([connection, event]) => {
      if (event.type !== 'connection.doubtful') return [];
      const { reason } = event.data as unknown as { reason: string | null };
      return [{ connection, reason, since: event.timestamp }];
    });
  },
  every: minute,
});

export const providers = (): Ask<Schema['Provider'][]> => ({
  key: ['provider'],
  load: () => data(api.GET('/provider')),
});

export const tags = (): Ask<Schema['ConnectionTag'][]> => ({
  key: ['connection', 'tags'],
  load: () => data(api.GET('/connection-tag')),
});

export const device = (id: string): Ask<Schema['Device']> => ({
  key: ['device', id],
  load: () => data(api.GET('/device/{device_id}', { params: { path: { device_id: id } } })),
});

/** The first thousand devices: names for tables and choices. Larger fleets ask for the rest one by one. */
export const devices = (): Ask<Page<Schema['Device']>> => ({
  key: ['device', 'names'],
  load: () => page(api.GET('/device', { params: { query: { limit: 1000 } } })),
});

export const webhooks = (): Ask<Schema['Webhook'][]> => ({
  key: ['webhook', 'list'],
  load: async () => (await page(api.GET('/webhook', { params: { query: { limit: 1000 } } }))).items,
  every: minute / 2,
});

/** Webhooks with how their deliveries of the last day went. */
export const webhookStats = (): Ask<Schema['WebhookView'][]> => ({
  key: ['webhook', 'stats'],
  load: async () => (await page(api.GET('/webhook', { params: { query: { limit: 1000, include: 'stats' } } }))).items,
  every: minute / 2,
});

export const webhook = (id: string): Ask<Schema['Webhook']> => ({
  key: ['webhook', id],
  load: () => data(api.GET('/webhook/{webhook_id}', { params: { path: { webhook_id: id } } })),
  every: minute / 6,
});

export const milestone = (id: string): Ask<Schema['Milestone']> => ({
  key: ['milestone', id],
  load: () => data(api.GET('/milestone/{milestone_id}', { params: { path: { milestone_id: id } } })),
  every: minute / 4,
});

export const milestoneUpdate = (id: string): Ask<Schema['MilestoneUpdateRecord']> => ({
  key: ['milestone', id, 'update'],
  load: () => data(api.GET('/milestone/{milestone_id}/update', { params: { path: { milestone_id: id } } })),
  every: minute / 4,
});

export type Updates = Map<string, Schema['MilestoneUpdateRecord']>;

/** Where the devices of several milestones are; one that cannot be read is left out, unless none can. */
export const milestoneUpdates = (ids: string[]): Ask<Updates> => ({
  key: ['milestone', 'updates', ...ids],
  load: async () => {
    const found = await Promise.allSettled(ids.map((id) => milestoneUpdate(id).load()));
    if (found.every((f) => f.status === 'rejected')) throw found[0]?.reason;
    return new Map(found.flatMap((f) => (f.status === 'fulfilled' ? [[f.value.milestone_id, f.value] as const] : [])));
  },
  every: minute / 4,
  enabled: ids.length > 0,
});

export const milestones = (status?: Schema['Milestone']['status']): Ask<Page<Schema['Milestone']>> => ({
  key: ['milestone', 'list', status ?? 'all'],
  load: () => page(api.GET('/milestone', { params: { query: { status, limit: 1000 } } })),
  every: minute / 4,
});

/** How many trips of a window are invalid, up to a thousand. */
export const invalidTrips = (from: string, to: string): Ask<Schema['Trip'][]> => ({
  key: ['trip', 'invalid', from, to],
  load: async () =>
    (await page(api.GET('/trip', { params: { query: { from, to, is_valid: false, limit: 1000 } } }))).items,
});
