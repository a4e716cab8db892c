import { expect, it } from 'vitest';
import { grid } from '../../../src/map/near.ts';
import { arrival, findPlaces } from '../../../src/screens/map/reach.ts';

const towns = grid([
  {
    name: ['Springfield', 'Springfield', 'Ballarat', 'Château'],
    x: [-44_800, 117_300, -575, -70_925],
    y: [19_900, -38_400, -280, 42_780],
    rank: [1, 1, 1, 1],
  },
]);
const vehicles = [
  { id: 'a', name: 'Truck 7', plate: 'ABC-123', lng: 144, lat: -37 },
  { id: 'b', name: 'Truck 70', plate: null, lng: null, lat: null },
];
const here = { lng: 144, lat: -37 };
const find = (text: string) => findPlaces(text, vehicles, towns, here);

it('understands coordinates, and refuses those that are none', () => {
  expect(find('-37.81, 144.96')).toEqual([{ name: '-37.81, 144.96', lng: 144.96, lat: -37.81 }]);
  expect(find('-37.81 200')).toEqual([]);
});

it('finds vehicles by name and plate, but none without a place', () => {
  expect(find('truck 7')).toEqual([{ name: 'Truck 7', lng: 144, lat: -37, vehicle: 'a' }]);
  expect(find('abc')[0]?.vehicle).toBe('a');
});

it('finds towns without accents, the nearest of a name first', () => {
  expect(find('chateau')[0]?.name).toBe('Château');
  expect(find('spring').map(({ lng }) => lng)).toEqual([145, -89.6]);
  expect(find('s')).toEqual([]);
});

it('gives an arrival as a range that widens with the way', () => {
  const near = arrival(1000, 0);
  const far = arrival(100_000, 0);
  expect(near.from).toBeLessThan(near.to);
  expect(far.to - far.from).toBeGreaterThan(near.to - near.from);
  expect(far.from / 60_000).toBeCloseTo(90, 0);
});
