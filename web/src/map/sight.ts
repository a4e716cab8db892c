// Which vehicles a map has to draw: those in its view, and those whose marks reach into
// it. Finding them takes a tenth of a millisecond, drawing the others many.
import type { Bounds } from './cluster.ts';
import { type FleetStore, fading, floats, unknownHeading } from './fleet-store.ts';

/** turnRadius is how far the tip of the largest mark is from its middle, in pixels of the page. */
const turnRadius = 14;
const around = 1 / 12; // of the view, to each side: more than half a mark
const largest = 4; // times the view, after zooming in

/** Sight is the rows in sight of a view, kept until the fleet or the view has changed too much. */
export class Sight {
  rows = new Uint32Array(0);
  count = 0;
  /** glidingUntil is when the last of them has arrived, in seconds of the store's epoch. */
  glidingUntil = 0;
  /** pace is how fast the fastest of them moves, in worlds a second. */
  pace = 0;
  /** turning is how fast the mark of one of them turns, in radians a second; what fades turns without end. */
  turning = 0;
  private box: Bounds = { west: 0, north: 0, east: 0, south: 0 };
  private changes = -1;

  /** look brings the list up to date at a time in seconds of the epoch, and reports whether it has changed. */
  look(store: FleetStore, view: Bounds, seconds: number): boolean {
    if (this.changes === store.changes && this.holds(view)) return false;
    this.changes = store.changes;
    const [x, y] = [(view.east - view.west) * around, (view.south - view.north) * around];
    this.box = { west: view.west - x, north: view.north - y, east: view.east + x, south: view.south + y };
    this.gather(store, seconds);
    return true;
  }

  /** pause is how long nothing moves by more than a quarter of a pixel, in milliseconds; null when all have arrived. */
  pause(seconds: number, worldSize: number): number | null {
    if (seconds >= this.glidingUntil) return null;
    return 250 / Math.max(this.pace * worldSize, this.turning * turnRadius, 0.25);
  }

  private holds(view: Bounds): boolean {
    const { west, north, east, south } = this.box;
    const inside = view.west >= west && view.east <= east && view.north >= north && view.south <= south;
    return inside && east - west <= largest * (view.east - view.west);
  }

  private gather(store: FleetStore, seconds: number): void {
    const { north, south } = this.box;
    if (this.rows.length < store.count) this.rows = new Uint32Array(store.mask.length);
    this.count = this.glidingUntil = this.pace = this.turning = 0;
    for (let row = 0; row < store.count; row++) {
      if (store.mask[row] !== 0) continue;
      const y = store.y[row] as number;
      const fromY = store.fromY[row] as number;
      if ((y < north && fromY < north) || (y > south && fromY > south)) continue;
      if (!this.reaches(store.x[row] as number, store.fromX[row] as number)) continue;
      this.rows[this.count++] = row;
      this.time(store, row, seconds);
    }
  }

  /** reaches reports whether a way is in the box in any copy of the world. */
  private reaches(x: number, fromX: number): boolean {
    const { west, east } = this.box;
    for (let copy = Math.floor(west); copy <= east; copy++)
      if ((x + copy >= west || fromX + copy >= west) && (x + copy <= east || fromX + copy <= east)) return true;
    return false;
  }

  private time(store: FleetStore, row: number, seconds: number): void {
    const at = row * floats;
    const duration = store.data[at + 5] as number;
    const until = (store.data[at + 4] as number) + duration;
    if (until <= seconds || duration <= 0) return;
    if (until > this.glidingUntil) this.glidingUntil = until;
    const x = (store.x[row] as number) - (store.fromX[row] as number);
    const y = (store.y[row] as number) - (store.fromY[row] as number);
    const pace = Math.sqrt(x * x + y * y) / duration;
    if (pace > this.pace) this.pace = pace;
    const fades = (store.data[at + 7] as number) >= fading;
    const turning = fades ? Number.POSITIVE_INFINITY : turn(store.data[at + 6] as number) / duration;
    if (turning > this.turning) this.turning = turning;
  }
}

/** turn is how far a mark turns between its two headings, in radians; it does so in half of the time. */
function turn(headings: number): number {
  const before = headings >> 9;
  const after = headings & 511;
  if (before === after || before === unknownHeading || after === unknownHeading) return 0;
  const degrees = Math.abs(after - before);
  return (2 * Math.min(degrees, 360 - degrees) * Math.PI) / 180;
}
