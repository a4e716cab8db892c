// A day in the reader's zone, its parts, and what was exported of it.
import type { Kind, Run, Track } from '../../map/track.ts';
import { runs } from '../../map/track.ts';

/** Day is [from, to) in milliseconds; a day with a change of clocks has 23 or 25 hours. */
export type Day = { name: string; from: number; to: number };

/** Part is a stretch of a day in which a vehicle did one thing. */
export type Part = { kind: Kind; from: number; to: number; fastest: number | null };

/** A vehicle that has reported so lately is not silent: that it has not reported since is no hole. */
const silence = 15 * 60_000;

/** parts cuts a day into what the vehicle did; what is not covered is a hole. */
export function parts(track: Track, day: Day, now: number): Part[] {
  const out: Part[] = [];
  const end = Math.min(day.to, now);
  const add = (kind: Kind, from: number, to: number, fastest: number | null) => {
    if (to > from) out.push({ kind, from, to, fastest });
  };
  let at = day.from;
  for (const run of runs(track)) {
    const from = track.time[run.from] as number;
    add('hole', at, Math.min(from, end), null);
    at = Math.min(track.time[run.to] as number, end);
    add(run.kind, Math.max(from, day.from), at, fastest(track, run));
  }
  if (end - at >= silence) add('hole', at, end, null);
  return join(out);
}

function fastest(track: Track, run: Run): number | null {
  const known = track.speed.slice(run.from, run.to + 1).filter((speed) => speed !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

function join(all: Part[]): Part[] {
  const out: Part[] = [];
  for (const part of all) {
    const last = out[out.length - 1];
    if (last && last.kind === part.kind && last.to === part.from) {
      last.to = part.to;
      last.fastest = last.fastest === null ? part.fastest : Math.max(last.fastest, part.fastest ?? 0);
    } else out.push({ ...part });
  }
  return out;
}

/** totals is the seconds of each kind. */
export function totals(all: Part[]): Record<Kind, number> {
  const sums: Record<Kind, number> = { driving: 0, idling: 0, auxiliary: 0, stopped: 0, hole: 0 };
  for (const part of all) sums[part.kind] += (part.to - part.from) / 1000;
  return sums;
}

/** Format is a way to write a track. */
export type Format = 'gpx' | 'csv' | 'geojson';

const types: Record<Format, string> = { gpx: 'application/gpx+xml', csv: 'text/csv', geojson: 'application/geo+json' };

/** write writes a track as a file. */
export function write(track: Track, format: Format): Blob {
  return new Blob([writers[format](track)], { type: types[format] });
}

const writers: Record<Format, (track: Track) => string> = {
  gpx(track) {
    const points = track.time.map(
      (time, i) =>
        `<trkpt lat="${track.lat[i]}" lon="${track.lng[i]}"><time>${new Date(time).toISOString()}</time></trkpt>`,
    );
    return `<?xml version="1.0" encoding="UTF-8"?>\n<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="drover"><trk><trkseg>${points.join('')}</trkseg></trk></gpx>\n`;
  },
  csv(track) {
    const rows = track.time.map((time, i) =>
      [new Date(time).toISOString(), track.lat[i], track.lng[i], track.speed[i] ?? '', track.heading[i] ?? ''].join(
        ',',
      ),
    );
    return ['timestamp,latitude,longitude,speed_kph,heading', ...rows, ''].join('\r\n');
  },
  geojson(track) {
    const coordinates = track.lng.map((lng, i) => [lng, track.lat[i]]);
    const times = track.time.map((time) => new Date(time).toISOString());
    return JSON.stringify({
      type: 'Feature',
      properties: { times, speed_kph: track.speed },
      geometry: { type: 'LineString', coordinates },
    });
  },
};
