// What vehicles and their drivers say: readings, faults, safety events, drivers and who drove.
// A share may leave out any of these: what a caller may not see is then empty, and no error.
import { api, data, every, page, type Schema } from './client.ts';
import { ApiError } from './errors.ts';
import type { Ask, AskPages } from './query.svelte.ts';

export type Reading = Schema['Reading'];
export type Fault = Schema['Fault'];
export type SafetyEvent = Schema['SafetyEvent'];
export type Driver = Schema['Driver'];
export type Assignment = Schema['DriverAssignment'];

const minute = 60_000;
const iso = (time: number) => new Date(time).toISOString();

/** What is not shared is not there. */
async function shared<T>(loading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return otherwise;
    throw error;
  }
}

export const newestReadings = (id: string): Ask<Reading[]> => ({
  key: ['reading', id],
  load: () =>
    shared(data(api.GET('/device/{device_id}/reading', { params: { path: { device_id: id } } })), [] as Reading[]),
  every: minute / 2,
  keep: false,
});

/** The readings of some kinds over a day, one in five minutes of each. */
export const readingsOfDay = (id: string, from: number, to: number, kind: Reading['kind'][]): Ask<Reading[]> => ({
  key: ['reading', id, 'day', String(from), ...kind],
  load: () =>
    every((cursor) => {
      const query = { kind, from: iso(from), to: iso(to), every: 300, limit: 1000, cursor };
      return page(api.GET('/device/{device_id}/readings', { params: { path: { device_id: id }, query } }));
    }),
  enabled: kind.length > 0,
});

interface Which {
  device_id?: string[];
  connection_id?: string[];
  from?: string;
  to?: string;
}

export type FaultFilter = Which & { status?: Fault['status'][] };
export type SafetyFilter = Which & { type?: SafetyEvent['type'][]; driver_id?: string[] };

export const faults = (filter: FaultFilter): AskPages<Fault> => ({
  key: ['fault', 'list', filter],
  load: (cursor) => page(api.GET('/fault', { params: { query: { ...filter, order: 'desc', limit: 100, cursor } } })),
  every: minute,
});

export const safetyEvents = (filter: SafetyFilter): AskPages<SafetyEvent> => ({
  key: ['safety', 'list', filter],
  load: (cursor) =>
    page(api.GET('/safety-event', { params: { query: { ...filter, order: 'desc', limit: 100, cursor } } })),
  every: minute,
});

/** The faults that were there, and the dangers that were seen, on a vehicle's day: the newest thousand of each. */
export const incidentsOfDay = (
  id: string,
  from: number,
  to: number,
): Ask<{ faults: Fault[]; dangers: SafetyEvent[] }> => ({
  key: ['incident', id, String(from)],
  load: async () => {
    const query = { device_id: [id], from: iso(from), to: iso(to), order: 'desc' as const, limit: 1000 };
    const [broken, dangerous] = await Promise.all([
      page(api.GET('/fault', { params: { query } })),
      page(api.GET('/safety-event', { params: { query } })),
    ]);
    return { faults: broken.items, dangers: dangerous.items };
  },
  every: minute,
});

interface DriverFilter {
  q?: string;
  connection_id?: string;
  active?: boolean;
}

export const driverList = (filter: DriverFilter): AskPages<Driver> => ({
  key: ['driver', 'list', filter],
  load: (cursor) => page(api.GET('/driver', { params: { query: { ...filter, limit: 100, cursor } } })),
});

/** The first thousand drivers: names for tables. */
export const drivers = (): Ask<Driver[]> => ({
  key: ['driver', 'names'],
  load: async () => (await page(api.GET('/driver', { params: { query: { limit: 1000 } } }))).items,
});

export const driver = (id: string): Ask<Driver> => ({
  key: ['driver', id],
  load: () => data(api.GET('/driver/{driver_id}', { params: { path: { driver_id: id } } })),
});

/** Who drives a vehicle now; null where that is not known. */
export const driverNow = (id: string): Ask<{ of: Assignment; driver: Driver | null } | null> => ({
  key: ['driver', 'now', id],
  load: async () => {
    const call = api.GET('/device/{device_id}/driver', { params: { path: { device_id: id } } });
    const [of] = await shared(data(call), [] as Assignment[]);
    if (!of) return null;
    return { of, driver: of.driver_id ? await driver(of.driver_id).load() : null };
  },
  every: minute,
  keep: false,
});

/** What a driver drove, by start. */
export const assignmentsOf = (id: string, from: number, to: number): Ask<Assignment[]> => ({
  key: ['driver', id, 'assignments', String(from), String(to)],
  load: () =>
    data(api.GET('/driver-assignment', { params: { query: { driver_id: id, from: iso(from), to: iso(to) } } })),
});

export const vendorFile = (id: string): Ask<Schema['ConnectionFile']> => ({
  key: ['connection', id, 'file'],
  load: () => data(api.GET('/connection/{connection_id}/file', { params: { path: { connection_id: id } } })),
});

export const coverage = (id: string): Ask<Schema['Coverage'][]> => ({
  key: ['connection', id, 'coverage'],
  load: () => data(api.GET('/connection/{connection_id}/coverage', { params: { path: { connection_id: id } } })),
});

export type Note = Schema['Note'];

/** The notes about a vehicle and its trips, or about one trip. */
export const notes = (device: string, trip?: string): AskPages<Note> => ({
  key: ['note', device, trip ?? ''],
  load: (cursor) => {
    const params = { path: { device_id: device }, query: { trip_id: trip, limit: 50, cursor } };
    return page(api.GET('/device/{device_id}/note', { params }));
  },
});
