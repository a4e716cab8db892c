// The address bar is the state: every filter, tab and selection is in the URL, so that
// Back works and a link shows the same to a colleague.
import { untrack } from 'svelte';

export const base = '/console';

export type Query = Record<string, string>;

interface Location {
  /** The path below the console's own, beginning with a slash. */
  path: string;
  query: Query;
}

function parse(): Location {
  const path = window.location.pathname.slice(base.length) || '/';
  const query: Query = {};
  for (const [name, value] of new URLSearchParams(window.location.search)) query[name] = value;
  return { path: decodeURI(path), query };
}

let current = $state.raw<Location>(parse());
let wanted = $state<string>();

/** The present address. Reading it makes an effect or a template follow it. */
export const location = {
  get path() {
    return current.path;
  },
  get query() {
    return current.query;
  },
  /** The path that was asked for, while its screen is still to come. */
  get wanted() {
    return wanted;
  },
};

/** The address of a screen, for links. */
export function href(path: string, query: Record<string, string | number | boolean | undefined | null> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '' && value !== false) search.set(name, String(value));
  }
  const text = search.toString();
  return `${base}${path}${text ? `?${text}` : ''}`;
}

/** Goes to an address that href made. */
export function go(to: string, how: { replace?: boolean } = {}): void {
  if (to === window.location.pathname + window.location.search) return;
  if (how.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  arrive();
}

/** Takes over the address that the browser has. */
function arrive(): void {
  dropTyped();
  const before = current.path;
  current = parse();
  wanted = undefined;
  if (current.path !== before) window.scrollTo(0, 0);
}

/**
 * Goes to the address of a link. The menu answers at once; another screen follows when that
 * has been painted, since making one takes longer than a person likes to wait for an answer.
 */
export function visit(to: string): void {
  takeTyped();
  if (to === window.location.pathname + window.location.search) return;
  history.pushState(null, '', to);
  const { path } = parse();
  if (path === current.path) {
    arrive();
    return;
  }
  wanted = path;
  afterPaint(() => {
    if (wanted === path) arrive();
  });
}

const longestPaint = 1000; // milliseconds, on a machine that is busy with other things

/** Calls once the next picture is on the screen, or at once where nothing is painted. */
function afterPaint(call: () => void): void {
  const timer = setTimeout(call, document.hidden ? 0 : longestPaint);
  requestAnimationFrame(() => {
    clearTimeout(timer);
    setTimeout(call);
  });
}

/** Changes some parameters of the present address; undefined and '' take one away. */
export function setQuery(
  changes: Record<string, string | number | undefined | null>,
  how: { push?: boolean } = {},
): void {
  takeTyped();
  const { path, query } = parse();
  go(href(path, { ...query, ...changes }), { replace: !how.push });
}

/** Opens a record beside the list that it is in: its path is a part of the list's address. */
export const openRecord = (record: string) => setQuery({ record }, { push: true });

/** How long after the last letter an address follows what is typed: a list for each letter is of no use. */
const pause = 150; // milliseconds

let typed = $state<string>();
let typing: ReturnType<typeof setTimeout> | undefined;

function dropTyped(): void {
  clearTimeout(typing);
  typed = undefined;
}

/** Lets the address have what was typed, where it is still to follow. */
function takeTyped(): void {
  const q = untrack(() => typed);
  dropTyped();
  if (q !== undefined) setQuery({ q });
}

/**
 * The text by which a list is filtered, for its field. A letter is painted at once; the address,
 * and with it the list, follows when one pauses.
 */
export const filterText = {
  get value() {
    return typed ?? current.query.q ?? '';
  },
  oninput(event: { currentTarget: HTMLInputElement }) {
    clearTimeout(typing);
    typed = event.currentTarget.value;
    typing = setTimeout(takeTyped, pause);
  },
};

/** Lets links within the console change the address without loading the page again. */
export function startRouter(): () => void {
  const onPop = () => {
    dropTyped();
    current = parse();
    wanted = undefined;
  };
  const onClick = (event: MouseEvent) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = (event.target as Element).closest?.('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== window.location.origin) return;
    if (link.pathname !== base && !link.pathname.startsWith(`${base}/`)) return;
    event.preventDefault();
    if (link.dataset.drawer === undefined) visit(link.pathname + link.search);
    else openRecord(link.pathname.slice(base.length + 1));
  };
  window.addEventListener('popstate', onPop);
  document.addEventListener('click', onClick);
  return () => {
    window.removeEventListener('popstate', onPop);
    document.removeEventListener('click', onClick);
  };
}

/** Matches a path against a pattern such as /device/:id; null where it does not match. */
export function match(pattern: string, path: string): Query | null {
  const wanted = pattern.split('/');
  const given = path.replace(/\/$/, '').split('/');
  if (pattern === '/') return path === '/' ? {} : null;
  if (wanted.length !== given.length) return null;
  const params: Query = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return params;
}
