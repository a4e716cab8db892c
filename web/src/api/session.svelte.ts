// Who is signed in. A cookie that scripts cannot read proves it; this module only keeps
// what the service says about the caller.
import { showPasskey } from './passkey.ts';
import type { components } from './schema.d.ts';

type Profile = components['schemas']['SessionView'];

export interface Session {
  username: string;
  tenantId: string;
  tenantName: string;
  role: string;
  version: string;
  system: Profile['system'];
}

type Step = Profile['factor_step'];
type State = { status: 'unknown' | 'out' | 'in'; session: Session | undefined; ended: boolean; step: Step };

const state = $state<State>({ status: 'unknown', session: undefined, ended: false, step: null });

export const session = {
  get status() {
    return state.status;
  },
  get user() {
    return state.session;
  },
  /** Whether a session ended by itself, so that the sign-in says so. */
  get ended() {
    return state.ended;
  },
  /** What has to be done about the second factor before anything else. */
  get step() {
    return state.step;
  },
  /** Whether the person may change things; those who may not see no buttons that would. */
  get canWrite() {
    return state.session !== undefined && state.session.role !== 'viewer';
  },
  get isAdmin() {
    return state.session?.role === 'admin';
  },
};

// Signing out in one tab signs out all.
const tabs = new BroadcastChannel('drover.session');
tabs.onmessage = () => ended();

/** Called when the service no longer knows the session. */
export function ended(): void {
  if (state.status !== 'in') return;
  state.status = 'out';
  state.ended = true;
}

export interface SignInFailure {
  status: number;
  message: string;
  retryAfter: number | undefined;
  /** What has to be done about the second factor, where the service said so. */
  factor?: string | undefined;
}

/** Notes who has signed in. */
export function enter(profile: Profile): void {
  state.session = {
    username: profile.user?.username ?? '',
    tenantId: profile.tenant.id,
    tenantName: profile.tenant.name,
    role: profile.role ?? '',
    version: profile.version,
    system: profile.system,
  };
  state.step = profile.factor_step;
  state.status = 'in';
  state.ended = false;
}

/** Called when the service wants a second factor to be set up first. */
export function mustEnrol(): void {
  state.step = 'enrol';
}

/** Signs in; returns what failed, or undefined. The code is that of the second factor, where the person has one. */
export function signIn(username: string, password: string, code: string): Promise<SignInFailure | undefined> {
  return post('/session', { username, password, ...(code ? { code } : {}) }, enter);
}

/**
 * Signs in with a passkey; returns what failed, or undefined. A name and a password are those of someone whose
 * second factor it is.
 */
export async function signInByPasskey(login?: {
  username: string;
  password: string;
}): Promise<SignInFailure | undefined> {
  let challenge: components['schemas']['PasskeyChallenge'] | undefined;
  const refused = await post<typeof challenge>('/session/passkey/start', undefined, (c) => {
    challenge = c;
  });
  if (!challenge) return refused;
  try {
    const passkey = await showPasskey(challenge);
    return login ? post('/session', { ...login, passkey }, enter) : post('/session/passkey', passkey, enter);
  } catch {
    return { status: 401, message: '', retryAfter: undefined };
  }
}

/** Posts what a sign-in needs, before anyone is known; returns what failed, or undefined. */
export async function post<T>(
  path: string,
  what: unknown,
  done: (data: T) => void,
): Promise<SignInFailure | undefined> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(what),
    });
    const body = await response.json().catch(() => ({}));
    if (response.ok) {
      done(body.data);
      return undefined;
    }
    const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
    const factor = response.headers.get('X-Second-Factor') ?? undefined;
    return { status: response.status, message: body?.error?.message ?? '', retryAfter, factor };
  } catch {
    return { status: 0, message: '', retryAfter: undefined };
  }
}

export async function signOut(): Promise<void> {
  const response = await fetch('/session/sso', { method: 'DELETE' }).catch(() => undefined);
  const body = await response?.json().catch(() => undefined);
  tabs.postMessage('out');
  state.status = 'out';
  state.session = undefined;
  state.ended = false;
  // The session at the provider ends there.
  if (body?.data?.url) window.location.assign(body.data.url);
}

/** Looks whether this browser has a session already. */
export async function findSession(): Promise<void> {
  try {
    const response = await fetch('/session');
    if (response.ok) return enter((await response.json()).data);
  } catch {
    // The sign-in will say that the service cannot be reached.
  }
  state.status = 'out';
}
