// What the pages know before anyone has signed in.

export interface PageConfig {
  map_style: string | null;
  map_pmtiles: string | null;
  /** Who a visitor of the demo is; null outside of it. */
  demo: { username: string; password: string; speed: number; since: string; start: string } | null;
}

let asked: Promise<PageConfig | undefined> | undefined;

/** Asks until there was an answer; undefined where there is none. */
export function pageConfig(): Promise<PageConfig | undefined> {
  asked ??= ask().catch(() => {
    asked = undefined;
    return undefined;
  });
  return asked;
}

async function ask(): Promise<PageConfig | undefined> {
  const response = await fetch('/console/config');
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) return undefined;
  return ((await response.json()) as { data: PageConfig }).data;
}
