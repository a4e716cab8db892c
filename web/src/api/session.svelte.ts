// Who is signed in. The token lives in this page's memory alone.

export interface Session {
  username: string;
  tenantId: string;
  tenantName: string;
  role: 'admin' | 'member' | 'viewer';
  version: string;
}

type State = { status: 'unknown' | 'out' | 'in'; session: Session | undefined; ended: boolean };

const state = $state<State>({ status: 'out', session: undefined, ended: false });
let token = '';

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
  /** Whether the person may change things; those who may not see no buttons that would. */
  get canWrite() {
    return state.session !== undefined && state.session.role !== 'viewer';
  },
  get isAdmin() {
    return state.session?.role === 'admin';
  },
};

/** The header that proves the session. */
export function authorization(): Record<string, string> {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Called when the service no longer knows the session. */
export function ended(): void {
  if (state.status !== 'in') return;
  token = '';
  state.status = 'out';
  state.ended = true;
}

export interface SignInFailure {
  status: number;
  message: string;
  retryAfter: number | undefined;
}

/** Signs in; returns what failed, or undefined. */
export async function signIn(username: string, password: string): Promise<SignInFailure | undefined> {
  let response: Response;
  try {
    response = await fetch('/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
  } catch {
    return { status: 0, message: '', retryAfter: undefined };
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    return {
      status: response.status,
      message: body?.error?.message ?? '',
      retryAfter: Number(response.headers.get('Retry-After')) || undefined,
    };
  }
  token = body.data.access_token;
  state.session = {
    username,
    tenantId: '',
    tenantName: '',
    role: username === 'viewer' ? 'viewer' : 'admin',
    version: '',
  };
  state.status = 'in';
  state.ended = false;
  return undefined;
}

export async function signOut(): Promise<void> {
  await fetch('/logout', { method: 'POST', headers: authorization() }).catch(() => undefined);
  token = '';
  state.status = 'out';
  state.session = undefined;
  state.ended = false;
}

/** Looks whether this browser has a session already. */
export async function findSession(): Promise<void> {
  state.status = token ? 'in' : 'out';
}
