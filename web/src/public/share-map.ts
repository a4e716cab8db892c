// The map of a shared journey: where the vehicle is, and where it goes.
import { keepMap } from '../map/keep-map.ts';
import { PlaceLayer } from '../map/place-layer.ts';
import { boundsOf, TrackLayer } from '../map/track-layer.ts';

type Point = { latitude: number; longitude: number };
type Position = (Point & { heading: number | null }) | null;

/** drawJourney keeps a map; the function that it returns moves the vehicle. */
export function drawJourney(container: HTMLElement, label: string, destination: Point): (position: Position) => void {
  const goal = { lng: destination.longitude, lat: destination.latitude, end: true };
  let newest: Position = null;
  let draw = () => {};
  const look = () => {
    const points = newest ? [goal, { lng: newest.longitude, lat: newest.latitude }] : [goal];
    const bounds = boundsOf({ lng: points.map((p) => p.lng), lat: points.map((p) => p.lat) });
    return bounds && { bounds, fitBoundsOptions: { padding: 56, maxZoom: 12 } };
  };
  keepMap(
    container,
    { label, scroll: false, start: look },
    {
      opened(view) {
        new PlaceLayer(view).show([goal]);
        const vehicle = new TrackLayer(view);
        let fitted = false;
        draw = () => {
          const at = newest && { lng: newest.longitude, lat: newest.latitude, heading: newest.heading };
          vehicle.cursor(at);
          const wanted = look();
          if (!wanted || (fitted && at && view.map.getBounds().contains([at.lng, at.lat]))) return;
          view.map.fitBounds(wanted.bounds, { ...wanted.fitBoundsOptions, animate: false });
          fitted = at !== null;
        };
        draw();
      },
      closed() {
        draw = () => {};
      },
    },
  );
  return (position) => {
    newest = position;
    draw();
  };
}
