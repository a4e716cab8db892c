// The map of a shared journey: where the vehicle is, and where it goes.
import { openMap } from '../map/map-view.ts';
import { PlaceLayer } from '../map/place-layer.ts';
import { boundsOf, TrackLayer } from '../map/track-layer.ts';

type Point = { latitude: number; longitude: number };

/** drawJourney opens the map; the function that it returns moves the vehicle. */
export async function drawJourney(container: HTMLElement, label: string, destination: Point) {
  const view = await openMap(container, { label, scroll: false });
  const goal = { lng: destination.longitude, lat: destination.latitude, end: true };
  new PlaceLayer(view).show([goal]);
  const vehicle = new TrackLayer(view);
  let fitted = false;
  return (position: (Point & { heading: number | null }) | null) => {
    const at = position && { lng: position.longitude, lat: position.latitude, heading: position.heading };
    vehicle.cursor(at);
    const points = at ? [goal, at] : [goal];
    const bounds = boundsOf({ lng: points.map((p) => p.lng), lat: points.map((p) => p.lat) });
    if (!bounds || (fitted && at && view.map.getBounds().contains([at.lng, at.lat]))) return;
    view.map.fitBounds(bounds, { padding: 56, maxZoom: 12, animate: false });
    fitted = at !== null;
  };
}
