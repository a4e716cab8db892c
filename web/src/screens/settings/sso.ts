// The texts of the form of single sign-on.
import type { Schema } from '../../api/client.ts';

type Rule = Schema['RoleRule'];

/** The words of a text. */
export const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Rules as lines: the value of the claim, an equals sign, the role. */
export const textOf = (rules: Rule[]): string => rules.map(({ value, role }) => `${value} = ${role}`).join('\n');

/** The rules of such lines. The last equals sign counts: a value may have some itself. */
export function rulesOf(text: string): Rule[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.lastIndexOf('=');
      const [value, role] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      return { value: value.trim(), role: role.trim().toLowerCase() as Rule['role'] };
    });
}
