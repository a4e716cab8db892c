// What the operator has configured of the map, as GET /console/config says it.
import { pageConfig } from '../lib/config.ts';

/** MapConfig names the operator's style or tile file, where there is one. */
export type MapConfig = { style: string | null; pmtiles: string | null; streets: boolean };

/** noStreets is the built-in map. */
export const noStreets: MapConfig = { style: null, pmtiles: null, streets: false };

/** mapConfig is the built-in map where there is no answer. */
export async function mapConfig(): Promise<MapConfig> {
  const data = await pageConfig();
  if (!data) return noStreets;
  return { style: data.map_style, pmtiles: data.map_pmtiles, streets: Boolean(data.map_style ?? data.map_pmtiles) };
}
