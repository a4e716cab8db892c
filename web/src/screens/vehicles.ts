// The screens that travel together as vehicles.

export { default as Device } from './device/Device.svelte';
export { default as Devices } from './device/Devices.svelte';
export { default as MapScreen } from './map/MapScreen.svelte';
export { default as Milestone } from './milestone/Milestone.svelte';
export { default as Milestones } from './milestone/Milestones.svelte';
export { default as Compare } from './trip/Compare.svelte';
export { default as Trip } from './trip/Trip.svelte';
export { default as Trips } from './trip/Trips.svelte';
