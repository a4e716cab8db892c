// Records newest first. The API lists stops by their start, oldest first, so they are read
// in windows that go back in time; a window that holds too much is quartered.
import { api, data, type Page, page, type Schema } from './client.ts';

export interface TripFilter {
  device?: string;
  connection?: string;
  tag?: string;
  /** The provider's id of a driver, which is one's own only within a connection. */
  driver?: string;
  valid?: boolean;
  from: number;
  to: number;
}

const enough = 100;
// A window is quartered where it has more than a screen can show at once, the shortest where the API has more.
const atOnce = 200;
const most = 1000;
const day = 86_400_000;
const shortest = 60_000;

const common = (filter: TripFilter, from: number, to: number, limit: number) => ({
  device_id: filter.device,
  connection_id: filter.connection,
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  limit,
});

export const loadTrips = (filter: TripFilter, cursor: string | undefined): Promise<Page<Schema['Trip']>> =>
  page(
    api.GET('/trip', {
      params: {
        query: {
          ...common(filter, filter.from, filter.to, enough),
          is_valid: filter.valid,
          tag: filter.tag,
          driver_id: filter.driver,
          order: 'desc',
          cursor,
        },
      },
    }),
  );

/** What all trips of a filter come to; sums are of the valid ones. */
export const loadTotals = (filter: TripFilter): Promise<Schema['TripSums']> => {
  const { limit: _, ...asked } = common(filter, filter.from, filter.to, enough);
  const query = { ...asked, is_valid: filter.valid, tag: filter.tag, driver_id: filter.driver };
  return data(api.GET('/trip/totals', { params: { query } }));
};

/** A vehicle's stop between two trips, or since the last one. */
export type Stop = Schema['Stop'];

/** The kind of an export of stops. */
export const stopKind = 'stop' satisfies Schema['ExportKind'];

export const loadStops = (filter: TripFilter, cursor: string | undefined): Promise<Page<Stop>> =>
  loadBack(filter, cursor, (from, to, limit) =>
    page(api.GET('/stop', { params: { query: common(filter, from, to, limit) } })),
  );

/** The records before the cursor, which is the time up to which they were not read yet. */
export async function loadBack<T>(
  filter: { from: number; to: number },
  cursor: string | undefined,
  window: (from: number, to: number, limit: number) => Promise<Page<T>>,
): Promise<Page<T>> {
  const items: T[] = [];
  let end = cursor ? Number(cursor) : filter.to;
  let span = day;
  while (end > filter.from && items.length < enough) {
    const start = Math.max(filter.from, end - span);
    const got = await window(start, end, span > shortest ? atOnce : most);
    if (got.next && span > shortest) {
      span /= 4;
      continue;
    }
    items.push(...got.items.reverse());
    end = start;
    // Empty stretches are crossed with longer steps.
    if (got.items.length < enough / 4) span *= 4;
  }
  return { items, next: end > filter.from ? String(end) : undefined };
}
