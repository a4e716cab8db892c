// The newest position and the state of every device, with the sequence of the feed
// for which they are true.
import { api, every, page, type Schema } from './client.ts';
import { fromColumns, type Newest } from './columns.ts';
import { toApiError } from './errors.ts';

export type { Newest } from './columns.ts';

/** Snapshot is the whole fleet at a sequence. */
export type Snapshot = { rows: Newest[]; sequence: string | null };

/** loadSnapshot asks for the newest positions of all devices. */
export async function loadSnapshot(): Promise<Snapshot> {
  const response = await fetch('/position?format=columns');
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw toApiError(response, body);
  return { rows: fromColumns(body.data), sequence: response.headers.get('x-event-sequence') };
}

export type StateCounts = Record<Schema['DeviceState'], number>;

/** countStates counts the vehicles in each state. */
export async function countStates(): Promise<StateCounts> {
  const counts: StateCounts = { driving: 0, idling: 0, stopped: 0, silent: 0 };
  for (const { state } of (await loadSnapshot()).rows)
    if (state && state in counts) counts[state as keyof StateCounts]++;
  return counts;
}

/** Device is what a list of vehicles shows of a device. */
export type Device = {
  id: string;
  system_device_id: string;
  connection_id: string;
  description: string | null;
  registration: string | null;
  tags: string[] | null;
  active: boolean;
};

/** loadDevices reads all devices, a thousand at a time. */
export function loadDevices(): Promise<Device[]> {
  return every((cursor) => page(api.GET('/device', { params: { query: { limit: 1000, cursor } } }) as never));
}

/** Connection is whose devices they are. */
export type Connection = { id: string; business_name: string; integration_name: string };

/** loadConnections reads the connections that the devices belong to. */
export async function loadConnections(): Promise<Connection[]> {
  return (await page<Connection>(api.GET('/connection', {}) as never)).items;
}

/** loadNewestOf asks for the newest positions and the states of some devices; those that never reported are missing. */
export async function loadNewestOf(ids: string[]): Promise<Newest[]> {
  if (!ids.length) return [];
  const asked = new URLSearchParams([['format', 'columns'], ...ids.map((id) => ['device_id', id])]);
  const response = await fetch(`/position?${asked}`);
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw toApiError(response, body);
  return fromColumns(body.data);
}

/** loadNewest asks for the newest position and the state of one device; null where it never reported. */
export const loadNewest = async (id: string): Promise<Newest | null> => (await loadNewestOf([id]))[0] ?? null;
