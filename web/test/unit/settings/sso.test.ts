import { expect, test } from 'vitest';
import { rulesOf, textOf, wordsOf } from '../../../src/screens/settings/sso.ts';

test('rules are lines, and lines are rules', () => {
  const rules = rulesOf(' fleet-admins = Admin\n\ncn=crew,dc=x = member\nnothing');
  expect(rules).toEqual([
    { value: 'fleet-admins', role: 'admin' },
    { value: 'cn=crew,dc=x', role: 'member' },
    { value: 'nothing', role: '' },
  ]);
  expect(rulesOf(textOf(rules.slice(0, 2)))).toEqual(rules.slice(0, 2));
});

test('words are parted by spaces and commas', () => {
  expect(wordsOf(' a.example, b.example\nc.example ')).toEqual(['a.example', 'b.example', 'c.example']);
  expect(wordsOf('')).toEqual([]);
});
