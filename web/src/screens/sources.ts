// The screens that travel together as sources.

export { default as AddConnection } from './connection/AddConnection.svelte';
export { default as Connection } from './connection/Connection.svelte';
export { default as Connections } from './connection/Connections.svelte';
export { default as Events } from './event/Events.svelte';
export { default as Webhook } from './webhook/Webhook.svelte';
export { default as Webhooks } from './webhook/Webhooks.svelte';
