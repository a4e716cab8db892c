// Ships a language without its keys: they are those of English, in the same order.
import { de } from '../src/locales/de.ts';
import { en } from '../src/locales/en.ts';

/** A language's words in the order of the keys; lib/named.ts gives them their keys again. */
export const packed = (words: Record<string, string>, keys: string[]) => keys.map((key) => words[key]);

export function words() {
  return {
    name: 'drover-words',
    apply: 'build' as const,
    load: (id: string) =>
      /locales\/de\.ts$/.test(id) ? `export const de = ${JSON.stringify(packed(de, Object.keys(en)))}` : undefined,
  };
}
