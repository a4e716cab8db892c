import { expect, it } from 'vitest';
import type { Track } from '../../../src/map/track.ts';
import { Clock } from '../../../src/screens/device/clock.svelte.ts';

const track: Track = {
  time: [1000, 2000, 5000, 6000],
  lng: [0, 0, 0, 0],
  lat: [0, 0, 0, 0],
  speed: [9, 0, 9, 9],
  heading: [null, null, null, null],
  kind: ['driving', 'stopped', 'driving'],
};

/** A clock whose frames the test makes. */
function make() {
  let frame: ((at: number) => void) | undefined;
  const clock = new Clock(
    () => track,
    (next) => {
      frame = next;
      return 1;
    },
    () => {
      frame = undefined;
    },
  );
  return { clock, tick: (at: number) => frame?.(at) };
}

it('plays faster than life and stops at the end', () => {
  const { clock, tick } = make();
  clock.rate = 10;
  clock.skip = false;
  clock.toggle();
  expect(clock.time).toBe(1000);
  tick(100);
  tick(150);
  expect(clock.time).toBe(1500);
  for (let at = 200; at < 2000; at += 50) tick(at);
  expect(clock.time).toBe(6000);
  expect(clock.playing).toBe(false);
});

it('skips what is no driving', () => {
  const { clock, tick } = make();
  clock.rate = 10;
  clock.toggle();
  tick(100);
  tick(205);
  expect(clock.time).toBe(5000);
});

it('does not run ahead after a tab was hidden', () => {
  const { clock, tick } = make();
  clock.rate = 1;
  clock.toggle();
  tick(100);
  tick(60_100);
  expect(clock.time).toBe(1250);
});

it('starts again at the end, and goes on where it was put', () => {
  const { clock } = make();
  clock.seek(6000);
  clock.toggle();
  expect(clock.time).toBe(1000);
  clock.toggle();
  clock.seek(5500);
  clock.toggle();
  expect(clock.time).toBe(5500);
});
