// A map that comes back: what it is made of travels over a network that may be cut.
import { pause, waitAfter } from '../lib/patience.ts';
import { type MapOptions, type MapView, NoDrawing, openMap } from './map-view.ts';

/** MapState is how a map is: waiting for another try, lost until the page is loaded again, or never to be drawn in this browser. */
export type MapState = 'loading' | 'ready' | 'waiting' | 'lost' | 'impossible';

/** Keeper uses a map while it is there. */
export type Keeper = {
  opened(view: MapView): void;
  closed(): void;
  state?(state: MapState): void;
};

/** KeptMap can be given up, and tried again before its time. */
export type KeptMap = { close(): void; again(): void };

/** keepMap opens a map, and opens it again for as long as something of it could not be loaded. */
export function keepMap(container: HTMLElement, options: MapOptions, keeper: Keeper): KeptMap {
  const ending = new AbortController();
  const ended = new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve()));
  let waiting = new AbortController();

  /** use says whether the map is to be opened again as the built-in one. */
  async function use(view: MapView): Promise<boolean> {
    let bare = false;
    if (!ending.signal.aborted) {
      keeper.opened(view);
      keeper.state?.('ready');
      bare = await Promise.race([view.lost.then(() => false), view.bare.then(() => true), ended.then(() => false)]);
      keeper.closed();
    }
    view.remove();
    // The library never starts another worker: the page has to.
    if (!ending.signal.aborted && !bare) keeper.state?.('lost');
    return bare;
  }

  async function run(): Promise<void> {
    keeper.state?.('loading');
    for (let failures = 1; !ending.signal.aborted; failures++) {
      try {
        if (!(await use(await openMap(container, options)))) return;
        options = { ...options, builtIn: true };
        failures = 0;
        continue;
      } catch (error) {
        if (error instanceof NoDrawing) return keeper.state?.('impossible');
        console.warn('The map was not loaded', error);
      }
      keeper.state?.('waiting');
      waiting = new AbortController();
      await pause(waitAfter(failures), AbortSignal.any([waiting.signal, ending.signal]));
    }
  }

  void run();
  return { close: () => ending.abort(), again: () => waiting.abort() };
}
