// How the files of the basemap keep coordinates: as whole parts of a degree, each a step from the one before.
import type { Position } from 'geojson';

/** Coordinates of shapes are thousandths of a degree, about 110 m. */
export const scale = 1000;

/** Those of names are five-hundredths of one, about 220 m. */
export const placeScale = 500;

/** Those of waters are fiftieths: their source knows them no better. */
export const waterScale = 50;

/** A line as steps: the first pair is its start, each further one a step from the pair before. */
export type Steps = number[];

/** Places is a list of names with their points, as steps, and how much they matter; countries have codes. */
export type Places = { name: string[]; x: number[]; y: number[]; rank: number[]; code?: string[] };

/** line walks the steps of a line. */
export function line(steps: Steps, unit = scale): Position[] {
  const out: Position[] = [];
  let x = 0;
  let y = 0;
  for (let i = 0; i + 1 < steps.length; i += 2) {
    x += steps[i] as number;
    y += steps[i + 1] as number;
    out.push([x / unit, y / unit]);
  }
  return out;
}

/** points are where places are. */
export const points = ({ x, y }: Places): Position[] =>
  line(
    x.flatMap((east, i) => [east, y[i] ?? 0]),
    placeScale,
  );
