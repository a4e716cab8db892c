import { describe, expect, it } from 'vitest';
import {
  type Fix,
  FleetStore,
  fading,
  floats,
  hiddenByFilter,
  hiddenInCluster,
  packHeadings,
  unknownHeading,
} from '../../../src/map/fleet-store.ts';
import { latOf, lngOf, mercatorX, mercatorY } from '../../../src/map/mercator.ts';

const fix = (over: Partial<Fix> = {}): Fix => ({ lng: 10, lat: 50, heading: 90, state: 0, time: 0, ...over });

describe('FleetStore', () => {
  it('puts a new vehicle at its place without a glide', () => {
    const store = new FleetStore();
    expect(store.place('a', fix(), 1000)).toBe(true);
    expect(store.count).toBe(1);
    expect(store.shownAt(0, 1000)).toEqual({ x: mercatorX(10), y: mercatorY(50) });
    expect(store.glidingUntil).toBe(0);
  });

  it('glides from where it is shown to the new fix, over the time between the fixes', () => {
    const store = new FleetStore();
    store.place('a', fix(), 0);
    store.place('a', fix({ lng: 10.01, time: 4000 }), 1000);
    expect(lngOf(store.shownAt(0, 1000).x)).toBeCloseTo(10, 9);
    expect(lngOf(store.shownAt(0, 3000).x)).toBeCloseTo(10.005, 9);
    expect(lngOf(store.shownAt(0, 5000).x)).toBeCloseTo(10.01, 9);
    expect(lngOf(store.shownAt(0, 9000).x)).toBeCloseTo(10.01, 9);
    store.place('a', fix({ lng: 10.02, time: 8000 }), 3000);
    expect(lngOf(store.shownAt(0, 3000).x)).toBeCloseTo(10.005, 9);
  });

  it('glides for ten seconds at most', () => {
    const store = new FleetStore();
    store.place('a', fix(), 0);
    store.place('a', fix({ lng: 10.01, time: 60_000 }), 0);
    expect(store.data[5]).toBe(10);
    expect(store.glidingUntil).toBe(10_000);
  });

  it.each([
    ['a jump of more than 2 km', { lng: 10.1, time: 10_000 }],
    ['a gap of more than two minutes', { lng: 10.001, time: 121_000 }],
  ])('fades in after %s', (_, next) => {
    const store = new FleetStore();
    store.place('a', fix(), 0);
    store.place('a', fix(next), 0);
    expect(lngOf(store.shownAt(0, 0).x)).toBeCloseTo(next.lng, 9);
    expect(store.data[7]).toBe(fading);
    expect(store.data[5]).toBeCloseTo(0.4);
  });

  it('does not move for people who want no motion', () => {
    const store = new FleetStore();
    store.glides = false;
    store.place('a', fix(), 0);
    store.place('a', fix({ lng: 10.01, time: 4000 }), 0);
    expect(lngOf(store.shownAt(0, 0).x)).toBeCloseTo(10.01, 9);
    expect(store.glidingUntil).toBe(0);
  });

  it('points where it went when no heading is reported, and stays so when it stops', () => {
    const store = new FleetStore();
    store.place('a', fix({ heading: null }), 0);
    store.place('a', fix({ heading: null, lng: 10.001, time: 1000 }), 0);
    expect((store.data[6] as number) % 512).toBe(90);
    store.place('a', fix({ heading: null, lng: 10.001, time: 2000 }), 5000);
    expect((store.data[6] as number) % 512).toBe(90);
  });

  it('ignores a fix that is older than the known one', () => {
    const store = new FleetStore();
    store.place('a', fix({ time: 5000 }), 0);
    expect(store.place('a', fix({ lng: 20, time: 4000 }), 0)).toBe(false);
    expect(lngOf(store.shownAt(0, 0).x)).toBeCloseTo(10, 9);
  });

  it('keeps to a decimetre after moving the origin, as float32', () => {
    const store = new FleetStore();
    store.place('a', fix({ lng: 151.2093, lat: -33.8688 }), 0);
    store.rebase(mercatorX(151.2), mercatorY(-33.87));
    const x = store.originX + (store.data[2] as number);
    const y = store.originY + (store.data[3] as number);
    expect(Math.abs(lngOf(x) - 151.2093)).toBeLessThan(1e-6);
    expect(Math.abs(latOf(y) + 33.8688)).toBeLessThan(1e-6);
    expect(store.takeDirty()).toEqual({ from: 0, to: 1 });
  });

  it('keeps a glide across a new epoch', () => {
    const store = new FleetStore();
    store.place('a', fix(), 0);
    store.place('b', fix(), 0);
    store.place('a', fix({ lng: 10.01, time: 10_000 }), 4_095_000);
    store.place('b', fix({ lng: 10.01, time: 10_000 }), 4_100_000);
    expect(store.epoch).toBe(4_100_000);
    expect(lngOf(store.shownAt(0, 4_100_000).x)).toBeCloseTo(10.005, 6);
  });

  it('says which rows to upload, once', () => {
    const store = new FleetStore();
    for (let i = 0; i < 600; i++) store.place(`v${i}`, fix(), 0);
    expect(store.takeDirty()).toEqual({ from: 0, to: 600 });
    store.place('v7', fix({ time: 1 }), 0);
    store.place('v9', fix({ time: 1 }), 0);
    expect(store.takeDirty()).toEqual({ from: 7, to: 10 });
    expect(store.takeDirty()).toEqual({ from: 0, to: 0 });
    expect(store.data.length).toBeGreaterThanOrEqual(600 * floats);
    expect(store.row('v599')).toBe(599);
  });

  it('hides by filter and by cluster independently', () => {
    const store = new FleetStore();
    for (const id of ['a', 'b']) store.place(id, fix(), 0);
    store.hide(hiddenByFilter, (row) => row === 0);
    store.hide(hiddenInCluster, () => true);
    expect([...store.mask.slice(0, 2)]).toEqual([3, 2]);
    store.hide(hiddenByFilter, () => false);
    expect([...store.mask.slice(0, 2)]).toEqual([2, 2]);
    const before = store.changes;
    store.hide(hiddenByFilter, () => false);
    expect(store.changes).toBe(before);
    store.hide(hiddenInCluster, () => false);
    expect(store.changes).toBeGreaterThan(before);
  });
});

describe('packHeadings', () => {
  it.each([
    [90, 180, 90 * 512 + 180],
    [null, 359.6, unknownHeading * 512],
    [-10, 720, 350 * 512],
    [-360, -370.4, 350],
    [Number.NaN, Number.POSITIVE_INFINITY, unknownHeading * 513],
  ])('%s and %s', (from, to, packed) => {
    expect(packHeadings(from, to)).toBe(packed);
  });
});
