// Views that a person has saved: a name and an address. They stay in this browser.

/** View is a named address of the map screen, without its path. */
export type View = { name: string; search: string };

const key = 'drover.views';
const most = 20;

function read(): View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept)
      ? kept.filter((view) => typeof view?.name === 'string' && typeof view?.search === 'string')
      : [];
  } catch {
    return [];
  }
}

const state = $state<{ list: View[] }>({ list: read() });

/** views is what was saved, in the order of saving. */
export const views = () => state.list;

/** saveView keeps a view; one of the same name is replaced. */
export function saveView(view: View): void {
  write([...state.list.filter(({ name }) => name !== view.name), view].slice(-most));
}

/** deleteView forgets a view. */
export function deleteView(name: string): void {
  write(state.list.filter((view) => view.name !== name));
}

function write(list: View[]): void {
  state.list = list;
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // A browser that keeps nothing still has the view until it is closed.
  }
}
