// The screens that travel together as office.
export { default as Exports } from './export/Exports.svelte';
export { default as Settings } from './settings/Settings.svelte';
