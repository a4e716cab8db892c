// Clusters of vehicles that would cover one another: cells of a grid that is fixed
// to the world, so that panning does not reshuffle them, and cells whose middles
// come too close are one cluster.
import { states } from './state.ts';

/** Input is what a worker needs to know of the fleet; rows that are out are left alone. */
export type Input = {
  x: Float64Array;
  y: Float64Array;
  state: Uint8Array;
  out: Uint8Array;
  count: number;
  zoom: number;
  bounds: Bounds;
};

/** Bounds is a part of the Mercator square. */
export type Bounds = { west: number; north: number; east: number; south: number };

/** Cluster is some vehicles that are drawn as one donut. */
export type Cluster = {
  key: string;
  x: number;
  y: number;
  count: number;
  byState: number[];
  bounds: Bounds;
  rows: number[];
};

const cell = 72; // pixels
const apart = 56; // pixels between the middles of two donuts
const least = 3; // two vehicles beside one another can still be distinguished

/** clusterBelow and clusterAbove: at which zoom and from how many vehicles in view on there are clusters. */
export const clusterBelow = 9;
export const clusterAbove = 300;

/** clusters groups the vehicles within the bounds; those that stay single are in no cluster. */
export function clusters(input: Input): Cluster[] {
  const worldSize = 512 * 2 ** Math.floor(input.zoom);
  const cells = gather(input, cell / worldSize);
  const merged = merge(
    [...cells.values()].sort((a, b) => b.count - a.count),
    apart / worldSize,
  );
  return merged.filter((cluster) => cluster.count >= least);
}

function gather(input: Input, size: number): Map<number, Cluster> {
  const cells = new Map<number, Cluster>();
  const { west, north, east, south } = input.bounds;
  for (let row = 0; row < input.count; row++) {
    if (input.out[row] !== 0) continue;
    const x = input.x[row] as number;
    const y = input.y[row] as number;
    if (x < west || x > east || y < north || y > south) continue;
    const column = Math.floor(x / size);
    const line = Math.floor(y / size);
    const id = column * 1_000_003 + line;
    let found = cells.get(id);
    if (!found) {
      found = {
        key: `${column}:${line}`,
        x: 0,
        y: 0,
        count: 0,
        byState: states.map(() => 0),
        bounds: { west: x, north: y, east: x, south: y },
        rows: [],
      };
      cells.set(id, found);
    }
    include(found, x, y, input.state[row] as number, row);
  }
  return cells;
}

function include(cluster: Cluster, x: number, y: number, state: number, row: number): void {
  cluster.x += (x - cluster.x) / (cluster.count + 1);
  cluster.y += (y - cluster.y) / (cluster.count + 1);
  cluster.count++;
  cluster.byState[state] = (cluster.byState[state] ?? 0) + 1;
  cluster.rows.push(row);
  widen(cluster.bounds, { west: x, north: y, east: x, south: y });
}

/** merge joins each cell into the largest one that is too near. */
function merge(cells: Cluster[], distance: number): Cluster[] {
  const kept: Cluster[] = [];
  for (const next of cells) {
    const host = kept.find((cluster) => Math.hypot(cluster.x - next.x, cluster.y - next.y) < distance);
    if (host) join(host, next);
    else kept.push(next);
  }
  return kept;
}

function join(host: Cluster, other: Cluster): void {
  const count = host.count + other.count;
  host.x = (host.x * host.count + other.x * other.count) / count;
  host.y = (host.y * host.count + other.y * other.count) / count;
  host.count = count;
  host.byState = host.byState.map((n, state) => n + (other.byState[state] ?? 0));
  for (const row of other.rows) host.rows.push(row);
  widen(host.bounds, other.bounds);
}

function widen(bounds: Bounds, other: Bounds): void {
  bounds.west = Math.min(bounds.west, other.west);
  bounds.north = Math.min(bounds.north, other.north);
  bounds.east = Math.max(bounds.east, other.east);
  bounds.south = Math.max(bounds.south, other.south);
}
