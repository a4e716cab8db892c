// What went wrong on a vehicle's day, and what its tank and its battery held.
import type { Fault, Reading, SafetyEvent } from '../../api/records.ts';
import { t } from '../../lib/i18n.svelte.ts';
import { strength } from '../../lib/names.ts';
import type { Day } from './day.ts';

/** Incident is a fault, which lasts, or a danger, which is a moment. */
export type Incident = {
  id: string;
  kind: 'fault' | 'danger';
  /** Where it begins and ends within the day. */
  from: number;
  to: number;
  name: string;
  detail: string;
  /** Where it was, where the provider says that. */
  place: { lng: number; lat: number } | null;
};

/** incidents puts the faults and dangers of a day in the order of time. */
export function incidents(faults: Fault[], dangers: SafetyEvent[], day: Day, now: number): Incident[] {
  const end = Math.min(day.to, now);
  const broken = faults.map(
    (f): Incident => ({
      id: f.id,
      kind: 'fault',
      from: Math.max(day.from, Date.parse(f.first_seen_at)),
      to: Math.min(end, f.closed_at ? Date.parse(f.closed_at) : end),
      name: f.code,
      detail: f.description ?? '',
      place: null,
    }),
  );
  const dangerous = dangers.map((e): Incident => {
    const at = Date.parse(e.start_time);
    const place = e.latitude !== null && e.longitude !== null ? { lng: e.longitude, lat: e.latitude } : null;
    return { id: e.id, kind: 'danger', from: at, to: at, name: t(`safety.${e.type}`), detail: strength(e), place };
  });
  return [...broken, ...dangerous].sort((a, b) => a.from - b.from);
}

/** Level is how full something was over a day, in percent. */
export type Level = { kind: Reading['kind']; times: number[]; values: number[] };

/** The kinds of which a level is drawn. */
export const levelKinds: Reading['kind'][] = ['fuel_level_percent', 'charge_percent'];

/** levels are the lines of each kind: of several series the one that says most, as no two may be mixed. */
export function levels(readings: Reading[]): Level[] {
  const series = new Map<string, Level>();
  for (const r of readings) {
    const name = [r.kind, r.channel, r.source, r.native_name].join(' ');
    const line = series.get(name) ?? { kind: r.kind, times: [], values: [] };
    series.set(name, line);
    line.times.push(Date.parse(r.timestamp));
    line.values.push(r.value);
  }
  return levelKinds.flatMap((kind) => {
    const of = [...series.values()].filter((line) => line.kind === kind);
    return of.sort((a, b) => b.times.length - a.times.length).slice(0, 1);
  });
}

/** levelAt is what a level was at a time, by the newest reading until then. */
export function levelAt(level: Level, time: number): number | undefined {
  const next = level.times.findIndex((at) => at > time);
  return level.values[(next < 0 ? level.times.length : next) - 1];
}
