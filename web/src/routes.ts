// Every screen with its address. A screen's code is loaded when it is first opened.
import type { Component } from 'svelte';
import type { Key } from './lib/i18n.svelte.ts';
import { match, type Query } from './lib/router.svelte.ts';
import type { IconName } from './ui/icons.ts';

// biome-ignore lint/suspicious/noExplicitAny: each screen has parameters of its own
type Screen = { default: Component<any> };

export interface Route {
  path: string;
  title: Key;
  load: () => Promise<Screen>;
  /** The entry of the menu that the screen belongs to. */
  section: string;
  /** Fills the window up to its edges, without a margin and without scrolling. */
  bleed?: boolean;
}

export interface Section {
  id: string;
  path: string;
  label: Key;
  icon: IconName;
  /** The letter after "g". */
  key: string;
}

export const sections: Section[] = [
  { id: 'overview', path: '/', label: 'nav.overview', icon: 'overview', key: 'o' },
  { id: 'map', path: '/map', label: 'nav.map', icon: 'map', key: 'm' },
  { id: 'devices', path: '/device', label: 'nav.devices', icon: 'truck', key: 'v' },
  { id: 'trips', path: '/trip', label: 'nav.trips', icon: 'trips', key: 't' },
  { id: 'milestones', path: '/milestone', label: 'nav.milestones', icon: 'milestones', key: 'i' },
  { id: 'connections', path: '/connection', label: 'nav.connections', icon: 'connections', key: 'c' },
  { id: 'webhooks', path: '/webhook', label: 'nav.webhooks', icon: 'webhooks', key: 'w' },
  { id: 'events', path: '/event', label: 'nav.events', icon: 'events', key: 'e' },
  { id: 'exports', path: '/export', label: 'nav.exports', icon: 'exports', key: 'x' },
  { id: 'settings', path: '/settings', label: 'nav.settings', icon: 'settings', key: 's' },
];

const at = (path: string, title: Key, section: string, load: Route['load']): Route => ({ path, title, section, load });

export const routes: Route[] = [
  at('/', 'nav.overview', 'overview', () => import('./screens/overview/Overview.svelte')),
  { path: '/map', title: 'nav.map', section: 'map', bleed: true, load: () => import('./screens/map/MapScreen.svelte') },
  at('/device', 'nav.devices', 'devices', () => import('./screens/device/Devices.svelte')),
  at('/device/:id', 'nav.devices', 'devices', () => import('./screens/device/Device.svelte')),
  at('/trip', 'nav.trips', 'trips', () => import('./screens/trip/Trips.svelte')),
  at('/trip/compare', 'compare.title', 'trips', () => import('./screens/trip/Compare.svelte')),
  at('/trip/:id', 'trip.title', 'trips', () => import('./screens/trip/Trip.svelte')),
  at('/milestone', 'nav.milestones', 'milestones', () => import('./screens/milestone/Milestones.svelte')),
  at('/milestone/:id', 'milestone.title', 'milestones', () => import('./screens/milestone/Milestone.svelte')),
  at('/connection', 'nav.connections', 'connections', () => import('./screens/connection/Connections.svelte')),
  at('/connection/new', 'add.title', 'connections', () => import('./screens/connection/AddConnection.svelte')),
  at('/connection/:id', 'nav.connections', 'connections', () => import('./screens/connection/Connection.svelte')),
  at('/webhook', 'nav.webhooks', 'webhooks', () => import('./screens/webhook/Webhooks.svelte')),
  at('/webhook/:id', 'webhook.title', 'webhooks', () => import('./screens/webhook/Webhook.svelte')),
  at('/event', 'nav.events', 'events', () => import('./screens/event/Events.svelte')),
  at('/export', 'nav.exports', 'exports', () => import('./screens/export/Exports.svelte')),
  at('/settings', 'nav.settings', 'settings', () => import('./screens/settings/Settings.svelte')),
  // Every part in every state, for those who work on the console; no part of what is shipped.
  ...(import.meta.env.DEV ? [at('/kit', 'frame.kit', 'settings', () => import('./screens/kit/Kit.svelte'))] : []),
];

export function find(path: string): { route: Route; params: Query } | undefined {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}
