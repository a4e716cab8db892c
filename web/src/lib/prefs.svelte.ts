// What a person chose about the look: kept in this browser, and nothing else is.

export interface Prefs {
  theme: 'system' | 'light' | 'dark';
  density: 'comfortable' | 'compact';
  language: 'system' | 'en' | 'de';
  units: 'metric' | 'imperial';
  zone: string; // 'local', 'UTC' or the name of a zone
  hours: 'auto' | '12' | '24';
  rail: 'open' | 'narrow';
}

const key = 'drover.look';
const standard: Prefs = {
  theme: 'system',
  density: 'comfortable',
  language: 'system',
  units: 'metric',
  zone: 'local',
  hours: 'auto',
  rail: 'open',
};

function read(): Prefs {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Prefs>;
    return { ...standard, ...kept };
  } catch {
    return { ...standard };
  }
}

export const prefs = $state<Prefs>(read());

/** Changes a preference, shows it at once and remembers it. */
export function setPref<K extends keyof Prefs>(name: K, value: Prefs[K]): void {
  prefs[name] = value;
  try {
    localStorage.setItem(key, JSON.stringify(prefs));
  } catch {
    // A browser that keeps nothing still shows the choice until it is closed.
  }
  applyLook();
}

/** Puts theme and density where the style sheet looks for them. */
export function applyLook(): void {
  const root = document.documentElement;
  if (prefs.theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = prefs.theme;
  root.dataset.density = prefs.density;
  scheme.dark = prefs.theme === 'dark' || (prefs.theme === 'system' && darkQuery.matches);
}

const darkQuery = matchMedia('(prefers-color-scheme: dark)');
darkQuery.addEventListener('change', () => applyLook());

/** Whether the page is dark just now, for what is drawn outside of the style sheet. */
export const scheme = $state({ dark: false });

/** The present value of a colour token, for canvases. Read it where `scheme.dark` is read too. */
export function color(token: `--${string}`): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
