import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../src/api/client.ts';
import { lagOf, pace, worst } from '../../../src/screens/connection/state.ts';

const health = (state: Schema['ConnectionHealth']['state'], ...errors: number[]) =>
  ({
    state,
    jobs: errors.map((consecutive_errors) => ({ consecutive_errors })),
  }) as unknown as Schema['ConnectionHealth'];

describe('the job whose trouble is the connection’s', () => {
  it('is the one that has failed most often', () => {
    expect(worst(health('failing', 1, 7, 3))?.consecutive_errors).toBe(7);
  });
  it('is missing where nothing fails', () => {
    expect(worst(health('healthy', 0, 0))).toBeUndefined();
    expect(worst(undefined)).toBeUndefined();
  });
  it('is missing for a connection that rests', () => {
    expect(worst(health('archived', 4))).toBeUndefined();
    expect(worst(health('disabled', 4))).toBeUndefined();
  });
});

describe('the lag of a connection', () => {
  const lag = (state: string, lag_seconds: number | null) =>
    ({
      state,
      jobs: [
        { kind: 'devices', lag_seconds: 240, backfill: null },
        { kind: 'positions', lag_seconds: null, backfill: {} },
        { kind: 'positions', lag_seconds, backfill: null },
      ],
    }) as unknown as Schema['ConnectionHealth'];
  it('is that of its positions', () => {
    expect(lagOf(lag('healthy', 7))).toBe(7);
  });
  it('is unknown before the first reading, and of one that rests', () => {
    expect(lagOf(lag('pending', null))).toBeUndefined();
    expect(lagOf(lag('disabled', 40))).toBeUndefined();
    expect(lagOf(undefined)).toBeUndefined();
  });
});

describe('the pace of a backfill', () => {
  const started_at = '2026-11-15T12:00:00Z';
  const later = Date.parse('2026-11-15T12:10:00Z');
  const job = (done_percent: number, state = 'active') =>
    ({ state, records: 500, backfill: { started_at, done_percent } }) as unknown as Schema['JobHealth'];
  it('is what was read so far, and the rest takes as long in proportion', () => {
    expect(pace(job(25), later)).toEqual({ perMinute: 50, left: 1800 });
  });
  it('is unknown before anything was read, and of no interest once it ends', () => {
    expect(pace(job(0), later)).toBeUndefined();
    expect(pace(job(100, 'done'), later)).toBeUndefined();
    expect(pace(job(25, 'canceled'), later)).toBeUndefined();
    expect(pace(job(25), Date.parse(started_at))).toBeUndefined();
  });
});
