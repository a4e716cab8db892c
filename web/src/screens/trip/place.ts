// What a point is called.
import type { Places } from '../../../build/basemap.ts';
import { t } from '../../lib/i18n.svelte.ts';
import { nearest } from '../../map/near.ts';

/** The town that a point lies in or near; its coordinates where there is none. */
export function placeName(places: Places | undefined, latitude: number | null, longitude: number | null): string {
  if (latitude == null || longitude == null) return '–';
  const found = places && nearest(places, latitude, longitude);
  if (!found) return `${latitude.toFixed(3)}, ${longitude.toFixed(3)}`;
  return found.within ? found.name : t('trip.near', { place: found.name });
}
