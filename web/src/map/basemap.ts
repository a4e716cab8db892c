// The built-in basemap in the browser: the files of build/basemap.ts as GeoJSON.
// The coarse world comes first, the finer one and the names follow.
import type { Feature, FeatureCollection, Position } from 'geojson';
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { Shapes, Waters } from '../../build/basemap.ts';
import { steady } from '../lib/patience.ts';
import citiesURL from './generated/cities.json?url';
import countriesURL from './generated/countries.json?url';
import fineURL from './generated/shapes-50m.json?url';
import coarseURL from './generated/shapes-110m.json?url';
import townsURL from './generated/towns.json?url';
import watersURL from './generated/waters.json?url';
import { grid } from './near.ts';
import { line, type Places, points, waterScale } from './steps.ts';
import { sourceOf } from './style.ts';

const townsFrom = 6; // zoom
const watersFrom = 3;

/** shapes makes one feature of all land and one of all borders. */
export function shapes(from: Shapes): FeatureCollection {
  const land: Feature = {
    type: 'Feature',
    properties: { kind: 'land' },
    geometry: { type: 'MultiPolygon', coordinates: from.land.map((polygon) => polygon.map((ring) => line(ring))) },
  };
  const borders: Feature = {
    type: 'Feature',
    properties: { kind: 'border' },
    geometry: { type: 'MultiLineString', coordinates: from.borders.map((way) => line(way)) },
  };
  return { type: 'FeatureCollection', features: [land, borders] };
}

/** smooth cuts the corners of a line, or of a ring: its points lie on a coarse grid (Chaikin). */
export function smooth(line: Position[]): Position[] {
  const [first, last] = [line[0], line.at(-1)];
  if (!first || !last || line.length < 3) return line;
  const closed = String(first) === String(last);
  const cut: Position[] = [];
  for (let i = 0; i + 1 < line.length; i++) {
    const [ax = 0, ay = 0] = line[i] ?? [];
    const [bx = 0, by = 0] = line[i + 1] ?? [];
    cut.push([ax * 0.75 + bx * 0.25, ay * 0.75 + by * 0.25], [ax * 0.25 + bx * 0.75, ay * 0.25 + by * 0.75]);
  }
  return closed ? [...cut, cut[0] as Position] : [first, ...cut, last];
}

/** waters makes one feature of all lakes, one of all rivers, and one of the borders of all states. */
export function waters(from: Waters): FeatureCollection {
  const lines = (kind: string, coordinates: Position[][]): Feature => ({
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'MultiLineString', coordinates },
  });
  const lakes: Feature = {
    type: 'Feature',
    properties: { kind: 'lake' },
    geometry: {
      type: 'MultiPolygon',
      coordinates: from.lakes.map((polygon) => polygon.map((ring) => smooth(line(ring, waterScale)))),
    },
  };
  const rivers = from.rivers.map((way) => smooth(smooth(line(way, waterScale))));
  return {
    type: 'FeatureCollection',
    features: [
      lakes,
      lines('river', rivers),
      lines(
        'state',
        from.states.map((way) => line(way, waterScale)),
      ),
    ],
  };
}

/** places makes a point of each place, with its rank. */
export function places(from: Places, kind: string, language = 'en'): Feature[] {
  // A browser knows what countries are called.
  const regions = language.startsWith('en') ? undefined : new Intl.DisplayNames(language, { type: 'region' });
  return points(from).map((coordinates, i) => ({
    type: 'Feature',
    properties: { kind, name: (from.code?.[i] && regions?.of(from.code[i])) || from.name[i], rank: from.rank[i] ?? 0 },
    geometry: { type: 'Point', coordinates },
  }));
}

async function load<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The basemap is not there: ${response.status}`);
  return (await response.json()) as T;
}

/** fillBasemap gives a map's sources their data, the coarse first. It returns when the fine one is there. */
export async function fillBasemap(map: MapLibreMap, signal: AbortSignal): Promise<void> {
  const get = <T>(url: string) => steady(() => load<T>(url), signal);
  const show = (name: string, data: FeatureCollection) => {
    signal.throwIfAborted();
    (map.getSource(name) as GeoJSONSource | undefined)?.setData(data);
  };
  // Each kind of names has a source of its own: what is there is not made again for what follows.
  const add = async (url: string, kind: string) => {
    const features = places(await get<Places>(url), kind, document.documentElement.lang);
    show(sourceOf(kind), { type: 'FeatureCollection', features });
  };
  const towns = zoomedIn(map, townsFrom).then(() => add(townsURL, 'town'));
  towns.catch(() => undefined); // the map is gone
  const coarse = get<Shapes>(coarseURL).then((world) => show('world', shapes(world)));
  await Promise.all([coarse, add(countriesURL, 'country'), add(citiesURL, 'city')]);
  // Names are looked for before a finer coast, which keeps the map's worker busy for longest.
  if (map.getZoom() >= townsFrom) await towns;
  show('world', shapes(await get<Shapes>(fineURL)));
  await zoomedIn(map, watersFrom);
  show('waters', waters(await get<Waters>(watersURL)));
}

/** The towns of the world, for those who ask which is near. */
export const loadTowns = async () => grid(await Promise.all([citiesURL, townsURL].map((url) => load<Places>(url))));

/** zoomedIn waits until a map shows a part of a country. */
function zoomedIn(map: MapLibreMap, zoom: number): Promise<void> {
  if (map.getZoom() >= zoom) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (map.getZoom() < zoom) return;
      map.off('zoomend', look);
      resolve();
    };
    map.on('zoomend', look);
  });
}
