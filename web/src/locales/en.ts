import { common } from './en/common.ts';

export const en = { ...common };

export type Words = { [K in keyof typeof en]: string };
