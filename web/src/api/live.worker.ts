// One stream for all tabs of a browser: on HTTP/1.1 six streams would leave no
// connection for anything else. Runs as a shared worker, and as one worker for
// each tab where the browser has no shared ones.
import { Feed, type LiveEvent, type Report } from './live-feed.ts';

/** What a page says to the worker. */
export type ToWorker = { type: 'join' } | { type: 'sequence'; sequence: string } | { type: 'leave' };

/** What the worker says to a page. */
export type FromWorker =
  | { type: 'events'; events: LiveEvent[] }
  | { type: 'report'; report: Report }
  | { type: 'ended' }
  | { type: 'lost' };

type Port = Pick<MessagePort, 'postMessage'> & { onmessage: ((message: MessageEvent<ToWorker>) => void) | null };

const ports = new Set<Port>();
let feed: Feed | undefined;
let report: Report = { status: 'off', since: 0, caughtUp: 0 };

function send(message: FromWorker): void {
  for (const port of ports) port.postMessage(message);
}

function start(): void {
  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
      // Back on the network, or woken up: no reason to wait any longer.
      self.addEventListener('online', () => resolve(), { once: true });
    });
  const made = new Feed(
    {
      events: (events) => send({ type: 'events', events }),
      report: (next) => {
        if (feed !== made) return;
        report = next;
        send({ type: 'report', report });
      },
      lost: () => send({ type: 'lost' }),
      ended: () => {
        feed = undefined;
        send({ type: 'ended' });
      },
    },
    { fetch: (...args) => fetch(...args), now: () => Date.now(), wait },
  );
  feed = made;
  void made.run();
}

function connect(port: Port): void {
  port.onmessage = ({ data }) => {
    if (data.type === 'sequence') feed?.startAt(data.sequence);
    else if (data.type === 'leave') leave(port);
    else {
      ports.add(port);
      if (!feed) start();
      port.postMessage({ type: 'report', report } satisfies FromWorker);
    }
  };
}

function leave(port: Port): void {
  ports.delete(port);
  if (ports.size > 0) return;
  const last = feed;
  feed = undefined;
  last?.stop();
}

if ('onconnect' in self) {
  self.addEventListener('connect', (event) => connect((event as MessageEvent).ports[0] as MessagePort));
} else {
  connect(self as unknown as Port);
}
