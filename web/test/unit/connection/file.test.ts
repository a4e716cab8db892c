import { expect, test } from 'vitest';
import { linesOf } from '../../../src/screens/connection/file.ts';

const call = (part: string, from_line: number, to_line: number) => ({
  part,
  from_line,
  to_line,
  calls: 1,
  rows: 3,
  at: '2026-11-15T12:00:00Z',
});

test('the lines of the calls that runs made are marked, from their first to their last', () => {
  const lines = linesOf({
    text: 'name: acme\ndevices:\n  get: /vehicles\n  device: id\npositions:\n  newest:\n    get: /positions\n',
    parts: [call('devices', 2, 4), call('positions.newest', 6, 7)],
  });
  expect(lines.map((line) => line.text)).toEqual([
    'name: acme',
    'devices:',
    '  get: /vehicles',
    '  device: id',
    'positions:',
    '  newest:',
    '    get: /positions',
  ]);
  expect(lines.map((line) => line.parts)).toEqual([
    [],
    ['devices'],
    ['devices'],
    ['devices'],
    [],
    ['positions.newest'],
    ['positions.newest'],
  ]);
});

test('before the first run no line is marked', () => {
  expect(linesOf({ text: 'name: acme\n', parts: [] })).toEqual([{ text: 'name: acme', parts: [] }]);
  expect(linesOf({ text: null, parts: [] })).toEqual([{ text: '', parts: [] }]);
});
