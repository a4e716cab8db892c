import { describe, expect, it } from 'vitest';
import { clusters, type Input } from '../../../src/map/cluster.ts';

const world = { west: 0, north: 0, east: 1, south: 1 };

function fleet(places: [x: number, y: number, state: number, out?: number][], zoom = 5, bounds = world): Input {
  return {
    x: Float64Array.from(places, (place) => place[0]),
    y: Float64Array.from(places, (place) => place[1]),
    state: Uint8Array.from(places, (place) => place[2]),
    out: Uint8Array.from(places, (place) => place[3] ?? 0),
    count: places.length,
    zoom,
    bounds,
  };
}

describe('clusters', () => {
  it('counts by state and knows its members and its bounds', () => {
    const found = clusters(
      fleet([
        [0.5, 0.5, 0],
        [0.5001, 0.5, 0],
        [0.5, 0.5002, 3],
        [0.9, 0.9, 1],
      ]),
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ count: 3, byState: [2, 0, 0, 1], rows: [0, 1, 2] });
    expect(found[0]?.bounds).toEqual({ west: 0.5, north: 0.5, east: 0.5001, south: 0.5002 });
  });

  it('leaves two vehicles beside one another alone', () => {
    expect(
      clusters(
        fleet([
          [0.5, 0.5, 0],
          [0.5001, 0.5, 0],
        ]),
      ),
    ).toEqual([]);
  });

  it('leaves out what the filter hides and what is out of the bounds', () => {
    const places: [number, number, number, number?][] = [
      [0.5, 0.5, 0],
      [0.5, 0.5, 0, 1],
      [0.5, 0.5, 0],
      [0.5, 0.5, 0],
    ];
    expect(clusters(fleet(places))[0]?.rows).toEqual([0, 2, 3]);
    expect(clusters(fleet(places, 5, { west: 0.6, north: 0, east: 1, south: 1 }))).toEqual([]);
  });

  it('joins cells whose middles are too near to tell apart', () => {
    const size = 72 / (512 * 32);
    const edge = Math.ceil(0.5 / size) * size;
    const around = (x: number) => Array.from({ length: 4 }, (): [number, number, number] => [x, 0.5, 0]);
    const found = clusters(fleet([...around(edge - size * 0.1), ...around(edge + size * 0.1)]));
    expect(found.map((cluster) => cluster.count)).toEqual([8]);
    expect(found[0]?.x).toBeCloseTo(edge, 9);
  });

  it('keeps the keys while the map is panned', () => {
    const places: [number, number, number][] = [
      [0.5, 0.5, 0],
      [0.5, 0.5, 0],
      [0.5, 0.5, 0],
    ];
    const panned = clusters(fleet(places, 5, { west: 0.45, north: 0.2, east: 0.7, south: 0.6 }));
    expect(panned[0]?.key).toBe(clusters(fleet(places))[0]?.key);
  });
});
