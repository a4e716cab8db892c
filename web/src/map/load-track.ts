// Where a vehicle was: its positions of a time as a track.
import { api, page } from '../api/client.ts';
import type { Kind, Track } from './track.ts';

type Position = {
  timestamp: string;
  longitude: number;
  latitude: number;
  heading: number | null;
  speed: { speed_kph: number } | null;
  ignition: boolean | null;
  auxiliary: boolean | null;
};

const hole = 15 * 60_000; // between two positions of a vehicle that moved
const moving = 5; // km/h
const mostPages = 20;

/** loadTrack reads the believed positions of [from, to). */
export async function loadTrack(device: string, from: number, to: number): Promise<Track> {
  const all: Position[] = [];
  let cursor: string | undefined;
  for (let i = 0; i < mostPages; i++) {
    const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), limit: 1000, cursor };
    const call = api.GET('/device/{device_id}/positions', { params: { path: { device_id: device }, query } });
    const next = await page<Position>(call as never);
    all.push(...next.items);
    cursor = next.next;
    if (!cursor) break;
  }
  return makeTrack(all);
}

/** makeTrack judges what happened between each position and the next. */
export function makeTrack(positions: Position[]): Track {
  const time = positions.map((p) => Date.parse(p.timestamp));
  return {
    time,
    lng: positions.map((p) => p.longitude),
    lat: positions.map((p) => p.latitude),
    speed: positions.map((p) => p.speed?.speed_kph ?? null),
    heading: positions.map((p) => p.heading),
    kind: positions.slice(0, -1).map((p, i) => kindOf(p, positions[i + 1] as Position)),
  };
}

function kindOf(p: Position, next: Position): Kind {
  const gap = Date.parse(next.timestamp) - Date.parse(p.timestamp);
  const moved = Math.abs(next.latitude - p.latitude) + Math.abs(next.longitude - p.longitude) > 0.002;
  const fast = (p.speed?.speed_kph ?? 0) >= moving;
  if (gap > hole && (moved || fast)) return 'hole';
  if (fast || moved) return 'driving';
  if (p.auxiliary) return 'auxiliary';
  return p.ignition ? 'idling' : 'stopped';
}
