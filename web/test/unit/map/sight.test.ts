import { describe, expect, it } from 'vitest';
import { type Fix, FleetStore, hiddenByFilter } from '../../../src/map/fleet-store.ts';
import { mercatorX, mercatorY } from '../../../src/map/mercator.ts';
import { Sight } from '../../../src/map/sight.ts';

const fix = (over: Partial<Fix> = {}): Fix => ({ lng: 10, lat: 50, heading: 90, state: 0, time: 0, ...over });

/** view is what a map shows between two corners. */
const view = (west: number, south: number, east: number, north: number) => ({
  west: mercatorX(west),
  north: mercatorY(north),
  east: mercatorX(east),
  south: mercatorY(south),
});
const near = view(9, 49, 11, 51);

/** seen is the vehicles in sight by their names. */
const seen = (sight: Sight, store: FleetStore) => [...sight.rows.slice(0, sight.count)].map((row) => store.ids[row]);

const worldSize = 512 * 2 ** 10;

describe('Sight', () => {
  it('has what is in the view and a little around', () => {
    const store = new FleetStore();
    for (const [id, lng, lat] of [
      ['middle', 10, 50],
      ['around', 11.1, 50],
      ['east', 11.2, 50],
      ['north', 10, 52],
      ['south', 10, 48],
    ] as const)
      store.place(id, fix({ lng, lat }), 0);
    const sight = new Sight();
    expect(sight.look(store, near, 0)).toBe(true);
    expect(seen(sight, store)).toEqual(['middle', 'around']);
  });

  it('has what is on its way in or out, and not what is hidden', () => {
    const store = new FleetStore();
    for (const id of ['in', 'out', 'hidden']) store.place(id, fix({ lng: id === 'in' ? 11.17 : 11.16 }), 0);
    store.place('in', fix({ lng: 11.16, time: 4000 }), 0);
    store.place('out', fix({ lng: 11.17, time: 4000 }), 0);
    store.hide(hiddenByFilter, (row) => store.ids[row] === 'hidden');
    const sight = new Sight();
    sight.look(store, near, 0);
    expect(seen(sight, store)).toEqual(['in', 'out']);
  });

  it('sees over the edges of the world', () => {
    const store = new FleetStore();
    store.place('fiji', fix({ lng: 178 }), 0);
    store.place('samoa', fix({ lng: -172 }), 0);
    store.place('greenwich', fix({ lng: 0 }), 0);
    const sight = new Sight();
    sight.look(store, view(176, 49, 190, 51), 0);
    expect(seen(sight, store)).toEqual(['fiji', 'samoa']);
    sight.look(store, view(-190, 49, -170, 51), 0);
    expect(seen(sight, store)).toEqual(['fiji', 'samoa']);
    sight.look(store, view(-400, 49, 400, 51), 0);
    expect(sight.count).toBe(3);
  });

  it('looks again when the fleet changes, the view leaves its surroundings, or is much smaller', () => {
    const store = new FleetStore();
    store.place('a', fix(), 0);
    const sight = new Sight();
    sight.look(store, near, 0);
    expect(sight.look(store, near, 0)).toBe(false);
    expect(sight.look(store, view(9.1, 49.1, 11.1, 51.1), 0)).toBe(false);
    expect(sight.look(store, view(9.2, 49.1, 11.2, 51.1), 0)).toBe(true);
    expect(sight.look(store, view(10, 49.9, 10.2, 50.1), 0)).toBe(true);
    expect(sight.look(store, view(10, 49.9, 10.2, 50.1), 0)).toBe(false);
    store.setState(0, 2);
    expect(sight.look(store, view(10, 49.9, 10.2, 50.1), 0)).toBe(true);
  });

  it('takes a pause until something has moved by a quarter of a pixel', () => {
    const store = new FleetStore();
    store.place('a', fix(), 0);
    const sight = new Sight();
    sight.look(store, near, 0);
    expect(sight.pause(0, worldSize)).toBeNull();
    // 0.0036 degrees are a hundred-thousandth of the world.
    store.place('a', fix({ lng: 10.0036, time: 4000 }), 0);
    sight.look(store, near, 0);
    const pixelsPerSecond = (1e-5 * worldSize) / 4;
    expect(sight.pause(0, worldSize)).toBeCloseTo(250 / pixelsPerSecond, 6);
    expect(sight.pause(0, worldSize * 4)).toBeCloseTo(62.5 / pixelsPerSecond, 6);
    expect(sight.pause(4.001, worldSize)).toBeNull();
  });

  it('takes none for what turns quickly or fades, and a short one for what turns slowly', () => {
    const store = new FleetStore();
    const sight = new Sight();
    const pauseFor = (next: Partial<Fix>) => {
      store.place('a', fix({ time: (store.time[0] ?? 0) + 1 }), 0);
      store.place('a', fix({ time: (store.time[0] as number) + 1 }), 0);
      store.place('a', fix({ ...next, time: (store.time[0] as number) + 10_000 }), 0);
      sight.look(store, near, 0);
      return sight.pause(0, worldSize);
    };
    expect(pauseFor({ heading: 90 })).toBe(1000);
    expect(pauseFor({ heading: 100 })).toBeLessThan(600);
    expect(pauseFor({ heading: 270 })).toBeLessThan(30);
    expect(pauseFor({ lng: 10.5 })).toBe(0);
  });
});
