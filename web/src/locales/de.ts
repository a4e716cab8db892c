import { common } from './de/common.ts';
import { connection } from './de/connection.ts';
import { device } from './de/device.ts';
import { event } from './de/event.ts';
import { exports } from './de/export.ts';
import { map } from './de/map.ts';
import { milestone } from './de/milestone.ts';
import { overview } from './de/overview.ts';
import { record } from './de/record.ts';
import { settings } from './de/settings.ts';
import { trip } from './de/trip.ts';
import { webhook } from './de/webhook.ts';
import type { Words } from './en.ts';

export const de: Words = {
  ...common,
  ...connection,
  ...device,
  ...event,
  ...exports,
  ...map,
  ...milestone,
  ...overview,
  ...record,
  ...settings,
  ...trip,
  ...webhook,
};
