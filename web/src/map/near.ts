// The town that a point lies in or near, by the names that the basemap has.
import { type Places, points } from './steps.ts';

const kmPerDegree = 111.2;

/** Up to here a point lies in a town, and up to there near it; less than a cell. */
const within = 6;
const around = 40;

type Town = { name: string; latitude: number; longitude: number };

/** Towns by cells of a degree. */
export type Grid = Map<number, Town[]>;

const cell = (latitude: number, longitude: number) =>
  Math.floor(latitude) * 360 + ((((Math.floor(longitude) + 180) % 360) + 360) % 360);

export function grid(lists: Places[]): Grid {
  const cells: Grid = new Map();
  for (const list of lists) {
    points(list).forEach(([longitude = 0, latitude = 0], i) => {
      const town = { name: list.name[i] ?? '', latitude, longitude };
      const at = cell(town.latitude, town.longitude);
      const others = cells.get(at);
      if (others) others.push(town);
      else cells.set(at, [town]);
    });
  }
  return cells;
}

export type Near = { name: string; within: boolean };

/** The nearest of the towns, where one is near. */
export function nearest(towns: Grid, latitude: number, longitude: number): Near | undefined {
  const narrow = Math.cos((latitude * Math.PI) / 180);
  let best = around / kmPerDegree;
  let found: Town | undefined;
  for (const south of [-1, 0, 1]) {
    for (const east of [-1, 0, 1]) {
      for (const town of towns.get(cell(latitude + south, longitude + east)) ?? []) {
        const apart = Math.abs(town.longitude - longitude);
        const away = Math.hypot(town.latitude - latitude, Math.min(apart, 360 - apart) * narrow);
        if (away >= best) continue;
        best = away;
        found = town;
      }
    }
  }
  return found && { name: found.name, within: best * kmPerDegree <= within };
}
