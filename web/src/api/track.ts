// Where a vehicle was: the way that the service has judged and simplified, and
// every position for those who take it away.

import type { Kind, Track } from '../map/track.ts';
import { api, data, every, page, type Schema } from './client.ts';

type Way = Schema['Track'];

/** loadTrack reads the way of [from, to): what a picture of it needs. Without a tolerance, in metres, nothing is left out that changes the line. */
export async function loadTrack(device: string, from: number, to: number, tolerance = 0): Promise<Track> {
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), tolerance };
  const call = api.GET('/device/{device_id}/track', { params: { path: { device_id: device }, query } });
  return fromWay(await data<Way>(call as never));
}

/** fromWay gives every point the kind of the stretch that it begins. */
export function fromWay(way: Pick<Way, 'points' | 'segments'>): Track {
  const { points } = way;
  const kind: Kind[] = [];
  for (const segment of way.segments) for (let i = segment.first; i < segment.last; i++) kind[i] = segment.kind;
  return {
    time: points.timestamp.map((at) => Date.parse(at)),
    lng: points.longitude,
    lat: points.latitude,
    speed: points.speed_kph,
    heading: points.heading,
    kind,
  };
}

export type Position = {
  timestamp: string;
  longitude: number;
  latitude: number;
  heading: number | null;
  speed: { speed_kph: number } | null;
  ignition: boolean | null;
  odometer_metres: number | null;
  suspect: string | null;
};

/** loadEvery reads every believed position of [from, to), for an export. */
export async function loadEvery(device: string, from: number, to: number): Promise<Track> {
  const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), limit: 1000 };
  const all = await every((cursor) => {
    const params = { path: { device_id: device }, query: { ...window, cursor } };
    return page<Position>(api.GET('/device/{device_id}/positions', { params }) as never);
  });
  return {
    time: all.map((p) => Date.parse(p.timestamp)),
    lng: all.map((p) => p.longitude),
    lat: all.map((p) => p.latitude),
    speed: all.map((p) => p.speed?.speed_kph ?? null),
    heading: all.map((p) => p.heading),
    kind: [],
  };
}
