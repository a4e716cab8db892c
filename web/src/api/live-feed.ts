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

/** LiveStatus is how the stream is: off when no user is signed in. */
export type LiveStatus = 'off' | 'live' | 'catching up' | 'offline';

/** Report is what a feed reports: its status and since when, and how many events it has caught up with. */
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
const silence = 40_000; // more than two heartbeats: the host is gone, although it did not say so

/** Feed follows the stream until it is stopped. */
export class Feed {
  private last = '';
  private status: LiveStatus = 'off';
  private stopping = new AbortController();
  private caughtUp = 0;
  private opened = false;
  private since = 0;
  /** The newest event when the stream was opened again: what comes up to it was missed. */
  private goal: number | undefined;

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
      if (this.opened) wait = firstWait;
      this.opened = false;
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
    this.opened = true;
    this.caughtUp = 0;
    this.goal = undefined;
    this.change(this.last ? 'catching up' : 'live');
    if (this.last) void this.findGoal(signal);
    try {
      await this.read(response.body, timer);
    } finally {
      timer.abort();
    }
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

  /** take hands events over; those up to the goal are what was missed. */
  private take(events: LiveEvent[]): void {
    if (this.status === 'catching up') {
      const { goal = Number.POSITIVE_INFINITY } = this;
      this.caughtUp += events.filter((event) => event.sequence <= goal).length;
      this.arrive();
    }
    if (events.length > 0) this.listeners.events(events);
  }

  /** findGoal asks how far there is to catch up; without an answer nothing is counted any more. */
  private async findGoal(signal: AbortSignal): Promise<void> {
    const newest = await this.world
      .fetch('/event?order=desc&limit=1', { signal, cache: 'no-store' })
      .then((response) => response.json() as Promise<{ data?: LiveEvent[] }>)
      .then(({ data }) => data?.[0]?.sequence)
      .catch(() => undefined);
    if (signal.aborted) return;
    this.goal = newest ?? 0;
    this.arrive();
  }

  private arrive(): void {
    if (this.status !== 'catching up' || this.goal === undefined) return;
    if (Number(this.last) >= this.goal) this.change('live');
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
