import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

/** Whether the pointer or the focus is at the messages. */
let touched = false;

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  browser();
  touched = false;
  Object.assign(document, { querySelector: () => (touched ? {} : null) });
});
afterEach(() => vi.useRealTimers());

const load = () => import('../../../src/ui/toast.svelte.ts');

test('a message goes by itself, but not while the reader is at it', async () => {
  const { messages, toast } = await load();
  toast('Saved');
  touched = true;
  vi.advanceTimersByTime(60_000);
  expect(messages().map((m) => m.text)).toEqual(['Saved']);
  touched = false;
  vi.advanceTimersByTime(1000);
  expect(messages()).toEqual([]);
});

test('what can be undone is done when its message goes, not before', async () => {
  const { later } = await load();
  const done = vi.fn(async () => undefined);
  touched = true;
  later('Deleted', done);
  vi.advanceTimersByTime(60_000);
  expect(done).not.toHaveBeenCalled();
  touched = false;
  vi.advanceTimersByTime(1000);
  expect(done).toHaveBeenCalledOnce();
});

test('what was undone is not done, what was closed is done at once', async () => {
  const { dismiss, later, messages } = await load();
  const [kept, gone, undone] = [vi.fn(async () => undefined), vi.fn(async () => undefined), vi.fn()];
  later('Deleted', kept, undone);
  later('Deleted too', gone);
  const [first, second] = messages().map((m) => m.id) as [number, number];
  dismiss(first, true);
  dismiss(second);
  expect(undone).toHaveBeenCalledOnce();
  expect(gone).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(60_000);
  expect(kept).not.toHaveBeenCalled();
  expect(gone).toHaveBeenCalledOnce();
});

test('a message that makes room for others is done with', async () => {
  const { later, messages, toast } = await load();
  const done = vi.fn(async () => undefined);
  later('Deleted', done);
  for (const text of ['one', 'two', 'three']) toast(text);
  expect(messages().map((m) => m.text)).toEqual(['one', 'two', 'three']);
  expect(done).toHaveBeenCalledOnce();
});
