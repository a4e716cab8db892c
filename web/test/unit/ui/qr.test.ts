import { expect, test } from 'vitest';
import { correction, qr } from '../../../src/ui/qr.ts';

test('corrects as the example of the standard does', () => {
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
  expect(correction(data, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

/** Reads a code of one block back, as a camera would: format, mask, zigzag, bytes. */
function read(rows: boolean[][]): string {
  const size = rows.length;
  const reserved = (x: number, y: number) =>
    x === 6 ||
    y === 6 ||
    (x < 9 && y < 9) ||
    (x >= size - 8 && y < 9) ||
    (x < 9 && y >= size - 8) ||
    (size > 21 && Math.abs(x - size + 7) <= 2 && Math.abs(y - size + 7) <= 2);
  const bits: number[] = [];
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right--;
    for (let i = 0; i < size; i++)
      for (const x of [right, right - 1]) {
        const y = up ? size - 1 - i : i;
        if (!reserved(x, y)) bits.push(Number(rows[y]?.[x] !== ((x + y) % 2 === 0)));
      }
  }
  const number = (from: number, length: number) => Number.parseInt(bits.slice(from, from + length).join(''), 2);
  expect(number(0, 4)).toBe(4);
  return Array.from({ length: number(4, 8) }, (_, i) => String.fromCharCode(number(12 + 8 * i, 8))).join('');
}

test('what is drawn reads back', () => {
  for (const text of ['drover', 'https://a.example/share/abc']) expect(read(qr(text) ?? [])).toBe(text);
});

test('has the marks that a camera looks for, and says where it is too long', () => {
  const rows = qr(`https://fleet.example/share/${'a'.repeat(120)}`) ?? [];
  expect(rows.length).toBe(8 * 4 + 17);
  const finder = rows.slice(0, 7).map((row) => row.slice(0, 7).map(Number).join(''));
  expect(finder).toEqual(['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111']);
  // The format of correction M with mask 0, beside the left finder.
  expect([0, 1, 2, 3, 4, 5, 7].map((x) => Number(rows[8]?.[x])).join('')).toBe('1010100');
  expect(qr('a'.repeat(214))).toBeUndefined();
});
