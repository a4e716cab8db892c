// Ships a language without its keys: they are those of English, in the same order.
import { de } from '../src/locales/de.ts';
import { en } from '../src/locales/en.ts';

/** The source of a language's module without its keys. */
export function packed(words: Record<string, string>, keys: string[]): string {
  return `import { en } from './en.ts';
const words = ${JSON.stringify(keys.map((key) => words[key]))};
export const de = Object.fromEntries(Object.keys(en).map((key, i) => [key, words[i]]));`;
}

export function words() {
  return {
    name: 'drover-words',
    apply: 'build' as const,
    load: (id: string) => (/locales\/de\.ts$/.test(id) ? packed(de, Object.keys(en)) : undefined),
  };
}
