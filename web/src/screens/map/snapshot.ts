// The newest position and the state of every device, with the sequence of the feed
// for which they are true.
import { api, page } from '../../api/client.ts';
import { toApiError } from '../../api/errors.ts';
import { authorization } from '../../api/session.svelte.ts';

/** Fix is a device's newest position and state; without a position only the state is known. */
export type Newest = {
  id: string;
  lng: number | null;
  lat: number | null;
  heading: number | null;
  speed: number | null;
  driver: string | null;
  time: number | null;
  state: string | null;
  since: number | null;
};

/** Snapshot is the whole fleet at a sequence. */
export type Snapshot = { rows: Newest[]; sequence: string | null };

/** loadSnapshot asks for the newest positions of all devices. */
export async function loadSnapshot(): Promise<Snapshot> {
  const response = await fetch('/position?format=columns', { headers: authorization() });
  if (response.status === 404) return (await import('./interim.ts')).loadSnapshot();
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw toApiError(response, body);
  return { rows: fromColumns(body.data), sequence: response.headers.get('x-event-sequence') };
}

type Columns = { device_id: string[]; [column: string]: unknown[] };

/** fromColumns makes rows of columns. */
export function fromColumns(columns: Columns): Newest[] {
  const text = (name: string, i: number) => (columns[name]?.[i] as string | null | undefined) ?? null;
  const value = (name: string, i: number) => (columns[name]?.[i] as number | null | undefined) ?? null;
  const instant = (name: string, i: number) => {
    const at = columns[name]?.[i];
    return at == null ? null : typeof at === 'number' ? at : Date.parse(at as string);
  };
  return columns.device_id.map((id, i) => ({
    id,
    lng: value('longitude', i),
    lat: value('latitude', i),
    heading: value('heading', i),
    speed: value('speed_kph', i),
    driver: text('driver_id', i),
    time: instant('timestamp', i),
    state: text('state', i),
    since: instant('state_since', i),
  }));
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
export async function loadDevices(): Promise<Device[]> {
  const all: Device[] = [];
  let cursor: string | undefined;
  do {
    const next = await page<Device>(api.GET('/device', { params: { query: { limit: 1000, cursor } } }) as never);
    all.push(...next.items);
    cursor = next.next;
  } while (cursor);
  return all;
}

/** Connection is whose devices they are. */
export type Connection = { id: string; business_name: string; integration_name: string };

/** loadConnections reads the connections that the devices belong to. */
export async function loadConnections(): Promise<Connection[]> {
  return (await page<Connection>(api.GET('/connection', {}) as never)).items;
}
