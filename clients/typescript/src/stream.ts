import { Refusal } from './answer.js';
import type { components, paths } from './schema.js';
import { spread } from './wait.js';

type Event = components['schemas']['Event'];

export interface EventsOptions {
  /** Begins after this sequence; without one, now, and then nothing is missed from the first event or heartbeat on. */
  after?: number;
  /** Which events: the parameters of GET /stream. */
  query?: Omit<NonNullable<paths['/stream']['get']['parameters']['query']>, 'last_event_id'>;
  /** Ends the stream. */
  signal?: AbortSignal;
}

const firstWait = 200;
const longestWait = 30_000;
// The service sends something every 15 seconds; after this long it is gone.
const longestSilence = 60_000;

/** Reads the stream again and again, each time after the last event that came. */
export async function* follow(
  send: (request: Request) => Promise<Response>,
  address: string,
  sleep: (ms: number) => Promise<void>,
  { after, query, signal }: EventsOptions,
): AsyncGenerator<Event, void> {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  }
  let wait = firstWait;
  while (!signal?.aborted) {
    const cut = new AbortController();
    const stop = () => cut.abort();
    signal?.addEventListener('abort', stop);
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (after !== undefined) headers['Last-Event-ID'] = String(after);
      const response = await send(new Request(url, { headers, signal: cut.signal }));
      if (!response.ok) throw new Refusal(response, await response.json().catch(() => undefined));
      for await (const frame of frames(response, stop)) {
        if (frame.data !== undefined) {
          wait = firstWait;
          yield JSON.parse(frame.data) as Event;
        }
        if (frame.sequence !== undefined) after = frame.sequence;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof SyntaxError) throw error;
      if (error instanceof Refusal && error.status < 500 && error.status !== 429) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
    if (signal?.aborted) return;
    await sleep(spread(wait));
    wait = Math.min(2 * wait, longestWait);
  }
}

interface Frame {
  sequence?: number;
  data?: string;
}

/** The server-sent events of an answer. */
async function* frames(response: Response, cut: () => void): AsyncGenerator<Frame, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let frame: Frame = {};
  let silent = setTimeout(cut, longestSilence);
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      clearTimeout(silent); // the receiver may take its time
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, name, value] = /^([^:]*):? ?(.*?)\r?$/.exec(line) ?? [];
        if (name === 'id' && /^\d+$/.test(value ?? '')) frame.sequence = Number(value);
        else if (name === 'data') frame.data = value;
        else if (line.trim() === '') {
          yield frame;
          frame = {};
        }
      }
      silent = setTimeout(cut, longestSilence);
    }
  } finally {
    clearTimeout(silent);
  }
}
