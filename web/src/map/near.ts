// The town that a point lies in or near, by the names that the basemap has.
import type { Places } from '../../build/basemap.ts';

const scale = 1000; // of build/basemap.ts, which is no part of the bundle
const kmPerDegree = 111.2;

/** Up to here a point lies in a town, and up to there near it. */
const within = 6;
const around = 30;

export type Near = { name: string; within: boolean };

/** The nearest of the places, where one is near. */
export function nearest(places: Places, latitude: number, longitude: number): Near | undefined {
  const narrow = Math.cos((latitude * Math.PI) / 180);
  let best = around / kmPerDegree;
  let found = -1;
  for (let i = 0; i < places.name.length; i++) {
    const dy = Math.abs((places.y[i] ?? 0) / scale - latitude);
    if (dy >= best) continue;
    const east = Math.abs((places.x[i] ?? 0) / scale - longitude);
    const away = Math.hypot(dy, Math.min(east, 360 - east) * narrow);
    if (away >= best) continue;
    best = away;
    found = i;
  }
  if (found < 0) return undefined;
  return { name: places.name[found] ?? '', within: best * kmPerDegree <= within };
}
