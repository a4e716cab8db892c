import { common } from './de/common.ts';
import type { Words } from './en.ts';

export const de: Words = { ...common };
