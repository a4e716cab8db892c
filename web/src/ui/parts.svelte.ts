// A long list that is made in parts, one in each frame.

/** How many new entries are made at once: about half of what a window holds. */
export const atOnce = 10;

/** As much of a list as may be drawn now, where some of it is drawn. */
export function part<T extends { id: string }>(all: T[], drawn: Set<string>): T[] {
  let fresh = 0;
  const end = all.findIndex((entry) => !drawn.has(entry.id) && ++fresh > atOnce);
  return end < 0 ? all : all.slice(0, end);
}

/** As much of a list as may be drawn now; the rest follows frame by frame. What is drawn stays drawn. */
export function inParts<T extends { id: string }>(list: () => T[]) {
  let drawn = new Set<string>();
  let frame = $state(0);
  const all = $derived(list());
  const made = $derived.by(() => {
    void frame;
    const now = part(all, drawn);
    drawn = new Set(now.map((entry) => entry.id));
    return now;
  });
  const whole = $derived(made.length === all.length);
  $effect(() => {
    if (whole) return;
    void made;
    const next = requestAnimationFrame(() => frame++);
    return () => cancelAnimationFrame(next);
  });
  return {
    get made() {
      return made;
    },
    get whole() {
      return whole;
    },
  };
}
