// What the frame shows of the live stream. The stream's owner sets it.

type Status = 'off' | 'live' | 'catching up' | 'offline';

const state = $state<{ status: Status; since: number | undefined }>({ status: 'off', since: undefined });

export const live = {
  get status() {
    return state.status;
  },
  /** When the stream was lost. */
  get since() {
    return state.since;
  },
};

/** Says how the stream goes. */
export function setLive(status: Status): void {
  if (status === state.status) return;
  state.since = status === 'offline' ? Date.now() : undefined;
  state.status = status;
}
