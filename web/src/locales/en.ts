import { common } from './en/common.ts';
import { connection } from './en/connection.ts';
import { device } from './en/device.ts';
import { event } from './en/event.ts';
import { exports } from './en/export.ts';
import { map } from './en/map.ts';
import { milestone } from './en/milestone.ts';
import { overview } from './en/overview.ts';
import { record } from './en/record.ts';
import { settings } from './en/settings.ts';
import { trip } from './en/trip.ts';
import { webhook } from './en/webhook.ts';

export const en = {
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

export type Words = { [K in keyof typeof en]: string };
