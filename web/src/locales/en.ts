import { common } from './en/common.ts';
import { device } from './en/device.ts';
import { map } from './en/map.ts';
import { overview } from './en/overview.ts';
import { trip } from './en/trip.ts';

export const en = {
  ...common,
  ...device,
  ...map,
  ...overview,
  ...trip,
};

export type Words = { [K in keyof typeof en]: string };
