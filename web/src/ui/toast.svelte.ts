// Short messages at the edge of the screen. What was changed can be undone from there,
// instead of being asked about before.

export interface Message {
  id: number;
  text: string;
  tone: 'plain' | 'bad';
  undo?: () => void;
  /** What happens where it goes without being undone. */
  gone?: () => void;
}

const state = $state<{ list: Message[] }>({ list: [] });
let count = 0;

export const messages = () => state.list;

export function toast(text: string, o: Partial<Pick<Message, 'tone' | 'undo' | 'gone'>> = {}): void {
  const id = ++count;
  for (const old of state.list.slice(0, -2)) dismiss(old.id);
  state.list = [...state.list, { id, text, tone: 'plain', ...o }];
  expire(id, o.undo || o.tone === 'bad' ? 8000 : 5000);
}

/** Lets a message go after a time, but not while the reader is at it. */
function expire(id: number, after: number): void {
  setTimeout(() => {
    if (document.querySelector('.toasts:is(:hover, :focus-within)')) expire(id, 1000);
    else dismiss(id);
  }, after);
}

export function dismiss(id: number, undone = false): void {
  const message = state.list.find((m) => m.id === id);
  state.list = state.list.filter((m) => m.id !== id);
  if (undone) message?.undo?.();
  else message?.gone?.();
}

/** Does something that cannot be taken back only when the message goes with which it can still be undone. */
export function later(text: string, action: () => Promise<unknown>, undone?: () => void): void {
  toast(text, {
    undo: () => undone?.(),
    gone: () =>
      void action().catch((error: Error) => {
        undone?.();
        toast(error.message, { tone: 'bad' });
      }),
  });
}

/** Does something and says so, or why it failed; returns whether it was done. */
export async function attempt(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action();
    if (done) toast(done);
    return true;
  } catch (error) {
    toast((error as Error).message, { tone: 'bad' });
    return false;
  }
}
