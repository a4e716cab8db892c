// What a point is called.
import { t } from '../../lib/i18n.svelte.ts';
import { type Grid, nearest } from '../../map/near.ts';

/** The town that a point lies in or near; its coordinates where there is none. */
export function placeName(towns: Grid | undefined, latitude: number | null, longitude: number | null): string {
  if (latitude == null || longitude == null) return '–';
  const found = towns && nearest(towns, latitude, longitude);
  if (!found) return `${latitude.toFixed(3)}, ${longitude.toFixed(3)}`;
  return found.within ? found.name : t('trip.near', { place: found.name });
}
