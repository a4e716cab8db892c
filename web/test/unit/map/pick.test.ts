import { expect, it } from 'vitest';
import { FleetStore, hiddenByFilter } from '../../../src/map/fleet-store.ts';
import { mercatorX, mercatorY } from '../../../src/map/mercator.ts';
import { nearest, pick } from '../../../src/map/pick.ts';
import { stateNumber } from '../../../src/map/state.ts';

function fleet(): FleetStore {
  const store = new FleetStore();
  for (const [i, lng] of [10, 10.0001, 10.001, 11].entries()) {
    store.place(`v${i}`, { lng, lat: 50, heading: null, state: 0, time: 0 }, 0);
  }
  return store;
}

const worldSize = 512 * 2 ** 14;

it('picks what lies within the tolerance, nearest first', () => {
  const hits = pick(fleet(), mercatorX(10.00009), mercatorY(50), worldSize, 12, 0);
  expect(hits.map((hit) => hit.row)).toEqual([1, 0]);
});

it('picks a gliding vehicle where it is seen', () => {
  const store = fleet();
  store.place('v3', { lng: 11.01, lat: 50, heading: null, state: 0, time: 10_000 }, 0);
  expect(pick(store, mercatorX(11.005), mercatorY(50), worldSize, 12, 5000).map((hit) => hit.row)).toEqual([3]);
  expect(pick(store, mercatorX(11.01), mercatorY(50), worldSize, 12, 5000)).toEqual([]);
});

it('does not pick what is hidden', () => {
  const store = fleet();
  store.hide(hiddenByFilter, (row) => row === 1);
  expect(pick(store, mercatorX(10.0001), mercatorY(50), worldSize, 2, 0)).toEqual([]);
});

it('gives the nearest that the filter leaves', () => {
  const store = fleet();
  store.hide(hiddenByFilter, (row) => row === 2);
  expect(nearest(store, mercatorX(10.002), mercatorY(50), 2)).toEqual([1, 0]);
});

it('gives as many as are wanted, nearest first, in whatever order they came', () => {
  const store = new FleetStore();
  for (const [i, lng] of [14, 11, 13, 10, 12].entries())
    store.place(`v${i}`, { lng, lat: 50, heading: null, state: 0, time: 0 }, 0);
  expect(nearest(store, mercatorX(9), mercatorY(50), 3)).toEqual([3, 1, 4]);
  expect(nearest(store, mercatorX(9), mercatorY(50), 9)).toEqual([3, 1, 4, 2, 0]);
});

it('does not offer what has fallen silent', () => {
  const store = fleet();
  store.setState(1, stateNumber('silent'));
  expect(nearest(store, mercatorX(10.0001), mercatorY(50), 2)).toEqual([0, 2]);
});
