import { expect, it } from 'vitest';
import { diameter, short } from '../../../src/map/donut.ts';
import { crowded, moved, sizeAt } from '../../../src/map/fleet-layer.ts';
import { haversine, latOf, lngOf, mercatorX, mercatorY, metresBetween } from '../../../src/map/mercator.ts';
import { hex, rgb } from '../../../src/map/palette.ts';
import { stateNumber } from '../../../src/map/state.ts';

it('writes numbers in at most four characters', () => {
  expect([3, 999, 1000, 9949, 9950, 45_312].map(short)).toEqual(['3', '999', '1.0k', '9.9k', '10k', '45k']);
});

it('grows with zoom and number, within bounds', () => {
  expect([0, 4, 9, 14, 18].map(sizeAt)).toEqual([12, 12, 16, 24, 24]);
  expect([0, 240, 960, 100_000].map((n) => crowded(16, n, 96_000))).toEqual([16, 16, 8, 7]);
  expect(diameter(3)).toBeGreaterThan(30);
  expect(diameter(1_000_000)).toBe(56);
});

it('reads colours', () => {
  expect(hex('rgb(36, 86, 214)')).toBe('#2456d6');
  expect(rgb('#ff8000')).toEqual([1, 128 / 255, 0]);
  expect(rgb('red')).toEqual([0.5, 0.5, 0.5]);
});

it('turns Mercator around and measures on it', () => {
  expect(lngOf(mercatorX(151.2))).toBeCloseTo(151.2, 9);
  expect(latOf(mercatorY(-33.8))).toBeCloseTo(-33.8, 9);
  const [a, b] = [
    haversine(10, 50, 10.01, 50.01),
    metresBetween(mercatorX(10), mercatorY(50), mercatorX(10.01), mercatorY(50.01)),
  ];
  expect(a).toBeGreaterThan(1300);
  expect(Math.abs(a - b) / a).toBeLessThan(0.005);
});

it('moves a matrix to an origin before it is rounded', () => {
  const matrix = [2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, -1, -1, 0, 1];
  expect([...moved(matrix, 0.25, 0.5)].slice(12)).toEqual([-0.5, 0.5, 0, 1]);
});

it('counts an unknown state as silent', () => {
  expect(['driving', 'idling', 'stopped', 'silent', 'x', null].map(stateNumber)).toEqual([0, 1, 2, 3, 3, 3]);
});
