import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pause, steady, waitAfter } from '../../../src/lib/patience.ts';

const page = new EventTarget();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Fails so many times before it succeeds. */
function failing(times: number) {
  const action = vi.fn(async () => {
    if (action.mock.calls.length <= times) throw new Error('no connection');
    return 'there';
  });
  return action;
}

test('waits grow up to a bound', () => {
  expect([1, 2, 3, 4, 5, 20].map(waitAfter)).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
});

test('what fails is tried again until it succeeds', async () => {
  const action = failing(2);
  const done = steady(action);
  await vi.advanceTimersByTimeAsync(2999);
  expect(action).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(await done).toBe('there');
  expect(action).toHaveBeenCalledTimes(3);
});

test('back on the network it is tried at once', async () => {
  const action = failing(1);
  const done = steady(action);
  await vi.advanceTimersByTimeAsync(1);
  page.dispatchEvent(new Event('online'));
  expect(await done).toBe('there');
});

test('what is no longer wanted is not tried again', async () => {
  const action = failing(9);
  const ending = new AbortController();
  const done = expect(steady(action, ending.signal)).rejects.toThrow('no connection');
  await vi.advanceTimersByTimeAsync(1);
  ending.abort();
  await done;
  await pause(0, ending.signal);
  expect(action).toHaveBeenCalledTimes(1);
});
