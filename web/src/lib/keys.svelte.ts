// Keys that work everywhere: single letters outside of fields, and "g" followed by the
// letter of a screen.

type Action = (event: KeyboardEvent) => void;

interface Binding {
  keys: string;
  label: string;
  action: Action;
}

const bindings: Binding[] = [];
export const helpOpen = $state({ open: false });

/** Binds a key ("?", "j", "g m", "Mod+k", "Alt+c") until the returned function is called. */
export function bind(keys: string, label: string, action: Action): () => void {
  const binding = { keys, label, action };
  bindings.push(binding);
  return () => {
    bindings.splice(bindings.indexOf(binding), 1);
  };
}

/** What is bound just now, for the list of keys. */
export const bound = () => bindings.map(({ keys, label }) => ({ keys, label }));

function inField(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return !!target?.closest('input, textarea, select, [contenteditable]');
}

function name(event: KeyboardEvent): string {
  if (event.metaKey || event.ctrlKey) return `Mod+${event.key.toLowerCase()}`;
  if (event.altKey) return `Alt+${event.code.replace('Key', '').toLowerCase()}`;
  return event.key;
}

let leader = '';
let leaderTimer: ReturnType<typeof setTimeout> | undefined;

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const pressed = name(event);
  const modified = pressed.includes('+') && pressed.length > 1;
  if (!modified && (inField(event) || document.querySelector('dialog[open]'))) return;
  const full = leader ? `${leader} ${pressed}` : pressed;
  leader = '';
  clearTimeout(leaderTimer);
  const found = bindings.findLast((b) => b.keys === full);
  if (found) {
    event.preventDefault();
    found.action(event);
  } else if (pressed === 'g' && !modified) {
    leader = 'g';
    leaderTimer = setTimeout(() => {
      leader = '';
    }, 3000);
  }
}

export function startKeys(): () => void {
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
