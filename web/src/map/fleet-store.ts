// The fleet as the graphics card wants it: eight floats for each vehicle, changed
// in place, so that ten thousand vehicles cost one small upload and no objects.
//
// Coordinates are kept as float64 and handed over as float32 relative to an origin
// near the view: as float32 alone a truck would shake by metres at street zoom.
import { circumference, mercatorX, mercatorY, metresBetween } from './mercator.ts';

/** floats is how many floats a vehicle has: from x, y; to x, y; start, duration; headings; look. */
export const floats = 8;

/** hiddenByFilter and hiddenInCluster are the bits of the mask; a vehicle is drawn while none is set. */
export const hiddenByFilter = 1;
export const hiddenInCluster = 2;

/** fading is added to the state in the last float of a vehicle that fades in instead of gliding. */
export const fading = 4;

/** unknownHeading is a heading that was not reported. */
export const unknownHeading = 511;

const longestGlide = 10; // seconds
const fadeSeconds = 0.4;
const farthestGlide = 2000; // metres; what jumps farther was not driven in sight
const longestGap = 120; // seconds; what happened within longer gaps is not known
const rebaseBeyond = 0.05; // world units: float32 is exact to half a pixel at zoom 18
const epochLength = 4096; // seconds; float32 is exact to half a millisecond below

/** Fix is a vehicle's newest position. */
export type Fix = { lng: number; lat: number; heading: number | null; state: number; time: number };

/** FleetStore holds the newest fix of every vehicle and how to glide there. */
export class FleetStore {
  count = 0;
  data = new Float32Array(0);
  mask = new Uint8Array(0);
  state = new Uint8Array(0);
  /** x and y are where each vehicle is, or is gliding to, in the Mercator square. */
  x = new Float64Array(0);
  y = new Float64Array(0);
  /** time is the time of each vehicle's fix in milliseconds. */
  time = new Float64Array(0);
  readonly ids: string[] = [];
  /** glides is false for people who want no motion. */
  glides = true;
  /** speed is how many times as fast as the clock of place's now the fixes follow each other. */
  speed = 1;
  /** glidingUntil is when the last glide ends, in the clock of place's now. */
  glidingUntil = 0;
  originX = 0.5;
  originY = 0.5;
  /** epoch is the time that the floats count from, in milliseconds. */
  epoch = 0;
  /** fromX and fromY are where each vehicle's glide began. */
  fromX = new Float64Array(0);
  fromY = new Float64Array(0);
  /** changes counts what would draw another picture. */
  changes = 0;
  private readonly rows = new Map<string, number>();
  private dirtyFrom = 0;
  private dirtyTo = 0;

  /** row is the place of a vehicle, or -1. */
  row(id: string): number {
    return this.rows.get(id) ?? -1;
  }

  /** place takes a fix and reports whether anything changed; older fixes than the known one are ignored. */
  place(id: string, fix: Fix, now: number): boolean {
    let row = this.row(id);
    if (row >= 0 && fix.time < (this.time[row] as number)) return false;
    const x = mercatorX(fix.lng);
    const y = mercatorY(fix.lat);
    if (row < 0) row = this.add(id, x, y, fix);
    else this.move(row, x, y, fix, now);
    this.time[row] = fix.time;
    this.setState(row, fix.state);
    this.touch(row);
    return true;
  }

  /** setState changes what a vehicle does. */
  setState(row: number, state: number): void {
    if (this.state[row] === state) return;
    this.state[row] = state;
    const at = row * floats + 7;
    this.data[at] = state + ((this.data[at] as number) >= fading ? fading : 0);
    this.touch(row);
  }

  /** hide sets or clears a bit of every vehicle's mask. */
  hide(bit: number, hidden: (row: number) => boolean): void {
    for (let row = 0; row < this.count; row++) {
      const before = this.mask[row] as number;
      const after = hidden(row) ? before | bit : before & ~bit;
      if (after === before) continue;
      this.mask[row] = after;
      this.changes++;
    }
  }

  /** shownAt is where a vehicle is drawn at a time. */
  shownAt(row: number, now: number): { x: number; y: number } {
    const rest = this.restOf(row, (now - this.epoch) / 1000);
    const x = this.x[row] as number;
    const y = this.y[row] as number;
    return { x: x - rest * (x - (this.fromX[row] as number)), y: y - rest * (y - (this.fromY[row] as number)) };
  }

  /** rebase moves the origin to a place when it has got too far away from it. */
  rebase(x: number, y: number): void {
    if (Math.abs(x - this.originX) <= rebaseBeyond && Math.abs(y - this.originY) <= rebaseBeyond) return;
    this.originX = x;
    this.originY = y;
    for (let row = 0; row < this.count; row++) this.writePlaces(row);
    this.touchAll();
  }

  /** takeDirty gives the rows [from, to) that changed since it was last called. */
  takeDirty(): { from: number; to: number } {
    const range = { from: this.dirtyFrom, to: this.dirtyTo };
    this.dirtyFrom = this.dirtyTo = 0;
    return range;
  }

  /** touchAll makes the next upload a whole one. */
  touchAll(): void {
    this.dirtyFrom = 0;
    this.dirtyTo = this.count;
    this.changes++;
  }

  private add(id: string, x: number, y: number, fix: Fix): number {
    const row = this.count++;
    if (row >= this.mask.length) this.grow();
    this.ids.push(id);
    this.rows.set(id, row);
    this.state[row] = fix.state;
    this.write(row, x, y, x, y, 0, 0);
    this.data[row * floats + 6] = packHeadings(fix.heading, fix.heading);
    this.data[row * floats + 7] = fix.state;
    return row;
  }

  private move(row: number, x: number, y: number, fix: Fix, now: number): void {
    this.keepEpoch(now);
    const at = row * floats;
    const start = (now - this.epoch) / 1000;
    const gap = (fix.time - (this.time[row] as number)) / 1000;
    const rest = this.restOf(row, start);
    const shownX = (this.x[row] as number) - rest * ((this.x[row] as number) - (this.fromX[row] as number));
    const shownY = (this.y[row] as number) - rest * ((this.y[row] as number) - (this.fromY[row] as number));
    const far = gap > longestGap || isFar(shownX, shownY, x, y);
    const before = lastHeading(this.data[at + 6] as number);
    const heading = fix.heading ?? course(shownX, shownY, x, y) ?? before;
    this.data[at + 6] = packHeadings(far ? heading : before, heading);
    this.data[at + 7] = fix.state + (far && this.glides ? fading : 0);
    this.state[row] = fix.state;
    const duration = this.glides ? (far ? fadeSeconds : Math.min(gap, longestGlide) / this.speed) : 0;
    const jumps = far || !this.glides;
    this.write(row, jumps ? x : shownX, jumps ? y : shownY, x, y, start, duration);
    if (duration > 0) this.glidingUntil = Math.max(this.glidingUntil, now + duration * 1000);
  }

  /** restOf is the part of a vehicle's glide that is still to come, at a time in seconds of the epoch. */
  private restOf(row: number, seconds: number): number {
    const duration = this.data[row * floats + 5] as number;
    if (duration <= 0) return 0;
    const part = (seconds - (this.data[row * floats + 4] as number)) / duration;
    return part >= 1 ? 0 : 1 - Math.max(0, part);
  }

  private write(
    row: number,
    fromX: number,
    fromY: number,
    x: number,
    y: number,
    start: number,
    duration: number,
  ): void {
    this.fromX[row] = fromX;
    this.fromY[row] = fromY;
    this.x[row] = x;
    this.y[row] = y;
    this.writePlaces(row);
    this.data[row * floats + 4] = start;
    this.data[row * floats + 5] = duration;
  }

  private writePlaces(row: number): void {
    const at = row * floats;
    this.data[at] = (this.fromX[row] as number) - this.originX;
    this.data[at + 1] = (this.fromY[row] as number) - this.originY;
    this.data[at + 2] = (this.x[row] as number) - this.originX;
    this.data[at + 3] = (this.y[row] as number) - this.originY;
  }

  /** keepEpoch lets the floats count again before their steps get too long to glide in. */
  private keepEpoch(now: number): void {
    const passed = (now - this.epoch) / 1000;
    if (passed >= 0 && passed < epochLength) return;
    this.epoch = now;
    for (let row = 0; row < this.count; row++)
      this.data[row * floats + 4] = (this.data[row * floats + 4] as number) - passed;
    this.touchAll();
  }

  private touch(row: number): void {
    const empty = this.dirtyFrom === this.dirtyTo;
    this.dirtyFrom = empty ? row : Math.min(this.dirtyFrom, row);
    this.dirtyTo = empty ? row + 1 : Math.max(this.dirtyTo, row + 1);
    this.changes++;
  }

  private grow(): void {
    const size = Math.max(256, this.mask.length * 2);
    const longer = <T extends Float32Array | Float64Array | Uint8Array>(next: T, old: T): T => {
      next.set(old);
      return next;
    };
    this.data = longer(new Float32Array(size * floats), this.data);
    this.mask = longer(new Uint8Array(size), this.mask);
    this.state = longer(new Uint8Array(size), this.state);
    this.x = longer(new Float64Array(size), this.x);
    this.y = longer(new Float64Array(size), this.y);
    this.time = longer(new Float64Array(size), this.time);
    this.fromX = longer(new Float64Array(size), this.fromX);
    this.fromY = longer(new Float64Array(size), this.fromY);
  }
}

/** isFar reports whether two places are too far apart for a glide. */
function isFar(x1: number, y1: number, x2: number, y2: number): boolean {
  // Away from the equator a step in the square is shorter still, so that most need no distance.
  if (Math.abs(x2 - x1) + Math.abs(y2 - y1) < farthestGlide / circumference) return false;
  return metresBetween(x1, y1, x2, y2) > farthestGlide;
}

/** course is where a vehicle went from place to place, for providers that report no heading; null within ten metres. */
function course(fromX: number, fromY: number, x: number, y: number): number | null {
  if (metresBetween(fromX, fromY, x, y) < 10) return null;
  return (Math.atan2(x - fromX, fromY - y) * 180) / Math.PI;
}

/** packHeadings puts two headings of nine bits into one float. */
export function packHeadings(from: number | null, to: number | null): number {
  return headingBits(from) * 512 + headingBits(to);
}

// Whole numbers throughout: a remainder of floats takes longer than all the rest of a fix.
function headingBits(heading: number | null): number {
  if (heading === null || !Number.isFinite(heading)) return unknownHeading;
  const degrees = Math.round(heading) | 0;
  return degrees >= 0 && degrees < 360 ? degrees : (((degrees % 360) | 0) + 360) % 360;
}

function lastHeading(packed: number): number | null {
  const bits = packed & 511;
  return bits === unknownHeading ? null : bits;
}
