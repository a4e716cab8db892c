// A vehicle of the map's list, and which of them a filter leaves, in which order.

import type { Newest } from '../../api/columns.ts';
import type { Connection, Device } from '../../api/fleet.ts';
import { type State, states } from '../../map/state.ts';

/** Vehicle is a device with its newest position, as the list and the card show it. */
export type Vehicle = Newest & {
  name: string;
  plate: string | null;
  business: string;
  provider: string;
  connectionId: string;
  tags: string[];
  /** found is the text that a filter looks into. */
  found: string;
};

/** Shown is the state of a vehicle in the list: unknown where it never reported. */
export type Shown = State | 'unknown';

/** Filter is what the address says is wanted. */
export type Filter = { words: string[]; states: Shown[]; tag: string; connection: string; provider: string };

const never: Newest = {
  id: '',
  lng: null,
  lat: null,
  heading: null,
  speed: null,
  driver: null,
  time: null,
  state: null,
  since: null,
};

/** makeVehicle joins what is known of a device. */
export function makeVehicle(device: Device, connection: Connection | undefined, newest: Newest | undefined): Vehicle {
  const name = device.description || device.registration || device.system_device_id;
  const tags = device.tags ?? [];
  const parts = [name, device.registration, device.system_device_id, connection?.business_name, ...tags];
  return {
    ...(newest ?? never),
    id: device.id,
    name,
    plate: device.registration && device.registration !== name ? device.registration : null,
    business: connection?.business_name ?? '',
    provider: connection?.integration_name ?? '',
    connectionId: device.connection_id,
    tags,
    found: parts.filter(Boolean).join(' ').toLowerCase(),
  };
}

/** shownState is the state that a vehicle is shown with. */
export function shownState(vehicle: Newest): Shown {
  if (vehicle.lng === null || vehicle.state === null) return 'unknown';
  return states.includes(vehicle.state as State) ? (vehicle.state as State) : 'silent';
}

// Made once: comparing ten thousand names without it takes a quarter of a second.
const names = new Intl.Collator(undefined, { numeric: true });

/** byName is the order of vehicles that are in the same state. */
export const byName = (a: Vehicle, b: Vehicle): number => names.compare(a.name, b.name);

/** passes reports whether a filter leaves a vehicle, whatever it does. */
function passes(vehicle: Vehicle, filter: Filter): boolean {
  if (filter.connection && vehicle.connectionId !== filter.connection) return false;
  if (filter.provider && vehicle.provider !== filter.provider) return false;
  if (filter.tag && !vehicle.tags.includes(filter.tag)) return false;
  return filter.words.every((word) => vehicle.found.includes(word));
}

// What needs a person comes first: who fell silent, who burns fuel at a stop.
const attention: Shown[] = ['silent', 'idling', 'driving', 'stopped', 'unknown'];

/** Found is what a filter leaves of a fleet: the list, and how many there are of each state, wanted or not. */
export type Found = { listed: Vehicle[]; counts: Record<Shown, number> };

/**
 * find goes through vehicles that are in the order of their names. A fleet that moves is gone
 * through twice a second: nothing is sorted here.
 */
export function find(vehicles: Vehicle[], filter: Filter): Found {
  const found: Record<Shown, Vehicle[]> = { driving: [], idling: [], stopped: [], silent: [], unknown: [] };
  for (const vehicle of vehicles) if (passes(vehicle, filter)) found[shownState(vehicle)].push(vehicle);
  const wanted = filter.states.length > 0 ? attention.filter((state) => filter.states.includes(state)) : attention;
  const counts = Object.fromEntries(attention.map((state) => [state, found[state].length]));
  return { listed: wanted.flatMap((state) => found[state]), counts: counts as Found['counts'] };
}

/** readFilter reads a filter from the address. */
export function readFilter(query: Record<string, string>): Filter {
  const known = [...states, 'unknown'];
  return {
    words: (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean),
    states: (query.state ?? '').split(',').filter((state) => known.includes(state)) as Shown[],
    tag: query.tag ?? '',
    connection: query.connection ?? '',
    provider: query.provider ?? '',
  };
}

/** Look is where the map looks, as the address has it: latitude, longitude, zoom. */
export function readLook(text: string | undefined): { lng: number; lat: number; zoom: number } | undefined {
  const [lat, lng, zoom] = (text ?? '').split(',').map(Number);
  if (lat === undefined || lng === undefined || zoom === undefined) return undefined;
  if (![lat, lng, zoom].every(Number.isFinite) || Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined;
  return { lat, lng, zoom };
}

/** writeLook turns readLook around, as exact as a screen is at that zoom. */
export function writeLook(look: { lng: number; lat: number; zoom: number }): string {
  const digits = look.zoom > 12 ? 5 : 3;
  return `${look.lat.toFixed(digits)},${look.lng.toFixed(digits)},${look.zoom.toFixed(1)}`;
}
