// A QR code of a short text: bytes, error correction M, versions 1 to 10 (ISO/IEC 18004).

const total = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];
const check = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26]; // codewords of correction in each block
const blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
const alignment = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** The codewords of correction of some data, by Reed and Solomon. */
export function correction(data: number[], count: number): number[] {
  const divisor = new Array<number>(count).fill(0);
  divisor[count - 1] = 1;
  let root = 1;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) divisor[j] = multiply(divisor[j] as number, root) ^ (divisor[j + 1] ?? 0);
    root = multiply(root, 2);
  }
  const rest = new Array<number>(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() as number);
    rest.push(0);
    for (let i = 0; i < count; i++) rest[i] = (rest[i] as number) ^ multiply(divisor[i] as number, factor);
  }
  return rest;
}

/** The codewords of a text with their correction, in the order in which they are drawn. */
function codewords(bytes: Uint8Array, version: number): number[] {
  const [perBlock = 0, count = 1] = [check[version - 1], blocks[version - 1]];
  const room = (total[version - 1] ?? 0) - perBlock * count;
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, room * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const data: number[] = [];
  for (let i = 0; i < bits.length; i += 8) data.push(Number.parseInt(bits.slice(i, i + 8).join(''), 2));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);

  const short = Math.floor(room / count);
  const parts: number[][] = [];
  for (let i = 0, at = 0; i < count; i++) {
    const length = short + (i >= count - (room % count) ? 1 : 0);
    parts.push(data.slice(at, at + length));
    at += length;
  }
  const checks = parts.map((part) => correction(part, perBlock));
  const woven: number[] = [];
  for (let i = 0; i <= short; i++) for (const part of parts) if (i < part.length) woven.push(part[i] as number);
  for (let i = 0; i < perBlock; i++) for (const part of checks) woven.push(part[i] as number);
  return woven;
}

/** The rows of the code, true where it is dark; undefined where the text is too long. */
export function qr(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text);
  const version =
    total.findIndex((all, i) => {
      const room = all - (check[i] as number) * (blocks[i] as number);
      return bytes.length + (i < 9 ? 2 : 3) <= room;
    }) + 1;
  if (version === 0) return undefined;
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const fixed = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const set = (x: number, y: number, value: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    (dark[y] as boolean[])[x] = value;
    (fixed[y] as boolean[])[x] = true;
  };

  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
      }
  const places = alignment[version - 1] as number[];
  const last = places.length - 1;
  for (const [i, x] of places.entries())
    for (const [j, y] of places.entries()) {
      if ((i === 0 && (j === 0 || j === last)) || (i === last && j === 0)) continue;
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }

  // Correction M has the number 0; so has the mask.
  const format = 0x5412;
  const bit = (i: number) => ((format >> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
  for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
  set(8, size - 8, true);
  if (version >= 7) {
    let rest = version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const info = (version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const [a, b, value] = [size - 11 + (i % 3), Math.floor(i / 3), ((info >> i) & 1) === 1];
      set(a, b, value);
      set(b, a, value);
    }
  }

  const words = codewords(bytes, version);
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (fixed[y]?.[x]) continue;
        const value = at < words.length * 8 && (((words[at >> 3] as number) >> (7 - (at & 7))) & 1) === 1;
        (dark[y] as boolean[])[x] = value !== ((x + y) % 2 === 0);
        at++;
      }
  }
  return dark;
}
