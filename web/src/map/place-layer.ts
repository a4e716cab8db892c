// Places on a map: the circles of a journey's start and destination, and names beside them.
import type { Feature, FeatureCollection } from 'geojson';
import type { GeoJSONSource } from 'maplibre-gl';
import { guardLayout, type MapView } from './map-view.ts';
import { haversine } from './mercator.ts';
import type { Palette } from './palette.ts';

/** Place is a point with a circle around it, in metres, or a plain point. */
export type Place = {
  lng: number;
  lat: number;
  radius?: number;
  label?: string;
  id?: string;
  end?: boolean;
  alert?: boolean;
};

const corners = 64;
const metresPerDegree = 111_195;

/** circle is the ring around a place. */
export function circle({ lng, lat, radius = 0 }: Place): [number, number][] {
  const height = radius / metresPerDegree;
  const width = height / Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  return Array.from({ length: corners + 1 }, (_, i) => {
    const angle = ((i % corners) / corners) * 2 * Math.PI;
    return [lng + Math.sin(angle) * width, lat + Math.cos(angle) * height];
  });
}

/** PlaceLayer draws places, and a dashed line through them where it is wanted. */
export class PlaceLayer {
  private readonly forget: () => void;

  constructor(
    private readonly view: MapView,
    private readonly name = 'marks',
    onpick?: (id: string) => void,
  ) {
    const { map } = view;
    map.addSource(name, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    const only = (type: string) => ['==', ['geometry-type'], type] as never;
    map.addLayer({ id: `${name}-area`, type: 'fill', source: name, filter: only('Polygon') });
    map.addLayer({
      id: `${name}-edge`,
      type: 'line',
      source: name,
      filter: only('Polygon'),
      paint: { 'line-width': 1.5 },
    });
    map.addLayer({
      id: `${name}-line`,
      type: 'line',
      source: name,
      filter: only('LineString'),
      paint: { 'line-width': 2, 'line-dasharray': [2, 2] },
    });
    map.addLayer({
      id: `${name}-point`,
      type: 'circle',
      source: name,
      filter: only('Point'),
      paint: { 'circle-radius': 5, 'circle-stroke-width': 2 },
    });
    map.addLayer({
      id: `${name}-name`,
      type: 'symbol',
      source: name,
      filter: only('Point'),
      layout: {
        'text-field': ['get', 'label'],
        'text-size': 12,
        'text-variable-anchor': ['top', 'bottom', 'right', 'left'],
        'text-radial-offset': 1.1,
        'text-justify': 'auto',
      },
      paint: { 'text-halo-width': 1.5 },
    });
    map.addLayer({ id: `${name}-guard`, type: 'symbol', source: name, filter: only('Point'), layout: guardLayout });
    this.recolour(view.palette);
    this.forget = view.onTheme((next) => this.recolour(next));
    if (onpick) map.on('click', `${name}-point`, (event) => onpick(String(event.features?.[0]?.properties.id)));
  }

  /** show draws places; with a line they are joined in their order. */
  show(places: Place[], line = false): void {
    const features: Feature[] = places.flatMap((place): Feature[] => {
      const properties = {
        label: place.label ?? '',
        id: place.id ?? '',
        end: place.end ?? false,
        alert: place.alert ?? false,
      };
      const point: Feature = {
        type: 'Feature',
        properties,
        geometry: { type: 'Point', coordinates: [place.lng, place.lat] },
      };
      if (!place.radius) return [point];
      return [{ type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [circle(place)] } }, point];
    });
    if (line && places.length > 1) {
      const coordinates = places.map(({ lng, lat }) => [lng, lat]);
      features.unshift({ type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates } });
    }
    const all: FeatureCollection = { type: 'FeatureCollection', features };
    (this.view.map.getSource(this.name) as GeoJSONSource | undefined)?.setData(all);
  }

  remove(): void {
    this.forget();
    const { map } = this.view;
    for (const part of ['guard', 'name', 'point', 'line', 'edge', 'area']) map.removeLayer(`${this.name}-${part}`);
    map.removeSource(this.name);
  }

  private recolour(palette: Palette): void {
    const { map } = this.view;
    const { alert } = palette;
    const colour = [
      'case',
      ['get', 'alert'],
      alert,
      ['get', 'end'],
      palette.stateText.driving,
      palette.stateText.stopped,
    ] as never;
    map.setPaintProperty(`${this.name}-area`, 'fill-color', colour);
    map.setPaintProperty(`${this.name}-area`, 'fill-opacity', 0.12);
    map.setPaintProperty(`${this.name}-edge`, 'line-color', colour);
    map.setPaintProperty(`${this.name}-line`, 'line-color', palette.stateText.stopped);
    map.setPaintProperty(`${this.name}-point`, 'circle-color', palette.halo);
    map.setPaintProperty(`${this.name}-point`, 'circle-stroke-color', colour);
    map.setPaintProperty(`${this.name}-name`, 'text-color', palette.stateText.stopped);
    map.setPaintProperty(`${this.name}-name`, 'text-halo-color', palette.halo);
  }
}

/** lengthOf is the length of the line through places, in metres. */
export function lengthOf(places: Place[]): number {
  return places.slice(1).reduce((sum, place, i) => {
    const before = places[i] as Place;
    return sum + haversine(before.lng, before.lat, place.lng, place.lat);
  }, 0);
}
