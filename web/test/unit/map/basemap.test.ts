import { describe, expect, it } from 'vitest';
import { cut, files, type Shapes, steps, type Waters } from '../../../build/basemap.ts';
import { places, shapes, smooth, waters } from '../../../src/map/basemap.ts';
import { line, type Places, points, waterScale } from '../../../src/map/steps.ts';

describe('the built-in basemap', () => {
  it.each(['shapes-110m', 'shapes-50m'])('%s: no edge jumps over the antimeridian, all is on the globe', (name) => {
    const made = files[name]?.() as Shapes;
    const rings = made.land.flat().map((ring) => line(ring));
    expect(rings.length).toBeGreaterThan(100);
    const faults = {
      jumps: 0,
      outside: 0,
      open: rings.filter((ring) => String(ring[0]) !== String(ring.at(-1))).length,
    };
    for (const way of [...rings, ...made.borders.map((way) => line(way))]) {
      for (const [i, [lng = 999, lat = 999]] of way.entries()) {
        if (Math.abs(lng) > 180 || Math.abs(lat) > 90) faults.outside++;
        if (i > 0 && Math.abs(lng - (way[i - 1]?.[0] ?? 999)) > 180) faults.jumps++;
      }
    }
    expect(faults).toEqual({ jumps: 0, outside: 0, open: 0 });
  });

  it('knows countries and cities where they are', () => {
    const find = (all: Places, name: string) => {
      const i = all.name.indexOf(name);
      return points(all)[i]?.map(Math.round);
    };
    expect(find(files.countries?.() as Places, 'Germany')).toEqual([10, 51]);
    expect(find(files.cities?.() as Places, 'Melbourne')).toEqual([145, -38]);
  });

  it('has lakes, rivers and states that lie on the globe', () => {
    const made = files.waters?.() as Waters;
    expect([made.lakes.length, made.rivers.length, made.states.length].every((n) => n > 100)).toBe(true);
    const ways = [...made.lakes.flat(), ...made.rivers, ...made.states].map((way) => line(way, waterScale));
    expect(ways.flat().every(([lng = 999, lat = 999]) => Math.abs(lng) <= 180 && Math.abs(lat) <= 90)).toBe(true);
    const jumps = ways.filter((way) =>
      way.some(([lng = 0], i) => i > 0 && Math.abs(lng - (way[i - 1]?.[0] ?? 0)) > 30),
    );
    expect(jumps).toEqual([]);
    expect(waters(made).features.map(({ properties }) => properties?.kind)).toEqual(['lake', 'river', 'state']);
    // The Danube is near Vienna, Lake Superior where it is.
    expect(
      made.rivers
        .flatMap((way) => line(way, waterScale))
        .some(([lng = 0, lat = 0]) => Math.abs(lng - 16.4) < 0.2 && Math.abs(lat - 48.2) < 0.2),
    ).toBe(true);
    expect(
      made.lakes
        .flat()
        .flatMap((way) => line(way, waterScale))
        .some(([lng = 0, lat = 0]) => Math.abs(lng + 87) < 1 && Math.abs(lat - 47) < 1),
    ).toBe(true);
  });

  it('cuts corners, and leaves ends and rings as they are', () => {
    expect(
      smooth([
        [0, 0],
        [4, 0],
        [4, 4],
      ]),
    ).toEqual([
      [0, 0],
      [1, 0],
      [3, 0],
      [4, 1],
      [4, 3],
      [4, 4],
    ]);
    const ring = smooth([
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 0],
    ]);
    expect(ring[0]).toEqual(ring.at(-1));
    expect(
      smooth([
        [0, 0],
        [1, 1],
      ]),
    ).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('has no town that is a city too', () => {
    const cities = files.cities?.() as Places;
    const towns = files.towns?.() as Places;
    expect(Math.min(...cities.rank)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...towns.rank)).toBeLessThanOrEqual(100);
    expect(towns.name.length).toBeGreaterThan(10_000);
    // Where no town is large, the largest of a region stands for it.
    expect(['Ararat', 'Coober Pedy', 'Tonopah'].filter((name) => !towns.name.includes(name))).toEqual([]);
  });
});

it('cuts a ring that crosses the antimeridian in two', () => {
  const made = cut({
    type: 'Polygon',
    coordinates: [
      [
        [170, 0],
        [170, 10],
        [-170, 10],
        [-170, 0],
        [170, 0],
      ],
    ],
  });
  expect(made.type).toBe('MultiPolygon');
});

it('walks the steps that it made, to the thousandth of a degree', () => {
  const way = steps([
    [1.23456, -2],
    [1.23456, -2.00001],
    [3, 4],
  ]);
  expect(way).toEqual([1235, 2000, 1765, -6000]);
  expect(line(way)).toEqual([
    [1.235, 2],
    [3, -4],
  ]);
});

it('makes GeoJSON of shapes and places', () => {
  const made = shapes({ land: [[[0, 0, 1000, 0, 0, 1000, -1000, -1000]]], borders: [[0, 0, 5000, 0]] });
  expect(made.features.map((feature) => feature.geometry.type)).toEqual(['MultiPolygon', 'MultiLineString']);
  expect(places({ name: ['X'], x: [750], y: [-1000], rank: [7] }, 'city')).toEqual([
    {
      type: 'Feature',
      properties: { kind: 'city', name: 'X', rank: 7 },
      geometry: { type: 'Point', coordinates: [1.5, -2] },
    },
  ]);
});

it('countries are called as their language has it', () => {
  const from = { name: ['Germany', 'Somaliland'], x: [0, 0], y: [0, 0], rank: [1, 1], code: ['DE', ''] };
  const names = (language: string) => places(from, 'country', language).map((place) => place.properties?.name);
  expect(names('en')).toEqual(['Germany', 'Somaliland']);
  expect(names('de')).toEqual(['Deutschland', 'Somaliland']);
});
