// The way of one vehicle, coloured by what it did, with a cursor that a chart or a
// replay moves along it.
import type { Feature, FeatureCollection } from 'geojson';
import type { GeoJSONSource, LngLatBoundsLike } from 'maplibre-gl';
import { guardLayout, type MapView } from './map-view.ts';
import type { Palette } from './palette.ts';
import { type Kind, runs, type Track } from './track.ts';

const empty: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** TrackLayer draws one track at a time. */
export class TrackLayer {
  private readonly cursorElement = document.createElement('div');
  private at: { lng: number; lat: number } | null = null;
  private readonly forget: () => void;
  private readonly place = () => this.placeCursor();

  constructor(
    private readonly view: MapView,
    private readonly name = 'track',
    below?: string,
  ) {
    const { map, palette } = view;
    map.addSource(name, { type: 'geojson', data: empty, tolerance: 0.2 });
    const round = { 'line-cap': 'round', 'line-join': 'round' } as const;
    const sure = ['!=', ['get', 'kind'], 'hole'] as never;
    // Names of places stay readable: the way lies below them.
    const names = map.getStyle().layers.find(({ type }) => type === 'symbol')?.id ?? below;
    map.addLayer(
      {
        id: `${name}-casing`,
        type: 'line',
        source: name,
        filter: sure,
        layout: round,
        paint: { 'line-width': 7 },
      },
      names,
    );
    map.addLayer(
      {
        id: `${name}-line`,
        type: 'line',
        source: name,
        filter: sure,
        layout: round,
        paint: { 'line-width': 4 },
      },
      names,
    );
    const holes = ['all', ['==', ['get', 'kind'], 'hole'], ['==', ['geometry-type'], 'LineString']] as never;
    map.addLayer(
      {
        id: `${name}-hole`,
        type: 'line',
        source: name,
        filter: holes,
        paint: { 'line-width': 2, 'line-dasharray': [2, 2.5] },
      },
      names,
    );
    const ends = ['==', ['geometry-type'], 'Point'] as never;
    map.addLayer(
      {
        id: `${name}-ends`,
        type: 'circle',
        source: name,
        filter: ends,
        paint: { 'circle-radius': 5, 'circle-stroke-width': 2.5 },
      },
      below,
    );
    map.addLayer({ id: `${name}-guard`, type: 'symbol', source: name, filter: ends, layout: guardLayout }, below);
    this.recolour(palette);
    this.forget = view.onTheme((next) => this.recolour(next));
    this.cursorElement.className = 'track-cursor';
    this.cursorElement.hidden = true;
    map.getCanvasContainer().append(this.cursorElement);
    map.on('move', this.place);
  }

  /** show draws a track, or none. */
  show(track: Track | null): void {
    const source = this.view.map.getSource(this.name) as GeoJSONSource | undefined;
    source?.setData(track ? { type: 'FeatureCollection', features: features(track) } : empty);
  }

  /** cursor puts the cursor at a place, pointing where the vehicle did, or takes it away. */
  cursor(at: { lng: number; lat: number; heading?: number | null } | null): void {
    this.at = at;
    this.cursorElement.hidden = at === null;
    this.cursorElement.classList.toggle('pointed', at?.heading != null);
    if (at?.heading != null) this.cursorElement.style.setProperty('--heading', `${at.heading}deg`);
    this.placeCursor();
  }

  /** remove takes everything off the map. */
  remove(): void {
    this.forget();
    this.cursorElement.remove();
    const { map } = this.view;
    map.off('move', this.place);
    for (const part of ['guard', 'ends', 'hole', 'line', 'casing'])
      if (map.getLayer(`${this.name}-${part}`)) map.removeLayer(`${this.name}-${part}`);
    if (map.getSource(this.name)) map.removeSource(this.name);
  }

  private placeCursor(): void {
    if (!this.at) return;
    const point = this.view.map.project([this.at.lng, this.at.lat]);
    this.cursorElement.style.transform = `translate(${point.x}px, ${point.y}px)`;
  }

  private recolour(palette: Palette): void {
    const { map } = this.view;
    const colour: Record<Kind, string> = {
      driving: palette.stateText.driving,
      idling: palette.stateText.idling,
      auxiliary: palette.auxiliary,
      stopped: palette.stateText.stopped,
      hole: palette.stateText.silent,
    };
    const byKind = ['match', ['get', 'kind'], ...Object.entries(colour).flat(), colour.driving] as never;
    map.setPaintProperty(`${this.name}-casing`, 'line-color', palette.halo);
    map.setPaintProperty(`${this.name}-line`, 'line-color', byKind);
    map.setPaintProperty(`${this.name}-hole`, 'line-color', colour.hole);
    map.setPaintProperty(`${this.name}-ends`, 'circle-color', palette.halo);
    map.setPaintProperty(`${this.name}-ends`, 'circle-stroke-color', palette.stateText.stopped);
  }
}

/** features makes a line of each run of one kind, and a point of either end. */
export function features(track: Track): Feature[] {
  const place = (i: number): [number, number] => [track.lng[i] ?? 0, track.lat[i] ?? 0];
  const lines = runs(track).map(({ kind, from, to }): Feature => {
    const coordinates = [];
    for (let i = from; i <= to; i++) coordinates.push(place(i));
    return { type: 'Feature', properties: { kind }, geometry: { type: 'LineString', coordinates } };
  });
  const last = track.time.length - 1;
  if (last < 0) return [];
  const ends = [...new Set([0, last])].map(
    (i): Feature => ({ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: place(i) } }),
  );
  return [...lines, ...ends];
}

/** boundsOf is the box around a track, or nothing where there is none. */
export function boundsOf(track: Pick<Track, 'lng' | 'lat'>): LngLatBoundsLike | undefined {
  if (track.lng.length === 0) return undefined;
  const box = { west: 180, south: 90, east: -180, north: -90 };
  for (const [i, lng] of track.lng.entries()) {
    const lat = track.lat[i] ?? 0;
    box.west = Math.min(box.west, lng);
    box.east = Math.max(box.east, lng);
    box.south = Math.min(box.south, lat);
    box.north = Math.max(box.north, lat);
  }
  return [box.west, box.south, box.east, box.north];
}
