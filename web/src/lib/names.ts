// How records are called on the screen.
import type { Schema } from '../api/client.ts';

/** A vehicle's name: its description, its plate, or the provider's own id. */
export function deviceName(device: Schema['Device'] | undefined): string {
  if (!device) return '…';
  return device.description || device.registration || device.system_device_id;
}

/** Provider identifiers in the spelling of their owners. */
const spelled: Record<string, string> = {
  gpswox: 'GPSWOX',
  john_deere: 'John Deere',
  mix_telematics: 'MiX Telematics',
  teletrac_navman: 'Teletrac Navman',
  verizon_connect: 'Verizon Connect',
  volvo_trucks: 'Volvo Trucks',
};

export function providerName(id: string): string {
  return spelled[id] ?? id.charAt(0).toUpperCase() + id.slice(1);
}

/** What a service or a network library says, as a sentence of its own: it mostly begins small. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const shortId = (id: string) => id.slice(-8);
