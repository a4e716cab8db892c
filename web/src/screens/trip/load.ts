// Trips newest first. The API lists them by their start, oldest first, so they are read
// in windows that go back in time; a window that holds more than a page is halved.
import { api, type Page, page, type Schema } from '../../api/client.ts';

export interface TripFilter {
  device?: string;
  connection?: string;
  valid?: boolean;
  from: number;
  to: number;
}

const pageSize = 1000;
const enough = 100;
const day = 86_400_000;
const shortest = 60_000;

async function window(filter: TripFilter, from: number, to: number): Promise<Page<Schema['Trip']>> {
  return page(
    api.GET('/trip', {
      params: {
        query: {
          device_id: filter.device,
          connection_id: filter.connection,
          is_valid: filter.valid,
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          limit: pageSize,
        },
      },
    }),
  );
}

/** The trips before the cursor, which is the time up to which they were not read yet. */
export async function loadTrips(filter: TripFilter, cursor: string | undefined): Promise<Page<Schema['Trip']>> {
  const items: Schema['Trip'][] = [];
  let end = cursor ? Number(cursor) : filter.to;
  let span = day;
  while (end > filter.from && items.length < enough) {
    const start = Math.max(filter.from, end - span);
    const got = await window(filter, start, end);
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
