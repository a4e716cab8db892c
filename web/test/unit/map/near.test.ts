import { expect, test } from 'vitest';
import { grid, nearest } from '../../../src/map/near.ts';

const places = {
  name: ['Munich', 'Freiburg', 'Suva'],
  x: [5787, -1862, 85_296],
  y: [24_068, -70, -33_069],
  rank: [1, 1, 1],
};

test('a point lies in a town, near one, or near none', () => {
  expect(nearest(grid([places]), 48.14, 11.6)).toEqual({ name: 'Munich', within: true });
  expect(nearest(grid([places]), 48.3, 11.7)).toEqual({ name: 'Munich', within: false });
  expect(nearest(grid([places]), 48.7, 9.5)).toBeUndefined();
});

test('east and west are narrow in the north', () => {
  // 0.35 degrees are 26 km here, and would be 39 km at the equator.
  expect(nearest(grid([places]), 47.996, 8.202)?.name).toBe('Freiburg');
});

test('a town may lie beyond the date line', () => {
  expect(nearest(grid([{ ...places, x: [5787, -1862, 86_050] }]), -18.142, -179.95)?.name).toBe('Suva');
});
