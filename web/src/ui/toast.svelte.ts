// Short messages at the edge of the screen. What was changed can be undone from there,
// instead of being asked about before.

export interface Message {
  id: number;
  text: string;
  tone: 'plain' | 'bad';
  undo?: () => void;
}

const state = $state<{ list: Message[] }>({ list: [] });
let count = 0;

export const messages = () => state.list;

export function toast(text: string, o: { tone?: Message['tone']; undo?: () => void } = {}): void {
  const id = ++count;
  state.list = [...state.list.slice(-2), { id, text, tone: o.tone ?? 'plain', undo: o.undo }];
  setTimeout(() => dismiss(id), o.undo || o.tone === 'bad' ? 8000 : 5000);
}

export function dismiss(id: number): void {
  state.list = state.list.filter((m) => m.id !== id);
}

/** Does something that cannot be taken back only after the time in which it can still be undone. */
export function later(text: string, action: () => Promise<unknown>, undone?: () => void): void {
  let stopped = false;
  toast(text, {
    undo: () => {
      stopped = true;
      undone?.();
    },
  });
  setTimeout(() => {
    if (stopped) return;
    action().catch((error: Error) => {
      undone?.();
      toast(error.message, { tone: 'bad' });
    });
  }, 8000);
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
