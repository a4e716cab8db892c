// What the operator has configured of the map, as GET /console/config says it.

/** MapConfig names the operator's style or tile file, where there is one. */
export type MapConfig = { style: string | null; pmtiles: string | null; streets: boolean };

const none: MapConfig = { style: null, pmtiles: null, streets: false };

let asked: Promise<MapConfig> | undefined;

/** mapConfig asks once for each page; without an answer the built-in map is used. */
export function mapConfig(): Promise<MapConfig> {
  asked ??= ask().catch(() => none);
  return asked;
}

async function ask(): Promise<MapConfig> {
  const response = await fetch('/console/config');
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) return none;
  const { data } = (await response.json()) as { data: { map_style: string | null; map_pmtiles: string | null } };
  return { style: data.map_style, pmtiles: data.map_pmtiles, streets: Boolean(data.map_style ?? data.map_pmtiles) };
}
