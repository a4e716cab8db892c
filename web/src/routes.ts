// Every screen with its address. A screen's code is loaded when it is first opened.
import type { Component } from 'svelte';
import type { Key } from './lib/i18n.svelte.ts';
import { match, type Query } from './lib/router.svelte.ts';
import type { IconName } from './ui/icons.ts';

// biome-ignore lint/suspicious/noExplicitAny: each screen has parameters of its own
type Screen = Component<any>;

export interface Route {
  path: string;
  title: Key;
  load: () => Promise<Screen>;
  /** The entry of the menu that the screen belongs to. */
  section: string;
  /** Fills the window up to its edges, without a margin and without scrolling. */
  bleed?: boolean;
  /** Is alone in the window, without the menu and the top bar. */
  bare?: boolean;
  /** What the screen needs besides its code, fetched before it is opened. */
  warm?: () => Promise<unknown>;
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
  { id: 'faults', path: '/fault', label: 'nav.faults', icon: 'alert', key: 'f' },
  { id: 'drivers', path: '/driver', label: 'nav.drivers', icon: 'user', key: 'd' },
  { id: 'connections', path: '/connection', label: 'nav.connections', icon: 'connections', key: 'c' },
  { id: 'webhooks', path: '/webhook', label: 'nav.webhooks', icon: 'webhooks', key: 'w' },
  { id: 'events', path: '/event', label: 'nav.events', icon: 'events', key: 'e' },
  { id: 'exports', path: '/export', label: 'nav.exports', icon: 'exports', key: 'x' },
  { id: 'settings', path: '/settings', label: 'nav.settings', icon: 'settings', key: 's' },
];

// Screens of one subject are one file: who opens one opens the others next.
const vehicles = () => import('./screens/vehicles.ts');
const records = () => import('./screens/records.ts');
const office = () => import('./screens/office.ts');

const at = (path: string, title: Key, section: string, load: Route['load']): Route => ({ path, title, section, load });

export const routes: Route[] = [
  at('/', 'nav.overview', 'overview', async () => (await import('./screens/overview/Overview.svelte')).default),
  {
    path: '/map',
    title: 'nav.map',
    section: 'map',
    bleed: true,
    load: async () => (await vehicles()).MapScreen,
    warm: async () => (await import('./map/maplibre.ts')).fetchMapLibre(),
  },
  {
    path: '/board',
    title: 'board.title',
    section: 'overview',
    bare: true,
    load: async () => (await import('./screens/board/Board.svelte')).default,
  },
  at('/device', 'nav.devices', 'devices', async () => (await vehicles()).Devices),
  at('/device/:id', 'nav.devices', 'devices', async () => (await vehicles()).Device),
  at('/trip', 'nav.trips', 'trips', async () => (await vehicles()).Trips),
  at('/trip/compare', 'compare.title', 'trips', async () => (await vehicles()).Compare),
  at('/trip/:id', 'trip.title', 'trips', async () => (await vehicles()).Trip),
  at('/milestone', 'nav.milestones', 'milestones', async () => (await vehicles()).Milestones),
  at('/milestone/:id', 'milestone.title', 'milestones', async () => (await vehicles()).Milestone),
  at('/fault', 'nav.faults', 'faults', async () => (await records()).Incidents),
  at('/driver', 'nav.drivers', 'drivers', async () => (await records()).Drivers),
  at('/driver/:id', 'driver.title', 'drivers', async () => (await records()).Driver),
  at('/connection', 'nav.connections', 'connections', async () => (await office()).Connections),
  at('/connection/new', 'add.title', 'connections', async () => (await office()).AddConnection),
  at('/connection/:id', 'connection.title', 'connections', async () => (await office()).Connection),
  at('/webhook', 'nav.webhooks', 'webhooks', async () => (await office()).Webhooks),
  at('/webhook/:id', 'webhook.title', 'webhooks', async () => (await office()).Webhook),
  at('/event', 'nav.events', 'events', async () => (await office()).Events),
  at('/export', 'nav.exports', 'exports', async () => (await office()).Exports),
  at('/settings', 'nav.settings', 'settings', async () => (await office()).Settings),
  // Every part in every state, for those who work on the console; no part of what is shipped.
  ...(import.meta.env.DEV
    ? [at('/kit', 'frame.kit', 'settings', async () => (await import('./screens/kit/Kit.svelte')).default)]
    : []),
];

export function find(path: string): { route: Route; params: Query } | undefined {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}

const loading = new Map<Route, Promise<Screen>>();

/** The code of a screen, fetched once. */
function load(route: Route): Promise<Screen> {
  const begun = loading.get(route) ?? route.load();
  loading.set(route, begun);
  begun.catch(() => loading.delete(route)); // the next visit tries again
  return begun;
}

/** The code of a screen together with the parameters that it was asked for with: one never gets those of another. */
export const open = async ({ route, params }: { route: Route; params: Query }) => ({
  Screen: await load(route),
  params,
});

let pointed: ReturnType<typeof setTimeout> | undefined;

/** Warms a screen that the pointer rests on for a moment. A press is answered first. */
export function point(path: string): void {
  clearTimeout(pointed);
  pointed = setTimeout(() => warm(path), 60);
}

/** Fetches what a screen is made of before it is opened: it is pointed at, or there is time. */
export function warm(path: string): void {
  const route = find(path)?.route;
  if (!route) return;
  const ignore = () => undefined; // the visit itself says what is wrong
  load(route)
    .then(() => route.warm?.(), ignore)
    .catch(ignore);
}
