// A whole journey by this client alone, for the end-to-end tests and as a larger example:
//
//     node journey.js URL USERNAME PASSWORD CONNECTION
//
// CONNECTION is the body of a connection as JSON, such as drover sandbox prints it.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Copied, data, Drover, list, parseDelivery, type Schema } from 'drover-client';

const patience = 300_000;

/** Receives one delivery: an address, and what is sent there. */
async function receiver() {
  let receive: (delivery: { headers: IncomingHttpHeaders; body: string }) => void;
  const received = new Promise<{ headers: IncomingHttpHeaders; body: string }>((resolve) => {
    receive = resolve;
  });
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    response.writeHead(204).end();
    receive({ headers: request.headers, body: Buffer.concat(pieces).toString() });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, server };
}

/** Asks again until there is an answer. */
async function until<T>(what: string, read: () => AsyncIterable<T>): Promise<T[]> {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const found: T[] = [];
    for await (const one of read()) found.push(one);
    if (found.length > 0) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`no ${what} within ${patience / 1000} seconds`);
}

/** A copy of the trips, and where it goes on. */
class Duplicate {
  readonly trips = new Map<string, Copied['/trip']>();
  private cursor: string | undefined;

  constructor(private readonly drover: Drover) {}

  /** Reads on until the copy is as it has to be. */
  async until(what: string, settled: () => boolean | Promise<boolean>) {
    const end = Date.now() + patience;
    while (Date.now() < end) {
      for await (const page of this.drover.changes('/trip', this.cursor)) {
        assert.equal(page.restart, this.cursor === undefined, 'the copy begins again, although it has a cursor');
        for (const trip of page.changed) this.trips.set(trip.id, trip);
        for (const id of page.deleted) this.trips.delete(id);
        this.cursor = page.cursor;
      }
      if (await settled()) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`no ${what} within ${patience / 1000} seconds`);
  }
}

async function main(url: string, username: string, password: string, connection: string) {
  const drover = new Drover(url);
  await drover.login(username, password);

  const input = JSON.parse(connection) as Schema['ConnectionInput'];
  const start = new Date(Date.now() - 36 * 3600_000).toISOString();
  const { id: connection_id } = await data(drover.api.POST('/connection', { body: { ...input, collection_start_time: start } }));
  const devices = await until('devices', () => list((cursor) => drover.api.GET('/device', { params: { query: { connection_id, cursor } } })));
  const trips = await until('trips', () => list((cursor) => drover.api.GET('/trip', { params: { query: { connection_id, cursor } } })));

  const copy = new Duplicate(drover);
  await copy.until('copy of the trips', async () => {
    const listed = new Set<string>();
    for await (const trip of list((cursor) => drover.api.GET('/trip', { params: { query: { cursor } } }))) listed.add(trip.id);
    return listed.size === copy.trips.size && [...listed].every((id) => copy.trips.has(id));
  });

  const { url: address, received, server } = await receiver();
  const device_id = devices[0]!.id;
  const filters = { device_ids: [device_id], event_types: ['milestone.created' as const] };
  const webhook = await data(drover.api.POST('/webhook', { body: { url: address, filters } }));
  const [newest] = await data(drover.api.GET('/event', { params: { query: { order: 'desc', limit: 1 } } }));
  const milestone = await data(
    drover.api.POST('/milestone', {
      body: {
        device_id,
        start_point: { latitude: -33.86, longitude: 151.2 },
        end_point: { latitude: -33.9, longitude: 151.1 },
        start_time: new Date().toISOString(),
      },
    }),
  );

  const delivery = await received;
  const delivered = await parseDelivery(webhook.secret, delivery.headers, delivery.body);
  assert.ok(delivered.type === 'milestone.created');
  assert.equal(delivered.data.id, milestone.id);
  for await (const event of drover.events({ after: newest!.sequence, query: { device_id: [device_id], type: ['milestone.created'] } })) {
    assert.ok(event.type === 'milestone.created');
    assert.equal(event.data.id, milestone.id);
    break;
  }

  const path = { milestone_id: milestone.id };
  const update = await data(drover.api.GET('/milestone/{milestone_id}/update', { params: { path } }));
  assert.equal(update.device_id, device_id);
  await drover.api.DELETE('/milestone/{milestone_id}', { params: { path } });
  await drover.api.DELETE('/webhook/{webhook_id}', { params: { path: { webhook_id: webhook.id } } });
  await drover.api.DELETE('/connection/{connection_id}', { params: { path: { connection_id }, query: { purge: true } } });
  await copy.until('copy without the trips that are gone', () => !trips.some((trip) => copy.trips.has(trip.id)));
  server.close();
  server.closeAllConnections();
  console.log(`${devices.length} devices, ${trips.length} trips`);
}

const [url, username, password, connection] = process.argv.slice(2);
await main(url!, username!, password!, connection!);
