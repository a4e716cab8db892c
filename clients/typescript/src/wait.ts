/** Makes a wait longer by up to a half, so that clients that failed together do not come back together. */
export function spread(ms: number): number {
  return ms * (1 + Math.random() / 2);
}
