import { expect, test } from 'vitest';
import { lag } from '../../../src/screens/event/lag.ts';

const event = (type: string, data: object) => ({ type, timestamp: '2026-11-15T12:00:30Z', data }) as never;

test('the lag of positions is that of the newest', () => {
  const positions = [{ timestamp: '2026-11-15T12:00:20Z' }, { timestamp: '2026-11-15T12:00:00Z' }];
  expect(lag(event('position.updated', { positions }))).toBe(10);
  expect(lag(event('position.updated', { positions: [] }))).toBeUndefined();
});

test('trips, states and steps say when they happened', () => {
  expect(lag(event('trip.completed', { end_time: '2026-11-15T11:59:30Z' }))).toBe(60);
  expect(lag(event('milestone.started', { occurred_at: '2026-11-15T12:00:25Z' }))).toBe(5);
  expect(lag(event('device.state_changed', { state: 'driving', state_since: '2026-11-15T12:00:00Z' }))).toBe(30);
});

test('what says nothing of its time has no lag, and none is negative', () => {
  expect(lag(event('device.state_changed', { state: 'silent', state_since: '2026-11-14T12:00:00Z' }))).toBeUndefined();
  expect(lag(event('connection.failing', {}))).toBeUndefined();
  expect(lag(event('milestone.updated', { end_time: '2026-11-15T11:00:00Z' }))).toBeUndefined();
  expect(lag(event('milestone.ended', { occurred_at: '2026-11-15T12:00:31Z' }))).toBe(0);
});
