// The console's words. English is the source of the keys; another language that lacks
// one does not compile.
import { en, type Words } from '../locales/en.ts';
import { numbers } from './formats.ts';
import { named } from './named.ts';
import { prefs } from './prefs.svelte.ts';

export type Key = keyof Words;
type Values = Record<string, string | number>;

const loaders: Record<string, () => Promise<Words>> = {
  de: async () => named((await import('../locales/de.ts')).de),
};

let shown = $state.raw<{ language: string; words: Words }>({ language: 'en', words: en });

/** The language of the words on the screen. */
export const language = () => shown.language;

/** The language with its region, where the browser names one: how numbers and times are written. */
export const locale = () => (navigator.language.startsWith(shown.language) ? navigator.language : shown.language);

/** Loads the words of the language that was chosen, or that the browser prefers. */
export async function loadLanguage(): Promise<void> {
  const wanted = prefs.language === 'system' ? navigator.language.slice(0, 2) : prefs.language;
  const load = loaders[wanted];
  shown = load ? { language: wanted, words: await load() } : { language: 'en', words: en };
  document.documentElement.lang = shown.language;
}

/**
 * The text for a key. {name} is replaced by a value, and {n|one trip|# trips} by the
 * form that the number n takes, with # as the number.
 */
export function t(key: Key, values: Values = {}): string {
  return fill(shown.words[key] ?? key, values);
}

/** Whether there is a text for a key that comes from data, and which. */
export function known(key: string, otherwise: string): string {
  return (shown.words as Record<string, string>)[key] ?? otherwise;
}

function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    const shownValue = typeof value === 'number' ? numbers(locale()).format(value) : value;
    if (one === undefined || many === undefined) return shownValue;
    return (value === 1 ? one : many).replace('#', shownValue);
  });
}
