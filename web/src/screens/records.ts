// The screens that travel together as records: what vehicles report, and who drives them.
export { default as Driver } from './driver/Driver.svelte';
export { default as Drivers } from './driver/Drivers.svelte';
export { default as Incidents } from './fault/Incidents.svelte';
