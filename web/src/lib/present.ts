// The service's present: the demo's time may begin elsewhere and run faster than the reader's.
import { pageConfig } from './config.ts';

let since = 0;
let start = 0;
let speed = 1;

/** The service's present. */
export const present = () => start + (Date.now() - since) * speed;

/** How many times as fast as the reader's the service's time runs. */
export const timeSpeed = () => speed;

/** Settles when the present is known; the reader's own until then. */
export const presentKnown: Promise<void> = pageConfig().then((config) => {
  if (!config?.demo) return;
  since = Date.parse(config.demo.since);
  start = Date.parse(config.demo.start);
  speed = config.demo.speed;
});
