// Which vehicles lie under a pointer. A pass over 50,000 places takes less than a
// millisecond, so no index has to be kept while everything moves.
import { type FleetStore, hiddenByFilter } from './fleet-store.ts';
import { stateNumber } from './state.ts';

const silent = stateNumber('silent');

/** Hit is a vehicle near a point and its distance to it, in pixels. */
export type Hit = { row: number; pixels: number };

/** pick gives the drawn vehicles within a tolerance of a point of the square, nearest first. */
export function pick(
  store: FleetStore,
  x: number,
  y: number,
  worldSize: number,
  tolerance: number,
  now: number,
): Hit[] {
  const reach = tolerance / worldSize;
  const glideReach = reach + 2000 / 40_000_000; // a glide is at most 2 km behind its end, doubled towards the poles
  const hits: Hit[] = [];
  for (let row = 0; row < store.count; row++) {
    if (store.mask[row] !== 0) continue;
    if (
      Math.abs((store.x[row] as number) - x) > glideReach * 4 ||
      Math.abs((store.y[row] as number) - y) > glideReach * 4
    )
      continue;
    const shown = store.shownAt(row, now);
    const distance = Math.hypot(shown.x - x, shown.y - y);
    if (distance <= reach) hits.push({ row, pixels: distance * worldSize });
  }
  return hits.sort((a, b) => a.pixels - b.pixels);
}

/**
 * nearest gives the n drawn vehicles nearest to a point of the square, by distance in the square. What is silent
 * is left out: where it is now is not known. It runs twice a second, so only the n best are kept.
 */
export function nearest(store: FleetStore, x: number, y: number, n: number): number[] {
  const rows: number[] = [];
  const away: number[] = [];
  for (let row = 0; row < store.count; row++) {
    if (((store.mask[row] as number) & hiddenByFilter) !== 0 || store.state[row] === silent) continue;
    const distance = Math.hypot((store.x[row] as number) - x, (store.y[row] as number) - y);
    if (rows.length === n && distance >= (away[n - 1] as number)) continue;
    const better = away.findIndex((other) => distance < other);
    const at = better < 0 ? rows.length : better;
    rows.splice(at, 0, row);
    away.splice(at, 0, distance);
    rows.length = away.length = Math.min(rows.length, n);
  }
  return rows;
}
