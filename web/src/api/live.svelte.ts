// The live stream as the screens see it: its status, and the events as they come.

import { steady } from '../lib/patience.ts';
import type { FromWorker, ToWorker } from './live.worker.ts';
import LiveSharedWorker from './live.worker.ts?sharedworker';
import LiveWorker from './live.worker.ts?worker';
import type { LiveEvent, LiveStatus, Report } from './live-feed.ts';
import { ended } from './session.svelte.ts';

export type { LiveEvent } from './live-feed.ts';

type Listener = { events(events: LiveEvent[]): void; lost?(): void };

const state = $state<Report>({ status: 'off', since: 0, caughtUp: 0 });

/** The stream's status, since when it is so, and how many events it has caught up with. */
export const live = {
  get status(): LiveStatus {
    return state.status;
  },
  get since(): number {
    return state.since;
  },
  get caughtUp(): number {
    return state.caughtUp;
  },
};

const listeners = new Set<Listener>();
let port: { postMessage(message: ToWorker): void } | undefined;
let opened: (() => void)[] = [];

/** startLive joins the browser's stream, until the returned function is called. */
export function startLive(): () => void {
  const ending = new AbortController();
  const join = () => port?.postMessage({ type: 'join' });
  const leave = () => port?.postMessage({ type: 'leave' });
  void steady(() => {
    const failed = open(ending.signal);
    join();
    return failed;
  }, ending.signal).catch(() => undefined); // only when it was given up
  addEventListener('pagehide', leave);
  addEventListener('pageshow', join);
  return () => {
    ending.abort();
    removeEventListener('pagehide', leave);
    removeEventListener('pageshow', join);
    leave();
    port = undefined;
    state.status = 'off';
  };
}

/** onLive hears events until the returned function is called. */
export function onLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** joined waits until the stream is open, so that nothing is missed after what is loaded then; not for ever. */
export function joined(): Promise<void> {
  if (state.status === 'live') return Promise.resolve();
  return new Promise((resolve) => {
    opened.push(resolve);
    setTimeout(resolve, 3000);
  });
}

/** loadedAt gives the stream the sequence for which a snapshot is true. */
export function loadedAt(sequence: string): void {
  port?.postMessage({ type: 'sequence', sequence });
}

/** open starts the worker; the promise is refused where its script could not be loaded. */
function open(signal: AbortSignal): Promise<void> {
  const shared = typeof SharedWorker === 'undefined' ? undefined : new LiveSharedWorker({ name: 'drover-live' });
  const worker = shared ?? new LiveWorker();
  const end = shared?.port ?? (worker as Worker);
  end.onmessage = hear;
  port = end;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve());
    worker.onerror = () => reject(new Error('The live worker was not loaded'));
  });
}

function hear({ data }: MessageEvent<FromWorker>): void {
  if (data.type === 'events') for (const listener of listeners) listener.events(data.events);
  else if (data.type === 'lost') for (const listener of listeners) listener.lost?.();
  else if (data.type === 'ended') ended();
  else {
    Object.assign(state, data.report);
    if (state.status !== 'live') return;
    for (const resolve of opened) resolve();
    opened = [];
  }
}
