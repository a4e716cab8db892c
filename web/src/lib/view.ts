// What is on the screen at this moment, for a link that still shows the same tomorrow.
import { present } from './present.ts';
import { href, location, type Query } from './router.svelte.ts';

const spans = new Map([
  ['24h', 1],
  ['7d', 7],
  ['30d', 30],
]);
const day = 86_400_000;

/** The window that the address asks for; a period ends at the next full minute, so that its question stays the same. Anyone may have written the address. */
export function periodOf(query: Query, standard = '7d'): { from: number; to: number } {
  const to = Date.parse(query.to ?? '') || Math.ceil(present() / 60_000) * 60_000;
  const from = Date.parse(query.from ?? '') || to - (spans.get(query.period ?? standard) ?? 7) * day;
  return { from, to };
}

type Fixed = Record<string, string | undefined>;

/** The same window by its two ends, which do not move on; where none is asked for there is none. */
export function fixedPeriod(query: Query, standard = '7d'): Fixed {
  if (standard === 'all' && !query.period && !query.from && !query.to) return {};
  const { from, to } = periodOf(query, standard);
  return { period: undefined, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

const moving = new Set<() => Fixed>();

/** fixes says what of a screen moves on by itself, as it is now, until the returned function is called. */
export function fixes(now: () => Fixed): () => void {
  moving.add(now);
  return () => {
    moving.delete(now);
  };
}

/** The address of exactly what is shown now: its filters, its tab and its time. */
export function viewLink(): string {
  const fixed = Object.assign({}, ...[...moving].map((now) => now()));
  return window.location.origin + href(location.path, { ...location.query, ...fixed });
}
