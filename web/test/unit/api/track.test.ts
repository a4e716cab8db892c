import { expect, it, vi } from 'vitest';

vi.mock('../../../src/api/client.ts', () => ({ api: {}, data: () => undefined, page: () => undefined }));
const { fromWay } = await import('../../../src/api/track.ts');

it('gives every point the kind of the stretch that it begins', () => {
  const points = {
    timestamp: ['1970-01-01T00:00:01Z', '1970-01-01T00:00:02Z', '1970-01-01T00:00:03Z', '1970-01-01T00:00:04Z'],
    longitude: [1, 2, 3, 4],
    latitude: [5, 6, 7, 8],
    heading: [null, 90, 90, null],
    speed_kph: [0, 50, 50, null],
  };
  const at = { start_time: '', end_time: '' };
  const track = fromWay({
    points,
    segments: [
      { kind: 'stopped', first: 0, last: 1, ...at },
      { kind: 'driving', first: 1, last: 3, ...at },
    ],
  });
  expect(track.kind).toEqual(['stopped', 'driving', 'driving']);
  expect(track.time).toEqual([1000, 2000, 3000, 4000]);
  expect(track.speed).toEqual([0, 50, 50, null]);
});
