import { beforeAll, expect, test } from 'vitest';
import type { Assignment, Fault, Reading, SafetyEvent } from '../../../src/api/records.ts';
import { daysOf } from '../../../src/screens/driver/days.ts';
import { browser } from '../browser.ts';

const hour = 3_600_000;
const iso = (time: number) => new Date(time).toISOString();

beforeAll(() => browser('http://localhost/console/', 'en-GB'));

test('incidents are cut at the ends of the day, and an open fault goes on until now', async () => {
  const { incidents } = await import('../../../src/screens/device/incident.ts');
  const day = { name: '1970-01-02', from: 24 * hour, to: 48 * hour };
  const fault = (from: number, to: number | null) =>
    ({ id: `f${from}`, code: 'P0420', first_seen_at: iso(from), closed_at: to && iso(to), description: null }) as Fault;
  const braking = {
    id: 'e',
    type: 'harsh_braking',
    start_time: iso(30 * hour),
    acceleration_g: -0.47,
    latitude: null,
    longitude: null,
  } as SafetyEvent;
  const all = incidents([fault(40 * hour, null), fault(20 * hour, 25 * hour)], [braking], day, 44 * hour);
  expect(all.map(({ kind, from, to }) => [kind, from / hour, to / hour])).toEqual([
    ['fault', 24, 25],
    ['danger', 30, 30],
    ['fault', 40, 44],
  ]);
  expect(all[1]).toMatchObject({ name: 'Harsh braking', detail: '0.47 g', place: null });
});

test('a level is of one series: two are never mixed', async () => {
  const { levels, levelAt } = await import('../../../src/screens/device/incident.ts');
  const reading = (kind: string, native_name: string, at: number, value: number) =>
    ({ kind, native_name, timestamp: iso(at), value, channel: null, source: 'vehicle' }) as Reading;
  const found = levels([
    reading('charge_percent', 'soc', hour, 80),
    reading('fuel_level_percent', 'can', hour, 50),
    reading('fuel_level_percent', 'float', hour, 10),
    reading('fuel_level_percent', 'can', 2 * hour, 40),
  ]);
  expect(found.map(({ kind, values }) => [kind, values])).toEqual([
    ['fuel_level_percent', [50, 40]],
    ['charge_percent', [80]],
  ]);
  const [fuel] = found;
  expect(fuel && [0, hour, 1.5 * hour, 3 * hour].map((time) => levelAt(fuel, time))).toEqual([undefined, 50, 50, 40]);
});

test('a driver has days: assignments are cut at midnight, newest day first, and one goes on until now', () => {
  const drove = (device_id: string, from: number, to: number | null) =>
    ({ device_id, start_time: iso(from), end_time: to && iso(to) }) as Assignment;
  const days = [0, 1, 2].map((n) => ({ name: `day ${n}`, from: 24 * n * hour, to: 24 * (n + 1) * hour }));
  const all = daysOf([drove('a', 20 * hour, 26 * hour), drove('b', 30 * hour, null)], days, 33 * hour);
  expect(all.map(({ name, seconds }) => [name, seconds / 3600])).toEqual([
    ['day 1', 5],
    ['day 0', 4],
  ]);
  expect(all[0]?.stretches.map((s) => s.device)).toEqual(['a', 'b']);
});

test('a reading is shown in the reader’s units', async () => {
  const { reading } = await import('../../../src/lib/units.ts');
  expect(reading('fuel_level_percent', 57.4)).toBe('57%');
  expect(reading('engine_seconds', 7200)).toBe('2 h');
  expect(reading('fuel_used_litres', 12.34)).toBe('12.3 l');
  expect(reading('coolant_celsius', 84)).toBe('84 °C');
  expect(reading('supply_volts', 27.6)).toBe('27.6 V');
});
