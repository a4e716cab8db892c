// The map's colours come from the console's tokens, so that light and dark are
// decided in one place.
import { type State, states } from './state.ts';

/** Rgb is a colour in parts of one, as shaders want it. */
export type Rgb = [number, number, number];

/** Palette is every colour that a map needs. */
export type Palette = {
  sea: string;
  land: string;
  border: string;
  river: string;
  road: string;
  label: string;
  halo: string;
  accent: string;
  alert: string;
  name: string;
  auxiliary: string;
  casing: Rgb;
  state: Record<State, Rgb>;
  stateText: Record<State, string>;
};

/** readPalette reads the tokens that apply to an element, as the colours that they come to in its theme. */
export function readPalette(element: Element): Palette {
  const probe = element.appendChild(document.createElement('span'));
  const token = (name: string): string => {
    probe.style.color = `var(${name})`;
    return hex(getComputedStyle(probe).color);
  };
  const stateText = Object.fromEntries(states.map((state) => [state, token(`--map-${state}`)])) as Record<
    State,
    string
  >;
  const palette: Palette = {
    sea: token('--map-sea'),
    land: token('--map-land'),
    border: token('--map-border'),
    river: token('--map-river'),
    road: token('--map-road'),
    label: token('--map-label'),
    halo: token('--map-halo'),
    accent: token('--accent'),
    alert: token('--bad'),
    name: token('--text'),
    casing: rgb(token('--map-casing')),
    auxiliary: token('--auxiliary'),
    stateText,
    state: Object.fromEntries(states.map((state) => [state, rgb(stateText[state])])) as Record<State, Rgb>,
  };
  probe.remove();
  return palette;
}

/** hex writes a computed colour, rgb(r, g, b), as #rrggbb. */
export function hex(colour: string): string {
  const parts = colour.match(/[\d.]+/g)?.slice(0, 3) ?? ['128', '128', '128'];
  return `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, '0')).join('')}`;
}

/** rgb reads a colour of the form #rrggbb. */
export function rgb(colour: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
  if (!hex) return [0.5, 0.5, 0.5];
  const value = Number.parseInt(hex, 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** watchTheme calls back when light and dark change, by the person or by the system. */
export function watchTheme(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'data-theme'] });
  system.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', changed);
  };
}
