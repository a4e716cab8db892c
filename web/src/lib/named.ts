import { en, type Words } from '../locales/en.ts';

/** The words of a language by their keys. A build ships them alone, in the order of English. */
export function named(words: Words | string[]): Words {
  if (!Array.isArray(words)) return words;
  return Object.fromEntries(Object.keys(en).map((key, i) => [key, words[i]])) as Words;
}
