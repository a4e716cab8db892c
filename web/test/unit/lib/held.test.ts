import { expect, test } from 'vitest';
import { held } from '../../../src/lib/held.svelte.ts';

const focus = (visible: boolean) => ({ target: { matches: () => visible } }) as unknown as FocusEvent;
const leave = (within: boolean) =>
  ({ currentTarget: { contains: () => within }, relatedTarget: null }) as unknown as FocusEvent;

test('the order waits while the pointer or the keyboard is in the list', () => {
  let now = ['a', 'b'];
  const order = held(
    () => now,
    () => 'all',
  );
  expect(order.value).toEqual(['a', 'b']);
  order.inside.onpointerenter();
  now = ['b', 'a'];
  expect(order.value).toEqual(['a', 'b']);
  order.inside.onpointerleave();
  expect(order.value).toEqual(['b', 'a']);

  order.inside.onfocusin(focus(true));
  now = ['a', 'b'];
  expect(order.value).toEqual(['b', 'a']);
  order.inside.onfocusout(leave(true));
  expect(order.value).toEqual(['b', 'a']);
  order.inside.onfocusout(leave(false));
  expect(order.value).toEqual(['a', 'b']);
});

test('a click leaves no hold behind, and another question is answered at once', () => {
  let [now, about] = [['a', 'b'], 'all'];
  const order = held(
    () => now,
    () => about,
  );
  expect(order.value).toEqual(['a', 'b']);
  order.inside.onfocusin(focus(false));
  now = ['b', 'a'];
  expect(order.value).toEqual(['b', 'a']);
  order.inside.onpointerenter();
  now = ['c'];
  about = 'driving';
  expect(order.value).toEqual(['c']);
});
