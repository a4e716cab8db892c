// How records are called on the screen.
import type { Schema } from '../api/client.ts';
import { t } from './i18n.svelte.ts';
import { number, speed } from './units.ts';

/** A vehicle's name: its description, its plate, or the provider's own id. */
export function deviceName(device: Schema['Device'] | undefined): string {
  if (!device) return '…';
  return device.description || device.registration || device.system_device_id;
}

/** A driver's name, or what there is instead of one. */
export const driverName = (driver: Schema['Driver'] | null | undefined, otherwise = '…') =>
  driver ? (driver.name ?? driver.system_driver_id) : otherwise;

/** A provider's name in the spelling of its owner; empty while the providers are not known yet. */
export const providerName = (id: string, providers: Schema['Provider'][] | undefined) =>
  providers ? (providers.find((p) => p.name === id)?.title ?? id) : '';

/** What a service or a network library says, as a sentence of its own: it mostly begins small. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const shortId = (id: string) => id.slice(-8);

/** How strong a safety event was, in the numbers that the provider gives; empty where it gives none. */
export function strength(e: Schema['SafetyEvent']): string {
  const pull = e.acceleration_g ?? e.lateral_g;
  if (pull !== null) return `${number(Math.abs(pull), 2)} g`;
  const fast = e.max_speed_kph ?? e.speed_kph;
  if (fast === null) return '';
  if (e.speed_limit_kph === null) return speed(fast);
  return t('safety.over', { speed: speed(fast), limit: speed(e.speed_limit_kph) });
}
