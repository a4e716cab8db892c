// The stream of events with its reconnections. It is read with fetch rather than
// EventSource, which does not say whether the session ended or the host is gone.
import { Parser } from './live-parse.ts';

/** LiveEvent is one event of the tenant's feed. */
export type LiveEvent = {
  id: string;
  sequence: number;
  type: string;
  timestamp: string;
  connection_id: string | null;
  device_id: string | null;
  milestone_id: string | null;
  data: unknown;
};

/** LiveStatus is how the stream is: off when nobody is signed in. */
export type LiveStatus = 'off' | 'live' | 'catching up' | 'offline';

/** Report is what a feed tells: its status and since when, and how many events it has caught up with. */
export type Report = { status: LiveStatus; since: number; caughtUp: number };

/** Listeners is who hears of it. */
export type Listeners = {
  events(events: LiveEvent[]): void;
  report(report: Report): void;
  /** ended says that the session is no longer good. */
  ended(): void;
  /** lost says that events are missing, so that what was loaded has to be loaded again. */
  lost(): void;
};

/** World is what a feed needs of its surroundings, for tests. */
export type World = { fetch: typeof fetch; now(): number; wait(ms: number, signal: AbortSignal): Promise<void> };

const firstWait = 500;
const longestWait = 15_000;
const quietAfter = 1000;
const silence = 40_000; // more than two heartbeats: the host is gone, although nobody said so

/** Feed follows the stream until it is stopped. */
export class Feed {
  private last = '';
  private status: LiveStatus = 'off';
  private stopping = new AbortController();
  private caughtUp = 0;
  private opened = 0;
  private since = 0;
  private quiet: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly listeners: Listeners,
    private readonly world: World,
  ) {}

  /** startAt takes the sequence that a snapshot is true for, so that a cut before the first event loses nothing. */
  startAt(sequence: string): void {
    if (this.last === '') this.last = sequence;
  }

  stop(): void {
    this.stopping.abort();
    this.change('off');
  }

  /** run follows the stream; it returns when the feed is stopped or the session has ended. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    let wait = firstWait;
    while (!signal.aborted) {
      const outcome = await this.follow().catch(() => 'cut' as const);
      if (signal.aborted) return;
      if (outcome === 'ended') {
        this.change('off');
        this.listeners.ended();
        return;
      }
      if (outcome === 'lost') {
        this.last = '';
        this.listeners.lost();
      }
      if (this.opened > 0) wait = firstWait;
      this.opened = 0;
      this.change('offline');
      await this.world.wait(wait * (0.75 + Math.random() / 2), signal);
      wait = Math.min(wait * 2, longestWait);
    }
  }

  private async follow(): Promise<'ended' | 'lost' | 'cut'> {
    const timer = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, timer.signal]);
    const query = this.last ? `?last_event_id=${this.last}` : '';
    const response = await this.world.fetch(`/stream${query}`, { signal, cache: 'no-store' });
    if (response.status === 401 || response.status === 403) return 'ended';
    if (response.status === 409 || response.status === 410) return 'lost';
    if (!response.ok || !response.body) return 'cut';
    this.opened = this.world.now();
    this.caughtUp = 0;
    this.change(this.last ? 'catching up' : 'live');
    if (this.last) this.expectQuiet();
    await this.read(response.body, timer);
    return 'cut';
  }

  private async read(body: ReadableStream<Uint8Array>, timer: AbortController): Promise<void> {
    const parser = new Parser();
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let alarm = setTimeout(() => timer.abort(), silence);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(alarm);
        alarm = setTimeout(() => timer.abort(), silence);
        const events = parser.push(value).map((message) => JSON.parse(message.data) as LiveEvent);
        if (parser.id) this.last = parser.id;
        this.take(events);
      }
    } finally {
      clearTimeout(alarm);
    }
  }

  /** take hands events over; those of before the reconnection are what was missed. */
  private take(events: LiveEvent[]): void {
    if (events.length === 0) return;
    if (this.status === 'catching up') {
      const missed = events.filter((event) => Date.parse(event.timestamp) < this.opened).length;
      this.caughtUp += missed;
      if (missed < events.length) this.change('live');
      else this.expectQuiet();
    }
    this.listeners.events(events);
  }

  /** expectQuiet ends catching up when nothing more comes for a moment. */
  private expectQuiet(): void {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => {
      if (this.status === 'catching up') this.change('live');
    }, quietAfter);
  }

  private change(status: LiveStatus): void {
    if (status === this.status) return;
    this.status = status;
    this.since = this.world.now();
    this.report();
  }

  private report(): void {
    this.listeners.report({ status: this.status, since: this.since, caughtUp: this.caughtUp });
  }
}
