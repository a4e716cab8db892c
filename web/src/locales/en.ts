import { common } from './en/common.ts';
import { device } from './en/device.ts';
import { map } from './en/map.ts';

export const en = { ...common, ...map, ...device };

export type Words = { [K in keyof typeof en]: string };
