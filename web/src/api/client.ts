// One client for every call. Its types come from the OpenAPI document, so a call that
// the service does not offer does not compile.
import createClient, { type Middleware } from 'openapi-fetch';
import { OfflineError, toApiError } from './errors.ts';
import { askFactor } from './factor.svelte.ts';
import { note } from './requests.svelte.ts';
import type { components, paths } from './schema.d.ts';
import { ended, mustEnrol } from './session.svelte.ts';

export type Schema = components['schemas'];

const middleware: Middleware = {
  onResponse({ response }) {
    if (response.status === 401) ended();
  },
  onError() {
    return new OfflineError();
  },
};

export const api = createClient<paths>({
  baseUrl: window.location.origin,
  fetch: async (request: Request) => {
    note(request);
    const again = request.clone();
    const response = await fetch(request);
    const step = response.headers.get('X-Second-Factor');
    if (step === 'enrol') mustEnrol();
    return step === 'required' && response.status === 403 && (await askFactor()) ? fetch(again) : response;
  },
});
api.use(middleware);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of an answer; a refusal is thrown as an ApiError. */
export async function data<T>(call: Promise<Answer<{ data: T }>>): Promise<T> {
  const { data: body, error, response } = await call;
  if (!response.ok) throw toApiError(response, error);
  return (body as { data: T } | undefined)?.data as T;
}

export interface Page<T> {
  items: T[];
  /** Where the next page begins; undefined at the end. */
  next: string | undefined;
}

/** Every record of a list, page by page. */
export async function every<T>(load: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const got = await load(cursor);
    all.push(...got.items);
    cursor = got.next;
  } while (cursor);
  return all;
}

/** A page of a list with the cursor of the next. */
export async function page<T>(call: Promise<Answer<{ data: T[] | null }>>): Promise<Page<T>> {
  const { data: body, error, response } = await call;
  if (!response.ok) throw toApiError(response, error);
  return { items: body?.data ?? [], next: response.headers.get('X-Next-Cursor') ?? undefined };
}
