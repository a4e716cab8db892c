// The screens that travel together as office: they are used at a desk, and pack well as one.
export { default as AddConnection } from './connection/AddConnection.svelte';
export { default as Connection } from './connection/Connection.svelte';
export { default as Connections } from './connection/Connections.svelte';
export { default as Events } from './event/Events.svelte';
export { default as Exports } from './export/Exports.svelte';
export { default as Settings } from './settings/Settings.svelte';
export { default as Webhook } from './webhook/Webhook.svelte';
export { default as Webhooks } from './webhook/Webhooks.svelte';
