// Who could be there first: places by their names, and arrivals as ranges.

import { haversine } from '../../map/mercator.ts';
import type { Grid } from '../../map/near.ts';

/** Place is where someone is wanted. A vehicle's moves with it. */
export type Wanted = { name: string; lng: number; lat: number; vehicle?: string };

type Named = { id: string; name: string; plate: string | null; lng: number | null; lat: number | null };

const most = 6;

/** Letters without their accents and case, as people type them. */
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();

/**
 * findPlaces is what a text may mean: a pair of coordinates, vehicles by name or plate, and towns
 * by name, of which the one nearest to what is looked at is meant first.
 */
export function findPlaces(
  text: string,
  vehicles: Iterable<Named>,
  towns: Grid | undefined,
  near: { lng: number; lat: number },
): Wanted[] {
  const pair = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text);
  if (pair) {
    const [lat, lng] = [Number(pair[1]), Number(pair[2])];
    return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? [{ name: `${lat}, ${lng}`, lng, lat }] : [];
  }
  const words = plain(text);
  if (words.length < 2) return [];
  const found: Wanted[] = [];
  for (const { id, name, plate, lng, lat } of vehicles) {
    if (lng === null || lat === null || found.length === most / 2) continue;
    if (plain(name).includes(words) || (plate && plain(plate).includes(words)))
      found.push({ name, lng, lat, vehicle: id });
  }
  const called: (Wanted & { away: number })[] = [];
  for (const cell of towns?.values() ?? [])
    for (const { name, latitude: lat, longitude: lng } of cell)
      if (plain(name).startsWith(words)) called.push({ name, lng, lat, away: haversine(near.lng, near.lat, lng, lat) });
  called.sort((a, b) => a.away - b.away);
  return [...found, ...called.slice(0, most - found.length).map(({ name, lng, lat }) => ({ name, lng, lat }))];
}

// Roads are longer than the line between their ends; by how much, only a router knows.
const quick = { detour: 1.2, metresPerSecond: 80 / 3.6, ready: 0 };
const slow = { detour: 1.6, metresPerSecond: 45 / 3.6, ready: 300 };

/** arrival is between which times a vehicle that leaves now could be so many metres away. */
export function arrival(metres: number, now: number): { from: number; to: number } {
  const after = ({ detour, metresPerSecond, ready }: typeof quick) =>
    now + ((metres * detour) / metresPerSecond + ready) * 1000;
  return { from: after(quick), to: after(slow) };
}
