import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed, type Report } from '../../../src/api/live-feed.ts';
import { Parser } from '../../../src/api/live-parse.ts';

describe('Parser', () => {
  it('gives the same messages however the text is cut', () => {
    const text = 'retry: 2000\n\n: heartbeat\nid: 34\n\nid: 35\nevent: position.updated\ndata: {"a":\ndata: 1}\n\n';
    const whole = new Parser().push(text);
    expect(whole).toEqual([{ id: '35', event: 'position.updated', data: '{"a":\n1}' }]);
    const parser = new Parser();
    expect([...text].flatMap((piece) => parser.push(piece))).toEqual(whole);
  });

  it('remembers the id of a heartbeat, which has no data', () => {
    const parser = new Parser();
    expect(parser.push(': heartbeat\nid: 34\n\n')).toEqual([]);
    expect(parser.id).toBe('34');
  });
});

/** A service whose stream is written, cut and refused by the test. */
class Service {
  readonly asked: string[] = [];
  statuses: number[] = [];
  /** The newest event, once the service is let answer for it. */
  newest: Promise<number> = Promise.resolve(0);
  private body: ReadableStreamDefaultController<Uint8Array> | undefined;

  fetch = (async (url: string, { signal }: { signal: AbortSignal }) => {
    if (url.startsWith('/event')) return Response.json({ data: [{ sequence: await this.newest }] });
    this.asked.push(url);
    const status = this.statuses.shift() ?? 200;
    if (status === 0) throw new TypeError('network');
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.body = controller;
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(status === 200 ? stream : null, { status });
  }) as unknown as typeof fetch;

  write(text: string): void {
    this.body?.enqueue(new TextEncoder().encode(text));
  }

  send(sequence: number, timestamp: number): void {
    const event = { sequence, type: 'trip.completed', timestamp: new Date(timestamp).toISOString() };
    this.write(`id: ${sequence}\nevent: trip.completed\ndata: ${JSON.stringify(event)}\n\n`);
  }

  cut(): void {
    this.body?.close();
  }
}

describe('Feed', () => {
  const service = () => {
    const made = new Service();
    const seen = { sequences: [] as number[], reports: [] as Report[], ended: 0, lost: 0 };
    const feed = new Feed(
      {
        events: (events) => seen.sequences.push(...events.map((event) => event.sequence)),
        report: (report) => seen.reports.push(report),
        ended: () => seen.ended++,
        lost: () => seen.lost++,
      },
      { fetch: made.fetch, now: () => Date.now(), wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
    );
    return { service: made, feed, seen };
  };
  const settle = () => vi.advanceTimersByTimeAsync(1);

  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('is live at once the first time, and hands events over', async () => {
    const { service: made, feed, seen } = service();
    void feed.run();
    await settle();
    made.send(1, Date.now());
    await settle();
    expect(made.asked).toEqual(['/stream']);
    expect(seen.sequences).toEqual([1]);
    expect(seen.reports.map((report) => report.status)).toEqual(['live']);
    feed.stop();
  });

  it('resumes after the last event, counts what it missed and is live again', async () => {
    const { service: made, feed, seen } = service();
    void feed.run();
    await settle();
    made.send(7, Date.now());
    await settle();
    made.cut();
    made.newest = Promise.resolve(9);
    await vi.advanceTimersByTimeAsync(700);
    expect(made.asked).toEqual(['/stream', '/stream?last_event_id=7']);
    made.send(8, Date.now());
    // However long the rest takes: it is not live before it has come.
    await vi.advanceTimersByTimeAsync(30_000);
    expect(seen.reports.at(-1)?.status).toBe('catching up');
    made.send(9, Date.now());
    made.send(10, Date.now());
    await settle();
    expect(seen.reports.at(-1)).toMatchObject({ status: 'live', caughtUp: 2 });
    expect(seen.sequences).toEqual([7, 8, 9, 10]);
    feed.stop();
  });

  it('has caught up when the answer of how far comes last', async () => {
    const { service: made, feed, seen } = service();
    void feed.run();
    await settle();
    made.send(7, Date.now());
    await settle();
    made.cut();
    let answer = (_: number) => {};
    made.newest = new Promise((resolve) => {
      answer = resolve;
    });
    await vi.advanceTimersByTimeAsync(700);
    made.send(8, Date.now());
    await settle();
    expect(seen.reports.at(-1)?.status).toBe('catching up');
    answer(8);
    await settle();
    expect(seen.reports.at(-1)).toMatchObject({ status: 'live', caughtUp: 1 });
    feed.stop();
  });

  it('is live at once where nothing was missed', async () => {
    const { service: made, feed, seen } = service();
    void feed.run();
    await settle();
    made.send(7, Date.now());
    await settle();
    made.cut();
    made.newest = Promise.resolve(7);
    await vi.advanceTimersByTimeAsync(700);
    expect(seen.reports.at(-1)).toMatchObject({ status: 'live', caughtUp: 0 });
    feed.stop();
  });

  it('resumes after a snapshot where no event has come yet', async () => {
    const { service: made, feed } = service();
    void feed.run();
    await settle();
    feed.startAt('41');
    made.cut();
    await vi.advanceTimersByTimeAsync(700);
    expect(made.asked.at(-1)).toBe('/stream?last_event_id=41');
    feed.stop();
  });

  it('waits longer after each failure', async () => {
    const { service: made, feed, seen } = service();
    made.statuses = [0, 503, 0];
    void feed.run();
    await vi.advanceTimersByTimeAsync(4500);
    expect(made.asked).toHaveLength(4);
    expect(seen.reports.map((report) => report.status)).toEqual(['offline', 'live']);
    feed.stop();
  });

  it('stops when the session has ended', async () => {
    const { service: made, feed, seen } = service();
    made.statuses = [401];
    await feed.run();
    expect(seen.ended).toBe(1);
    expect(made.asked).toHaveLength(1);
  });

  it('says so when events are lost, and starts again', async () => {
    const { service: made, feed, seen } = service();
    feed.startAt('99');
    made.statuses = [409];
    void feed.run();
    await vi.advanceTimersByTimeAsync(700);
    expect(seen.lost).toBe(1);
    expect(made.asked).toEqual(['/stream?last_event_id=99', '/stream']);
    feed.stop();
  });

  it('gives up a host that is silent for longer than two heartbeats', async () => {
    const { service: made, feed } = service();
    void feed.run();
    await vi.advanceTimersByTimeAsync(41_000);
    expect(made.asked.length).toBeGreaterThan(1);
    feed.stop();
  });
});
