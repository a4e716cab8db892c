// The queries of the console, in one place with those of account.ts and records.ts: two screens
// with the same query share its answer.
import { present } from '../lib/present.ts';
import type { Grid } from '../map/near.ts';
import type { Track } from '../map/track.ts';
import { api, data, every, type Page, page, type Schema } from './client.ts';
import type { Newest } from './columns.ts';
import { countStates, loadNewest, loadNewestOf, type StateCounts } from './fleet.ts';
import type { LiveEvent } from './live-feed.ts';
import type { Ask, AskPages } from './query.svelte.ts';
import { fromWay, loadTrack, type Position } from './track.ts';
import { loadStops, loadTotals, loadTrips, type Stop, type TripFilter } from './trips.ts';

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const iso = (time: number) => new Date(time).toISOString();

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

/** Some devices, one by one; what cannot be read is left out. */
export const devicesOf = (ids: string[]): Ask<Schema['Device'][]> => ({
  key: ['device', 'some', ...ids],
  load: async () => {
    const found = await Promise.allSettled(ids.map((id) => device(id).load()));
    return found.flatMap((f) => (f.status === 'fulfilled' ? [f.value] : []));
  },
  enabled: ids.length > 0,
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

export type MilestoneEntry = Schema['MilestoneUpdateEntry'];

// Who is due first comes first: the late ones are among a thousand of these, but need not
// be among the oldest or the newest.
const dueFirst = { sort: 'end_time', limit: 1000 } as const;

/** Where the devices of the milestones of a status are, and how late. */
export const milestoneUpdates = (status: MilestoneEntry['status']): Ask<MilestoneEntry[]> => ({
  key: ['milestone', 'updates', status],
  load: async () => (await page(api.GET('/milestone/update', { params: { query: { status, ...dueFirst } } }))).items,
  every: minute / 4,
});

/** A milestone, and where its device is while it has not ended. */
export interface Journey {
  milestone: Schema['Milestone'];
  update: MilestoneEntry | undefined;
}

/** The milestones of a status: what has ended newest first, the others as they are due. */
export const milestoneList = (status: MilestoneEntry['status']): AskPages<Journey> => ({
  key: ['milestone', 'list', status],
  load: (cursor) => (status === 'trip_ended' ? endedMilestones(cursor) : openMilestones(status, cursor)),
  every: minute / 4,
});

async function endedMilestones(cursor: string | undefined): Promise<Page<Journey>> {
  const query = { status: 'trip_ended', sort: 'updated_at', order: 'desc', limit: 100, cursor } as const;
  const { items, next } = await page(api.GET('/milestone', { params: { query } }));
  return { items: items.map((milestone) => ({ milestone, update: undefined })), next };
}

async function openMilestones(status: MilestoneEntry['status'], cursor: string | undefined): Promise<Page<Journey>> {
  const params = { query: { status, ...dueFirst, cursor } };
  const [list, updates] = await Promise.all([
    page(api.GET('/milestone', { params })),
    page(api.GET('/milestone/update', { params })),
  ]);
  const of = new Map(updates.items.map((update) => [update.milestone_id, update]));
  return { items: list.items.map((milestone) => ({ milestone, update: of.get(milestone.id) })), next: list.next };
}

/** How many trips of a window are invalid, up to a thousand. */
export const invalidTrips = (from: string, to: string): Ask<Schema['Trip'][]> => ({
  key: ['trip', 'invalid', from, to],
  load: async () =>
    (await page(api.GET('/trip', { params: { query: { from, to, is_valid: false, limit: 1000 } } }))).items,
});

// Search.

export const search = (q: string): Promise<Schema['Finding'][]> =>
  data(api.GET('/search', { params: { query: { q, limit: 20 } } }));

/** Which of some trips are there: one that a note is about may have gone when trips were recomputed. */
export const tripsThere = (ids: string[]): Ask<Set<string>> => ({
  key: ['trip', 'there', ...ids],
  load: async () => {
    const found = await Promise.all(ids.map((id) => search(id)));
    return new Set(found.flat().flatMap(({ kind, id }) => (kind === 'trip' ? [id] : [])));
  },
  enabled: ids.length > 0,
});

// Vehicles.

export interface DeviceRow {
  device: Schema['Device'];
  newest: Newest | undefined;
}

interface DeviceFilter {
  q?: string;
  state?: Schema['DeviceState'];
  connection_id?: string;
  sort: 'description' | 'registration' | 'position_time' | 'id';
  order: 'asc' | 'desc';
}

export const deviceList = (filter: DeviceFilter): AskPages<DeviceRow> => ({
  key: ['device', 'list', filter],
  load: async (cursor) => {
    const got = await page(api.GET('/device', { params: { query: { ...filter, limit: 50, cursor } } }));
    const newest = new Map((await loadNewestOf(got.items.map((d) => d.id))).map((n) => [n.id, n]));
    return { items: got.items.map((device) => ({ device, newest: newest.get(device.id) })), next: got.next };
  },
  every: minute / 2,
});

export const deviceSettings = (id: string): Ask<Schema['DeviceSettings']> => ({
  key: ['device', id, 'settings'],
  load: () => data(api.GET('/device/{device_id}/settings', { params: { path: { device_id: id } } })),
});

export const newestOf = (id: string): Ask<Newest | null> => ({
  key: ['newest', id],
  load: () => loadNewest(id),
  every: minute / 4,
  keep: false,
});

/** How many vehicles there are in each state. */
export const fleetStates = (): Ask<StateCounts> => ({
  key: ['newest', 'states'],
  load: countStates,
  every: minute / 2,
});

export const newestPositions = (): Ask<Schema['NewestPosition'][]> => ({
  key: ['position', 'places'],
  load: () => data<Schema['NewestPosition'][]>(api.GET('/position') as never),
});

export const positionsOf = (id: string, from: number, to: number): AskPages<Position> => ({
  key: ['position', id, String(from)],
  load: (cursor) => {
    const query = { from: iso(from), to: iso(to), include_suspect: true, limit: 100, cursor };
    return page(api.GET('/device/{device_id}/positions', { params: { path: { device_id: id }, query } }) as never);
  },
});

export const trackOfDay = (id: string, from: number, to: number): Ask<Track> => ({
  key: ['track', id, String(from)],
  load: () => loadTrack(id, from, to),
});

/** The towns of the world, by which places are named. */
export const towns = (): Ask<Grid> => ({
  key: ['basemap', 'towns'],
  load: async () => (await import('../map/basemap.ts')).loadTowns(),
});

// Trips and stops.

export const tripList = (filter: TripFilter): AskPages<Schema['Trip']> => ({
  key: ['trip', 'list', filter],
  load: (cursor) => loadTrips(filter, cursor),
});

export const tripTotals = (filter: TripFilter): Ask<Schema['TripSums']> => ({
  key: ['trip', 'totals', filter],
  load: () => loadTotals(filter),
});

export const trip = (id: string): Ask<Schema['Trip']> => ({
  key: ['trip', id],
  load: () => data(api.GET('/trip/{trip_id}', { params: { path: { trip_id: id } } })),
});

export const tripExplanation = (id: string): Ask<Schema['TripExplanation']> => ({
  key: ['trip', id, 'explanation'],
  load: () => data(api.GET('/trip/{trip_id}/explanation', { params: { path: { trip_id: id } } })),
});

export const tripPath = (id: string): Ask<Track> => ({
  key: ['trip', id, 'path'],
  load: async () => {
    const call = api.GET('/trip/{trip_id}/path', { params: { path: { trip_id: id }, query: { tolerance: 5 } } });
    return fromWay(await data<Schema['Track']>(call as never));
  },
});

/** The newest trips of a vehicle. */
export const tripsOf = (id: string): Ask<Schema['Trip'][]> => ({
  key: ['trip', 'others', id],
  load: async () =>
    (await page(api.GET('/trip', { params: { query: { device_id: id, order: 'desc', limit: 50 } } }))).items,
});

/** The trips of a vehicle's day. A trip belongs to a day by its start; one of the day before may reach into it. */
export const tripsOfDay = (id: string, from: number, to: number): Ask<Schema['Trip'][]> => ({
  key: ['trip', 'day', id, String(from)],
  load: async () => {
    const query = { device_id: id, from: iso(from - day), to: iso(to), limit: 1000 };
    const { items } = await page(api.GET('/trip', { params: { query } }));
    return items.filter((trip) => Date.parse(trip.end_time ?? trip.start_time ?? '') > from);
  },
});

export const stops = (filter: TripFilter): AskPages<Stop> => ({
  key: ['stop', filter],
  load: (cursor) => loadStops(filter, cursor),
});

/** The jobs that recompute trips, newest first. */
export const recomputes = (): Ask<Schema['Recompute'][]> => ({
  key: ['recompute'],
  load: async () =>
    (
      await every((cursor) => page(api.GET('/trip-recompute', { params: { query: { limit: 1000, cursor } } })))
    ).reverse(),
  every: 2 * second,
});

// Milestones.

/** The milestones of a vehicle, newest first. */
export const milestonesOf = (device: string): AskPages<Schema['Milestone']> => ({
  key: ['milestone', 'of', device],
  load: (cursor) => {
    const query = { device_id: device, order: 'desc' as const, limit: 100, cursor };
    return page(api.GET('/milestone', { params: { query } }));
  },
});

export const milestoneEvents = (id: string): Ask<Page<Schema['Event']>> => ({
  key: ['milestone', id, 'events'],
  load: () =>
    page(
      api.GET('/milestone/{milestone_id}/event', { params: { path: { milestone_id: id }, query: { limit: 1000 } } }),
    ),
  every: minute / 4,
});

/** The arrivals that were predicted, oldest first. */
export const arrivalHistory = (id: string): Ask<Page<Schema['ETAPrediction']>> => ({
  key: ['milestone', id, 'eta'],
  load: () => {
    const params = { path: { milestone_id: id }, query: { limit: 1000 } };
    return page(api.GET('/milestone/{milestone_id}/eta-history', { params }));
  },
  every: minute / 2,
});

/** The way of a milestone's vehicle since it started, up to its end or to now. */
export const milestoneWay = (id: string, device?: string, from?: string, to?: string): Ask<Track> => ({
  key: ['milestone', id, 'way', from ?? '', to ?? ''],
  load: () => loadTrack(device ?? '', Date.parse(from ?? ''), to ? Date.parse(to) + second : present(), 20),
  every: to ? undefined : minute / 2,
  enabled: device !== undefined && from !== undefined,
});

export const milestoneLinks = (id: string): Ask<Schema['MilestoneLink'][]> => ({
  key: ['milestone', id, 'links'],
  load: () => data(api.GET('/milestone/{milestone_id}/share', { params: { path: { milestone_id: id } } })),
});

// Events and deliveries.

interface EventFilter {
  type?: Schema['EventType'][];
  device_id?: string;
  connection_id?: string;
  from?: string;
  to?: string;
}

export const events = (filter: EventFilter): AskPages<Schema['Event']> => ({
  key: ['event', 'list', filter],
  load: (cursor) => page(api.GET('/event', { params: { query: { ...filter, order: 'desc', cursor, limit: 50 } } })),
});

export const newestEvents = (type: Schema['EventType'][], limit: number): Ask<Page<Schema['Event']>> => ({
  key: ['event', 'ticker'],
  load: () => page(api.GET('/event', { params: { query: { type, order: 'desc', limit } } })),
});

/** The newest events of a vehicle; none where they cannot be read. */
export const eventsOf = (device: string): Ask<LiveEvent[]> => ({
  key: ['event', 'of', device],
  load: async () => {
    const call = api.GET('/event', { params: { query: { order: 'desc', device_id: device, limit: 100 } } });
    const { items } = await page<LiveEvent>(call as never).catch(() => ({ items: [] as LiveEvent[] }));
    return items.filter((event) => event.device_id === device);
  },
});

/** The newest event of a type, as an example; null where there is none. */
export const eventSample = (type: string | undefined): Ask<Schema['Event'] | null> => ({
  key: ['event', 'sample', type ?? ''],
  load: async () => {
    const query = { type: [type as Schema['EventType']], order: 'desc' as const, limit: 1 };
    return (await page(api.GET('/event', { params: { query } }))).items[0] ?? null;
  },
  enabled: type !== undefined,
  keep: false,
});

interface DeliveryFilter {
  webhook_id?: string;
  state?: string;
  code?: string;
  type?: string;
}

export const deliveries = (filter: DeliveryFilter, limit: number): AskPages<Schema['DeliverySummary']> => ({
  key: ['webhook', 'delivery', filter],
  load: (cursor) => page(api.GET('/delivery', { params: { query: { ...filter, cursor, limit } } } as never)),
  every: 5 * second,
});

export const delivery = (id: string): Ask<Schema['DeliveryDetail']> => ({
  key: ['webhook', 'delivery', 'one', id],
  load: () => data(api.GET('/delivery/{delivery_id}', { params: { path: { delivery_id: id } } })),
  every: 5 * second,
  keep: false,
});

/** What a webhook still has to deliver. */
export const webhookWaiting = (id: string): Ask<Page<Schema['DeliverySummary']>> => ({
  key: ['webhook', id, 'waiting'],
  load: () => page(api.GET('/delivery', { params: { query: { webhook_id: id, state: 'pending', limit: 100 } } })),
  every: 10 * second,
});

/** When the secret of a webhook was rotated last. */
export const secretRotations = (id: string): Ask<Page<Schema['Audit']>> => ({
  key: ['webhook', id, 'rotations'],
  load: () => {
    const query = { action: 'webhook.rotate-secret.create', record_id: id, outcome: 'done' as const, limit: 1 };
    return page(api.GET('/audit', { params: { query } }));
  },
});

// Exports and reports.

export const exportJobs = (): AskPages<Schema['Export']> => ({
  key: ['export'],
  load: (cursor) => page(api.GET('/export', { params: { query: { cursor, limit: 50 } } })),
  every: 2 * second,
});

export const timeUse = (month: string): Ask<Schema['TimeUse']> => ({
  key: ['report', month],
  load: () => data<Schema['TimeUse']>(api.GET('/report/time-use', { params: { query: { month } } }) as never),
});
