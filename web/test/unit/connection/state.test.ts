import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../src/api/client.ts';
import { worst } from '../../../src/screens/connection/state.ts';

const health = (state: Schema['ConnectionHealth']['state'], ...errors: number[]) =>
  ({
    state,
    streams: errors.map((consecutive_errors) => ({ consecutive_errors })),
  }) as unknown as Schema['ConnectionHealth'];

describe('the stream whose trouble is the connection’s', () => {
  it('is the one that has failed most often', () => {
    expect(worst(health('failing', 1, 7, 3))?.consecutive_errors).toBe(7);
  });
  it('is none where nothing fails', () => {
    expect(worst(health('healthy', 0, 0))).toBeUndefined();
    expect(worst(undefined)).toBeUndefined();
  });
  it('is none of a connection that rests', () => {
    expect(worst(health('archived', 4))).toBeUndefined();
    expect(worst(health('disabled', 4))).toBeUndefined();
  });
});
