import createClient, { type Client } from 'openapi-fetch';
import { content, data, Refusal } from './answer.js';
import type { components, paths } from './schema.js';
import { type EventsOptions, follow } from './stream.js';
import { version } from './version.js';
import { spread } from './wait.js';

/** What a login gives. An API key is an access token that never runs out. */
export interface Tokens {
  access_token: string;
  refresh_token?: string;
  sub?: string;
}

export interface DroverOptions {
  /** A key of the tenant. Without one, log in. */
  apiKey?: string;
  /** The tokens of an earlier login. */
  tokens?: Tokens;
  /** The id of the tenant that a key of the operator acts in. */
  tenant?: string;
  /** Makes the calls; fetch where it is left out. */
  fetch?: typeof fetch;
  /** Milliseconds for which the service may be silent, before an answer and within it; a minute where it is left out. A stream has a bound of its own. */
  timeout?: number;
  /** Waits; setTimeout where it is left out. */
  sleep?: (ms: number) => Promise<void>;
}

/** The lists that a copy can be kept of, and their records. */
export interface Copied {
  '/connection': components['schemas']['ConnectionView'];
  '/device': components['schemas']['Device'];
  '/driver': components['schemas']['Driver'];
  '/fault': components['schemas']['Fault'];
  '/milestone': components['schemas']['Milestone'];
  '/reading': components['schemas']['NewestReading'];
  '/safety-event': components['schemas']['SafetyEvent'];
  '/stop': components['schemas']['Stop'];
  '/trip': components['schemas']['TripView'];
}

/** A row of a list of changes: a record as it is now, or that it is gone. */
export type Change<P extends keyof Copied> = Copied[P] | components['schemas']['DeletedRecord'];

function isDeleted<P extends keyof Copied>(row: Change<P>): row is components['schemas']['DeletedRecord'] {
  return 'deleted_at' in row;
}

/** What to do to a copy, and the cursor to keep with it. */
export interface ChangePage<T> {
  /** The copy begins, or begins again: forget what it has. */
  restart: boolean;
  /** Records as they are now. */
  changed: T[];
  /** The ids of records that are gone. */
  deleted: string[];
  cursor: string;
}

const attempts = 4;
const firstWait = 200;
// A browser names itself, and asks the service first where a page does so for it.
const names = 'process' in globalThis && globalThis.process?.versions?.node !== undefined;

/** Calls one service. */
export class Drover {
  /** Every operation, by method and path: drover.api.GET('/device', …). */
  readonly api: Client<paths>;
  /** The tokens in use, to keep them. */
  tokens: Tokens | undefined;

  private readonly base: string;
  private readonly tenant: string | undefined;
  private readonly fetch: typeof fetch;
  private readonly sleep: (ms: number) => Promise<void>;
  private readonly timeout: number;
  private renewing: Promise<void> | undefined;

  constructor(base: string, options: DroverOptions = {}) {
    this.base = base.replace(/\/+$/, '');
    this.tokens = options.apiKey ? { access_token: options.apiKey } : options.tokens;
    this.tenant = options.tenant;
    this.fetch = options.fetch ?? ((...args) => fetch(...args));
    this.timeout = options.timeout ?? 60_000;
    this.sleep = options.sleep ?? ((ms) => new Promise((done) => setTimeout(done, ms)));
    this.api = createClient<paths>({ baseUrl: this.base, fetch: (request) => this.send(request) });
  }

  /** Logs in with a username or an e-mail address and a password, and with the code of a second factor where the user has one. */
  async login(username: string, password: string, code?: string): Promise<Tokens> {
    this.tokens = undefined;
    this.tokens = await data(this.api.POST('/token', { body: { username, password, ...(code ? { code } : {}) } }));
    return this.tokens;
  }

  /**
   * Follows the live stream. Where it is cut it goes on, so that no event is missed and
   * none comes twice.
   */
  events(options: EventsOptions = {}): AsyncGenerator<components['schemas']['Event'], void> {
    return follow((request) => this.send(request), `${this.base}/stream`, this.sleep, options);
  }

  /**
   * Brings a copy of a list's records up to date, page by page, from the cursor that was kept
   * last; without one the copy begins. It ends when the copy is up to date.
   */
  async *changes<P extends keyof Copied>(path: P, cursor?: string): AsyncGenerator<ChangePage<Copied[P]>, void> {
    for (let restart = !cursor; ; ) {
      const query = new URLSearchParams({ sort: 'updated_at', limit: '1000', ...(cursor && { cursor }) });
      const response = await this.send(new Request(`${this.base}${path}?${query}`));
      if (response.status === 410 && !restart) {
        await response.body?.cancel();
        restart = true;
        cursor = undefined;
        continue;
      }
      const answer = await content<Change<P>[]>(response);
      cursor = response.headers.get('x-next-cursor') ?? '';
      yield {
        restart,
        changed: answer.filter((row): row is Copied[P] => !isDeleted<P>(row)),
        deleted: answer.filter(isDeleted<P>).map((row) => row.id),
        cursor,
      };
      if (!response.headers.has('link')) return;
      restart = false;
    }
  }

  /** Reads a file, such as /export/ID/file, and asks for the rest where it is cut. */
  async *download(path: string): AsyncGenerator<Uint8Array, void> {
    let done = 0;
    for (let attempt = 1; ; attempt++) {
      const headers: Record<string, string> = { Accept: '*/*' };
      if (done > 0) headers['Range'] = `bytes=${done}-`;
      const response = await this.send(new Request(this.base + path, { headers }));
      if (!response.ok) throw new Refusal(response, await response.json().catch(() => undefined));
      if (done > 0 && response.status !== 206) throw new Error('the service does not go on with a file that was cut');
      try {
        for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
          done += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        if (attempt === attempts) throw error;
      }
    }
  }

  /**
   * Makes a call, again where the service or the network is in trouble and that is safe:
   * a POST carries an Idempotency-Key, so that it happens once.
   */
  private async send(request: Request): Promise<Response> {
    const headers = new Headers(request.headers);
    if (request.method === 'POST' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
    if (names && !headers.has('User-Agent')) headers.set('User-Agent', `drover-typescript/${version}`);
    const body = request.body ? await request.arrayBuffer() : undefined;
    let wait = firstWait;
    let renewed = false;
    for (let attempt = 1; ; attempt++) {
      const used = this.tokens;
      if (used) headers.set('Authorization', `Bearer ${used.access_token}`);
      if (this.tenant) headers.set('X-Drover-Tenant', this.tenant);
      const response = await this.answered(
        (signal) => new Request(request.url, { method: request.method, headers, body, signal }),
        request.signal,
      ).catch((error: unknown) => {
        if (request.signal.aborted || attempt === attempts || request.method === 'PATCH') throw error;
        return undefined;
      });
      if (response?.status === 401 && used?.refresh_token && !renewed) {
        renewed = true;
        await response.body?.cancel();
        await this.renew(used);
        continue;
      }
      if (response && (attempt === attempts || !mayPass(request.method, response.status))) return response;
      await response?.body?.cancel();
      const after = Number(response?.headers.get('Retry-After') ?? Number.NaN);
      await this.sleep(spread(Number.isFinite(after) ? after * 1000 : wait));
      wait *= 2;
    }
  }

  /** Makes one call, which is given up where the service is silent for too long, also within its answer. */
  private async answered(request: (signal: AbortSignal) => Request, caller?: AbortSignal): Promise<Response> {
    const cut = new AbortController();
    const follow = () => cut.abort(caller?.reason);
    caller?.addEventListener('abort', follow);
    if (caller?.aborted) follow();
    const end = () => caller?.removeEventListener('abort', follow);
    const watch = () => setTimeout(() => cut.abort(new Error(`no answer within ${this.timeout} ms`)), this.timeout);
    const late = watch();
    try {
      return watched(await this.fetch(request(cut.signal)), cut.signal, watch, end);
    } catch (error) {
      end();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Gets a new access token for one that ran out, once for all calls that found it so. */
  private async renew(used: Tokens): Promise<void> {
    if (this.tokens !== used) return;
    this.renewing ??= this.refresh(used).finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
  }

  private async refresh(used: Tokens): Promise<void> {
    const body = JSON.stringify({ sub: used.sub, refresh_token: used.refresh_token });
    const headers = { 'Content-Type': 'application/json' };
    const response = await this.answered((signal) => new Request(`${this.base}/refresh`, { method: 'POST', headers, body, signal }));
    this.tokens = { ...used, ...(await content<Tokens>(response)) };
  }
}

/** An answer each read of which is watched, but not how long its reader takes in between. A stream's reader watches it itself. */
function watched(response: Response, signal: AbortSignal, watch: () => ReturnType<typeof setTimeout>, end: () => void): Response {
  const reader = response.body?.getReader();
  if (!reader) {
    end();
    return response;
  }
  const bounded = !response.headers.get('content-type')?.startsWith('text/event-stream');
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const late = bounded ? watch() : undefined;
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        throw signal.aborted ? signal.reason : error; // Node 20.0 does not say why
      } finally {
        clearTimeout(late);
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  };
  // Nothing is read ahead: that would be watched while no one reads.
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), response);
}

/** Whether a call that was refused may be made again. With 429 nothing was done; a PATCH is not repeated otherwise. */
function mayPass(method: string, status: number): boolean {
  return status === 429 || (status >= 502 && method !== 'PATCH');
}
