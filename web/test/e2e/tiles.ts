// A street map on loopback: a style, and vector tiles of a small region that are cut for it.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GeoJSONVT } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Feature } from 'geojson';

/** Where the streets are: a town of the demo. */
export const region = { lng: 144.96, lat: -37.81 };

/** A grid of streets, as a town has it. */
function streets(): Feature[] {
  return Array.from({ length: 21 }, (_, i) => (i - 10) * 0.004).flatMap((d) => [
    street([region.lng + d, region.lat - 0.04], [region.lng + d, region.lat + 0.04]),
    street([region.lng - 0.04, region.lat + d], [region.lng + 0.04, region.lat + d]),
  ]);
}

function street(...coordinates: [number, number][]): Feature {
  return { type: 'Feature', properties: { class: 'minor' }, geometry: { type: 'LineString', coordinates } };
}

/** tileServer serves a style and its tiles; what fails can be set at any time. */
export async function tileServer() {
  const index = new GeoJSONVT({ type: 'FeatureCollection', features: streets() }, { maxZoom: 14 });
  const state = { fails: '' as '' | 'style' | 'tiles', served: 0 };
  const send = (to: ServerResponse, status: number, type: string, body: string | Uint8Array = '') =>
    to.writeHead(status, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body);
  const server = createServer((request, answer) => {
    const path = request.url ?? '';
    if (state.fails === (path === '/style' ? 'style' : 'tiles')) return request.socket.destroy();
    if (path === '/style') return send(answer, 200, 'application/json', style());
    const tile = /^\/(\d+)\/(\d+)\/(\d+)$/.exec(path);
    if (!tile) return send(answer, 404, 'text/plain');
    const [z, x, y] = tile.slice(1).map(Number) as [number, number, number];
    const cut = index.getTile(z, x, y);
    state.served++;
    return send(answer, cut ? 200 : 204, 'application/x-protobuf', cut ? fromGeojsonVt({ roads: cut }) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const style = () =>
    JSON.stringify({
      version: 8,
      sources: { town: { type: 'vector', tiles: [`${origin}/{z}/{x}/{y}`], maxzoom: 14 } },
      layers: [
        { id: 'ground', type: 'background', paint: { 'background-color': '#eeeeee' } },
        { id: 'streets', type: 'line', source: 'town', 'source-layer': 'roads', paint: { 'line-color': '#aa5500' } },
      ],
    });
  return { origin, style: `${origin}/style`, state, close: () => server.close() };
}
