// Signing in by the company's own provider. People begin at an address that an admin
// sends them, go to the provider, and come back with a code that only this browser can use.
import { base, go } from '../lib/router.svelte.ts';
import type { components } from './schema.d.ts';
import { enter, post, type SignInFailure, session } from './session.svelte.ts';

type Schemas = components['schemas'];

const kept = 'drover.sso'; // the code of the address where people begin
const state = $state<{ code: string | undefined; failure: SignInFailure | undefined }>({
  code: localStorage.getItem(kept) ?? undefined,
  failure: undefined,
});

/** What the sign-in offers, and what came of the last attempt. */
export const provider = {
  get code() {
    return state.code;
  },
  get failure() {
    return state.failure;
  },
};

/** Leads to the provider. */
export async function beginAtProvider(): Promise<void> {
  state.failure = await post<Schemas['SignInStart']>(
    '/session/sso/start',
    { code: state.code, return_to: here() },
    (start) => {
      if (/^https?:\/\//.test(start.url)) window.location.assign(start.url);
    },
  );
  // An address that no longer holds is not offered again.
  if (state.failure?.status === 404) forget();
}

function forget(): void {
  state.code = undefined;
  localStorage.removeItem(kept);
}

/** The page to come back to: the present one, unless it is part of signing in. */
function here(): string {
  const { pathname, search } = window.location;
  return pathname.startsWith(`${base}/`) && !pathname.startsWith(`${base}/sso`) ? pathname + search : `${base}/`;
}

/** Looks whether the address is one of signing in by a provider, and does what it asks for. */
export async function arriveFromProvider(): Promise<void> {
  const { pathname, search } = window.location;
  const query = new URLSearchParams(search);
  const [, tenant] = pathname.match(/^\/console\/sso\/([\w-]+)$/) ?? [];
  if (tenant === undefined && pathname !== `${base}/sso`) return;
  // A code must not stay in the address bar, nor in the history.
  go(`${base}/`, { replace: true });
  if (tenant !== undefined) return arrive(tenant, query);
  if (session.status === 'in') return;
  const code = query.get('code');
  if (!code) return;
  state.code = code;
  localStorage.setItem(kept, code);
  await beginAtProvider();
}

async function arrive(tenant: string, query: URLSearchParams): Promise<void> {
  const [code, answer, iss] = ['code', 'state', 'iss'].map((name) => query.get(name) ?? undefined);
  if (!code || !answer) {
    // The provider's own words are not shown: anyone can write a link with others.
    const error = query.get('error') ?? '';
    state.failure = { status: 0, message: /^[a-z_]{1,40}$/.test(error) ? error : 'error', retryAfter: undefined };
    return;
  }
  state.failure = await post<Schemas['SignedInView']>(
    '/session/sso',
    { tenant_id: tenant, code, state: answer, iss },
    (view) => {
      enter(view);
      go(view.return_to, { replace: true });
    },
  );
}
