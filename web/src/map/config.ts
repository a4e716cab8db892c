// What the operator has configured of the map, as GET /console/config says it.
import { pageConfig } from '../lib/config.ts';

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
  const data = await pageConfig();
  if (!data) return none;
  return { style: data.map_style, pmtiles: data.map_pmtiles, streets: Boolean(data.map_style ?? data.map_pmtiles) };
}
