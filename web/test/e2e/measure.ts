// What is wrong with a page by its measures: text that is too narrow for its words, text
// that lies over other text, and content that is wider than its place.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from './page.ts';

/** How long a part may take to follow the width of its window, in milliseconds. */
const patience = 3000;

/** What a page has wrong, in words; to be evaluated in the page. */
function faults(): string[] {
  const found = new Set<string>();
  const said = (text: string) => `"${text.trim().replace(/\s+/g, ' ').slice(0, 40)}"`;
  const place = (e: Element) => {
    const named = (x: Element) =>
      `${x.localName}${[...x.classList]
        .filter((c) => !c.startsWith('svelte-'))
        .map((c) => `.${c}`)
        .join('')}`;
    return `${e.parentElement ? `${named(e.parentElement)} > ` : ''}${named(e)}`;
  };
  // What a dialog covers is not looked at.
  const roots = [...document.querySelectorAll('dialog[open]')];
  const root = roots.at(-1) ?? document.body;

  // Ids, addresses and code may be cut anywhere, and maps place names by themselves.
  const anywhere = 'code, pre, .url, .id, .maplibregl-map, svg';
  const hidden = '.sr, [hidden], option, script, style, noscript';

  interface Box {
    left: number;
    top: number;
    right: number;
    bottom: number;
  }
  const clipOf = new Map<Element, Box | null>();
  /** The part of the window in which an element can be seen; null where it is not seen at all. */
  function clip(e: Element): Box | null {
    const known = clipOf.get(e);
    if (known !== undefined) return known;
    const style = getComputedStyle(e);
    const above =
      e.parentElement && style.position !== 'fixed'
        ? clip(e.parentElement)
        : { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
    let box = above;
    if (style.visibility === 'hidden' || style.display === 'none' || style.opacity === '0') box = null;
    else if (above && style.overflow !== 'visible' && e !== document.body && e !== document.documentElement) {
      const r = e.getBoundingClientRect();
      box = {
        left: Math.max(above.left, r.left),
        top: Math.max(above.top, r.top),
        right: Math.min(above.right, r.right),
        bottom: Math.min(above.bottom, r.bottom),
      };
    }
    clipOf.set(e, box);
    return box;
  }
  /** Whether an element lies over the page on purpose, and which one it is. */
  function layer(e: Element): Element | null {
    for (let at: Element | null = e; at; at = at.parentElement) {
      const { position } = getComputedStyle(at);
      if (position === 'fixed' || position === 'absolute' || position === 'sticky') return at;
    }
    return null;
  }

  interface Line extends Box {
    of: Element;
    layer: Element | null;
    text: string;
  }
  const lines: Line[] = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent ?? '';
    const e = node.parentElement;
    if (!e || !text.trim() || e.closest(hidden)) continue;
    const seen = clip(e);
    if (!seen) continue;
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((r) => r.width > 0.5 && r.height > 0.5);
    if (!rects.length) continue;

    // A word that takes two lines: there is no room for it.
    const tops = new Set(rects.map((r) => Math.round(r.top)));
    if (tops.size > 1 && !e.closest(anywhere))
      for (const word of text.matchAll(/\p{L}{2,24}/gu)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const parts = new Set([...range.getClientRects()].filter((r) => r.width > 0.5).map((r) => Math.round(r.top)));
        if (parts.size > 1) found.add(`${place(e)}: the word ${said(word[0])} takes ${parts.size} lines`);
      }

    const over = e.closest('.maplibregl-map') ? undefined : layer(e);
    if (over === undefined) continue;
    for (const r of rects) {
      const box = {
        left: Math.max(r.left, seen.left),
        top: Math.max(r.top, seen.top),
        right: Math.min(r.right, seen.right),
        bottom: Math.min(r.bottom, seen.bottom),
      };
      if (box.right - box.left > 2 && box.bottom - box.top > 2) lines.push({ ...box, of: e, layer: over, text });
    }
  }

  // Text over text of the same layer. Lines of different fonts may touch by their leading.
  lines.sort((a, b) => a.top - b.top);
  for (const [i, a] of lines.entries())
    for (let j = i + 1; j < lines.length; j++) {
      const b = lines[j] as Line;
      if (b.top > a.bottom - 4) break;
      if (a.of === b.of || a.layer !== b.layer) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 4) found.add(`${place(a.of)} ${said(a.text)} lies over ${place(b.of)} ${said(b.text)}`);
    }

  // What reaches beyond its place: the window, or a box that cuts it off without saying so.
  const scrolls = 'pre, .code, textarea, .maplibregl-map, .maplibregl-map *, [data-scrolls]';
  for (const e of [document.documentElement, ...root.querySelectorAll('*')]) {
    if (
      !(e instanceof HTMLElement) ||
      e.matches(`${scrolls}, ${hidden}, input, select`) ||
      e.scrollWidth <= e.clientWidth + 1 ||
      e.clientWidth < 3
    )
      continue;
    const style = getComputedStyle(e);
    if (style.display === 'inline' || style.textOverflow === 'ellipsis' || !clip(e)) continue;
    if (style.overflowX !== 'visible' || e === document.documentElement)
      found.add(`${place(e)} is ${e.scrollWidth - e.clientWidth} px wider than its place`);
  }
  return [...found];
}

const heights = (width: number) => (width < 600 ? 844 : 860);

/** Gives a page's window a width. */
export async function widen(page: Page, width: number): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: heights(width) });
}

/** Holds a screen to its measures at several widths; the last stays. Charts and maps take a moment to follow. */
export async function wellPlaced(page: Page, screen: string, widths: number[]): Promise<void> {
  for (const width of widths) {
    await widen(page, width);
    await settled(page);
    const last = Date.now() + patience;
    let found = await page.evaluate(faults);
    while (found.length && Date.now() < last) found = await page.evaluate(faults);
    expect.soft(found, `${screen} at ${width}`).toEqual([]);
  }
}
