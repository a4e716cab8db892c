import { describe, expect, it } from 'vitest';
import type { Track } from '../../../src/map/track.ts';
import { type Day, parts, totals, write } from '../../../src/screens/device/day.ts';

const day: Day = { name: '2026-11-15', from: 0, to: 86_400_000 };
const track: Track = {
  time: [3_600_000, 7_200_000, 10_800_000, 14_400_000],
  lng: [1, 2, 3, 3],
  lat: [4, 5, 6, 6],
  speed: [50, 80, 0, null],
  heading: [90, 90, null, null],
  kind: ['driving', 'driving', 'idling'],
};

describe('parts of a day', () => {
  it('cover the whole day up to now, without a gap', () => {
    const all = parts(track, day, 18_000_000);
    expect(all).toEqual([
      { kind: 'hole', from: 0, to: 3_600_000, fastest: null },
      { kind: 'driving', from: 3_600_000, to: 10_800_000, fastest: 80 },
      { kind: 'idling', from: 10_800_000, to: 14_400_000, fastest: 0 },
      { kind: 'hole', from: 14_400_000, to: 18_000_000, fastest: null },
    ]);
    expect(totals(all)).toMatchObject({ driving: 7200, idling: 3600, hole: 7200, stopped: 0 });
  });

  it('have no hole where a vehicle has reported within the last quarter of an hour', () => {
    expect(parts(track, day, 14_400_000 + 899_000).at(-1)?.kind).toBe('idling');
    expect(parts(track, day, 14_400_000 + 900_000).at(-1)).toMatchObject({ kind: 'hole', from: 14_400_000 });
  });

  it('are one hole where nothing is known, and end with the day', () => {
    const none = { ...track, time: [], lng: [], lat: [], kind: [] };
    expect(parts(none, day, day.to + 5)).toEqual([{ kind: 'hole', from: 0, to: day.to, fastest: null }]);
  });
});

describe('an export', () => {
  const text = (format: 'gpx' | 'csv' | 'geojson') => write(track, format).text();

  it('has a row for each point as CSV, empty where a value is not known', async () => {
    const lines = (await text('csv')).trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe('1970-01-01T01:00:00.000Z,4,1,50,90');
    expect(lines[4]).toBe('1970-01-01T04:00:00.000Z,6,3,,');
  });

  it('has every point as GPX and GeoJSON, latitude and longitude in their own order', async () => {
    expect((await text('gpx')).match(/<trkpt lat="4" lon="1">/g)).toHaveLength(1);
    expect((await text('gpx')).match(/<trkpt /g)).toHaveLength(4);
    expect(JSON.parse(await text('geojson')).geometry.coordinates[0]).toEqual([1, 4]);
  });
});
