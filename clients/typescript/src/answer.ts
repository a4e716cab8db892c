// What the service answers, and refuses.

/** A refusal of the service: its status, its words and, of a 422, the place. */
export class Refusal extends Error {
  readonly status: number;
  /** Where in the request the fault lies, such as ["body", "url"]. */
  readonly loc: (string | number)[];
  /** The kind of fault of a 422, such as missing. */
  readonly type: string | undefined;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The scope that the caller lacks, of a 403 that it would lift. */
  readonly requiredScope: string | undefined;

  constructor(response: Response, body: unknown) {
    const error = (body as { error?: { message?: string; loc?: (string | number)[]; type?: string } } | undefined)?.error;
    const place = error?.loc?.length ? `${error.loc.join('.')}: ` : '';
    super(place + (error?.message ?? `the service answered ${response.status}`));
    this.name = 'Refusal';
    this.status = response.status;
    this.loc = error?.loc ?? [];
    this.type = error?.type;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.requiredScope = response.headers.get('x-required-scope') ?? undefined;
  }
}

/** What an answer that is not of the typed client has under data; a refusal is thrown. */
export async function content<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Refusal(response, await response.json().catch(() => undefined));
  return ((await response.json()) as { data: T }).data;
}

/** What a call of the typed client gives. */
export interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What an answer has under data; a refusal is thrown. */
export async function data<T>(call: Promise<Answer<{ data: T }>>): Promise<T> {
  const { data: body, error, response } = await call;
  if (!response.ok) throw new Refusal(response, error);
  return body?.data as T;
}

/**
 * The records of a list, page by page, as long as the loop goes on; it begins after a
 * cursor that was kept. A page may be empty before the end. A feed gives a cursor also
 * where it ends, to go on from later, but links no next page there.
 */
export async function* list<T>(
  page: (cursor?: string) => Promise<Answer<{ data: T[] | null }>>,
  after?: string,
): AsyncGenerator<T, void> {
  for (let cursor = after; ; ) {
    const { data: body, error, response } = await page(cursor);
    if (!response.ok) throw new Refusal(response, error);
    const records = body?.data ?? [];
    yield* records;
    const next = response.headers.get('x-next-cursor') ?? undefined;
    if (next === undefined || next === cursor || (records.length === 0 && !response.headers.has('link'))) return;
    cursor = next;
  }
}
