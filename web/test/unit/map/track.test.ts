import { describe, expect, it } from 'vitest';
import { at, indexAt, nextDriving, runs, type Track } from '../../../src/map/track.ts';
import { boundsOf, features } from '../../../src/map/track-layer.ts';

const track: Track = {
  time: [0, 10, 20, 30, 40],
  lng: [1, 2, 3, 3, 5],
  lat: [0, 0, 1, 1, 2],
  speed: [50, 60, 0, null, 40],
  heading: [90, 90, 0, 0, 45],
  kind: ['driving', 'driving', 'idling', 'hole'],
};

describe('a track', () => {
  it('has runs of one kind that share their ends', () => {
    expect(runs(track)).toEqual([
      { kind: 'driving', from: 0, to: 2 },
      { kind: 'idling', from: 2, to: 3 },
      { kind: 'hole', from: 3, to: 4 },
    ]);
    expect(runs({ ...track, time: [0] })).toEqual([]);
  });

  it.each([
    [-1, -1],
    [0, 0],
    [9, 0],
    [10, 1],
    [99, 4],
  ])('at %i the last point is %i', (time, index) => {
    expect(indexAt(track.time, time)).toBe(index);
  });

  it('is between two points while it moves, and does not invent a way through a hole', () => {
    expect(at(track, 5)).toMatchObject({ lng: 1.5, lat: 0, speed: 50, kind: 'driving' });
    expect(at(track, 35)).toMatchObject({ lng: 3, lat: 1, kind: 'hole' });
    expect(at(track, 40)).toMatchObject({ lng: 5, lat: 2 });
    expect(at(track, -1)).toBeNull();
    expect(at(track, 41)).toBeNull();
  });

  it('skips to where driving goes on', () => {
    expect(nextDriving(track, 5)).toBe(5);
    expect(nextDriving(track, 25)).toBeNull();
    expect(nextDriving({ ...track, kind: ['idling', 'driving', 'idling', 'hole'] }, 3)).toBe(10);
  });

  it('is drawn as a line for each run and a point for each end', () => {
    const made = features(track);
    expect(made.map((feature) => feature.geometry.type)).toEqual([
      'LineString',
      'LineString',
      'LineString',
      'Point',
      'Point',
    ]);
    expect(features({ time: [], lng: [], lat: [], speed: [], heading: [], kind: [] })).toEqual([]);
    expect(boundsOf(track)).toEqual([1, 0, 5, 2]);
  });
});
