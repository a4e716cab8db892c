// A track as columns: the way of one vehicle in the order of time. Everything that
// moves along it (chart, replay, cursor) asks here where the vehicle was.

/** Kind is what a vehicle did from a point to the next; hole where nothing is known. */
export type Kind = 'driving' | 'idling' | 'auxiliary' | 'stopped' | 'hole';

/** Track is a way; kind[i] is what happened between the points i and i+1. Times are milliseconds. */
export type Track = {
  time: number[];
  lng: number[];
  lat: number[];
  speed: (number | null)[];
  heading: (number | null)[];
  kind: Kind[];
};

/** Run is a part of a track of one kind, from a point to a point. */
export type Run = { kind: Kind; from: number; to: number };

/** Moment is where a vehicle was at a time. */
export type Moment = {
  index: number;
  time: number;
  lng: number;
  lat: number;
  speed: number | null;
  heading: number | null;
  kind: Kind;
};

/** runs joins neighbours of one kind. */
export function runs(track: Track): Run[] {
  const out: Run[] = [];
  for (let i = 0; i + 1 < track.time.length; i++) {
    const kind = track.kind[i] ?? 'hole';
    const last = out[out.length - 1];
    if (last && last.kind === kind) last.to = i + 1;
    else out.push({ kind, from: i, to: i + 1 });
  }
  return out;
}

/** indexAt is the last point at or before a time, and -1 before the first. */
export function indexAt(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** at is where the vehicle was at a time, between the points around it; null outside of the track. */
export function at(track: Track, time: number): Moment | null {
  const index = indexAt(track.time, time);
  const last = track.time.length - 1;
  if (index < 0 || (index === last && time > (track.time[last] as number))) return null;
  const next = Math.min(index + 1, last);
  const from = track.time[index] as number;
  const span = (track.time[next] as number) - from;
  const kind = track.kind[index] ?? 'stopped';
  const part = span > 0 && kind !== 'hole' ? (time - from) / span : 0;
  const between = (values: number[]) =>
    (values[index] as number) + ((values[next] as number) - (values[index] as number)) * part;
  return {
    index,
    time,
    lng: between(track.lng),
    lat: between(track.lat),
    speed: track.speed[index] ?? null,
    heading: track.heading[index] ?? null,
    kind,
  };
}

/** nextDriving is the time at which driving goes on, at or after a time; null where it does not. */
export function nextDriving(track: Track, time: number): number | null {
  const index = Math.max(0, indexAt(track.time, time));
  for (let i = index; i + 1 < track.time.length; i++) {
    if (track.kind[i] === 'driving') return Math.max(time, track.time[i] as number);
  }
  return null;
}
