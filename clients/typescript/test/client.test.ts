// Tests of the client against a small service, and the example of the README.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { data, Drover, list, parseDelivery, Refusal, verify, version } from 'drover-client';

interface Seen {
  request: IncomingMessage;
  url: URL;
  body: string;
}

type Answer = [status: number, headers: Record<string, string>, body: string];

/** Answers with the functions given, by method and path, and notes what was asked. */
async function serve(t: TestContext, answers: Record<string, (seen: Seen, n: number) => Answer>) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const one = { request, url: new URL(request.url ?? '', 'http://x'), body: Buffer.concat(pieces).toString() };
    seen.push(one);
    const [status, headers, body] = answers[`${request.method} ${one.url.pathname}`]!(one, seen.length);
    response.writeHead(status, headers);
    if (headers['Content-Length'] && Number(headers['Content-Length']) > body.length) {
      response.write(body, () => response.destroy());
      return;
    }
    response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const json = { 'Content-Type': 'application/json' };
const answer = (value: unknown, headers: Record<string, string> = {}): Answer => [200, { ...json, ...headers }, JSON.stringify({ data: value })];
const refuse = (status: number, error: object, headers: Record<string, string> = {}): Answer => [
  status,
  { ...json, ...headers },
  JSON.stringify({ error: { code: status, ...error } }),
];
const sleep = () => Promise.resolve();

test('a copy is kept', async (t) => {
  const service = await serve(t, {
    'GET /trip': ({ url }) => {
      const cursor = url.searchParams.get('cursor');
      if (cursor === 'old') return refuse(410, { message: 'take a new snapshot' });
      if (!cursor) return answer([{ id: 'a' }, { id: 'b' }], { 'X-Next-Cursor': 'one', Link: '<more>; rel="next"' });
      return answer([{ id: 'a', deleted_at: '2024-05-02T10:15:30Z' }], { 'X-Next-Cursor': 'two' });
    },
  });
  const drover = new Drover(service.url, { apiKey: 'key', sleep });
  for (const kept of [undefined, 'old']) {
    const trips = new Map<string, object>([['stale', {}]]);
    let cursor = kept;
    for await (const page of drover.changes('/trip', cursor)) {
      if (page.restart) trips.clear();
      for (const trip of page.changed) trips.set(trip.id, trip);
      for (const id of page.deleted) trips.delete(id);
      cursor = page.cursor;
    }
    assert.deepEqual([[...trips.keys()], cursor], [['b'], 'two']);
  }
});

test('a token that ran out is renewed', async (t) => {
  const service = await serve(t, {
    'POST /token': () => answer({ access_token: 'old', refresh_token: 'r', sub: 's' }),
    'POST /refresh': () => answer({ access_token: 'new' }),
    'GET /device/1': ({ request }) =>
      request.headers.authorization === 'Bearer new' ? answer({ id: '1' }) : refuse(401, { message: 'JWT has expired' }),
  });
  const drover = new Drover(service.url);
  await drover.login('demo', 'secret');
  const device = await data(drover.api.GET('/device/{device_id}', { params: { path: { device_id: '1' } } }));
  assert.equal(device.id, '1');
  assert.deepEqual(JSON.parse(service.seen[2]!.body), { sub: 's', refresh_token: 'r' });
  assert.deepEqual(drover.tokens, { access_token: 'new', refresh_token: 'r', sub: 's' });
});

test('a list goes through its pages', async (t) => {
  const service = await serve(t, {
    'GET /device': ({ url }) =>
      url.searchParams.get('cursor') === 'c' ? answer([{ id: '3' }]) : answer([{ id: '1' }, { id: '2' }], { 'X-Next-Cursor': 'c' }),
  });
  const drover = new Drover(service.url, { apiKey: 'drv_key' });
  const ids: string[] = [];
  for await (const device of list((cursor) => drover.api.GET('/device', { params: { query: { tag: 'cold', cursor } } }))) ids.push(device.id);
  assert.deepEqual(ids, ['1', '2', '3']);
  assert.equal(service.seen[1]!.request.headers.authorization, 'Bearer drv_key');
  assert.equal(service.seen[1]!.url.searchParams.get('tag'), 'cold');
});

test('a list goes on past empty pages', async (t) => {
  // By the cursor asked for: the next one, whether a next page is linked, and the page.
  const pages: Record<string, [string, boolean, object[]]> = {
    kept: ['a', true, []],
    a: ['b', true, [{ sequence: 7 }]],
    b: ['c', true, []],
    c: ['d', false, [{ sequence: 9 }]],
    d: ['e', false, []],
  };
  const service = await serve(t, {
    'GET /event': ({ url }) => {
      const [next, more, page] = pages[url.searchParams.get('cursor')!]!;
      return answer(page, more ? { 'X-Next-Cursor': next, Link: '</event>; rel="next"' } : { 'X-Next-Cursor': next });
    },
  });
  const drover = new Drover(service.url);
  const seen: number[] = [];
  for await (const event of list((cursor) => drover.api.GET('/event', { params: { query: { cursor } } }), 'kept')) seen.push(event.sequence);
  assert.deepEqual(seen, [7, 9]);
  assert.deepEqual(service.seen.map((s) => s.url.searchParams.get('cursor')), ['kept', 'a', 'b', 'c', 'd']);
});

test('a list ends where its cursor stays', async (t) => {
  const service = await serve(t, {
    'GET /event': (_, n) => answer(n === 1 ? [{ sequence: 1 }] : [], { 'X-Next-Cursor': '1', Link: '</event>; rel="next"' }),
  });
  const drover = new Drover(service.url);
  for await (const event of list((cursor) => drover.api.GET('/event', { params: { query: { cursor } } }))) assert.equal(event.sequence, 1);
  assert.equal(service.seen.length, 2);
});

test('a PATCH is repeated where nothing was done', async (t) => {
  for (const [status, calls] of [[429, 2], [503, 1]] as const) {
    const service = await serve(t, {
      'PATCH /device/1': (_, n) => (n === 1 ? refuse(status, { message: 'not now' }, { 'Retry-After': '0' }) : answer({ id: '1' })),
    });
    const { response } = await new Drover(service.url, { sleep }).api.PATCH('/device/{device_id}', { params: { path: { device_id: '1' } }, body: {} });
    assert.equal(response.status, calls === 2 ? 200 : status);
    assert.equal(service.seen.length, calls);
  }
});

test('waits are spread', async (t) => {
  const service = await serve(t, { 'GET /device/1': () => refuse(503, { message: 'busy' }) });
  const first = new Set<number>();
  for (let i = 0; i < 10; i++) {
    const waits: number[] = [];
    const noted = (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    };
    await new Drover(service.url, { sleep: noted }).api.GET('/device/{device_id}', { params: { path: { device_id: '1' } } });
    assert.equal(waits.length, 3);
    waits.forEach((wait, n) => assert.ok(wait >= 200 * 2 ** n && wait <= 300 * 2 ** n, `wait ${n} is ${wait}`));
    first.add(waits[0]!);
  }
  assert.ok(first.size > 1);
});

test('the client names itself', async (t) => {
  const service = await serve(t, { 'GET /device/1': () => answer({ id: '1' }) });
  await new Drover(service.url).api.GET('/device/{device_id}', { params: { path: { device_id: '1' } } });
  assert.equal(service.seen[0]!.request.headers['user-agent'], `drover-typescript/${version}`);
});

test('a delivery is read by its type', async () => {
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const body = '{"type":"trip.completed","timestamp":"2024-05-02T10:15:30Z","sequence":7,"data":{"id":"t1","distance_metres":15230.4}}';
  const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`e1.1714644930.${body}`).digest('base64');
  const headers = { 'Webhook-Id': 'e1', 'Webhook-Timestamp': '1714644930', 'Webhook-Signature': `v1,${signature}` };
  const delivery = await parseDelivery(secret, headers, new TextEncoder().encode(body), 1714644930);
  assert.ok(delivery.type === 'trip.completed');
  assert.deepEqual([delivery.id, delivery.sequence, delivery.data.distance_metres], ['e1', 7, 15230.4]);
  await assert.rejects(parseDelivery('whsec_YWJj', headers, body, 1714644930), /not signed/);
});

test('a POST is repeated under one key', async (t) => {
  const service = await serve(t, {
    'POST /webhook': (_, n) => (n === 1 ? refuse(503, { message: 'busy' }, { 'Retry-After': '0' }) : answer({})),
  });
  const drover = new Drover(service.url, { sleep });
  await data(drover.api.POST('/webhook', { body: { url: 'https://x.example' } }));
  const keys = service.seen.map((s) => s.request.headers['idempotency-key']);
  assert.equal(keys.length, 2);
  assert.ok(keys[0]);
  assert.equal(keys[0], keys[1]);
  assert.equal(service.seen[1]!.body, '{"url":"https://x.example"}');
});

test('headers of a call', async (t) => {
  const service = await serve(t, {
    'GET /device/1': ({ request }) =>
      request.headers['if-none-match'] === '"a"' ? [304, { ETag: '"a"' }, ''] : answer({ id: '1' }, { ETag: '"a"' }),
    'PATCH /device/1': () => refuse(412, { message: 'The record has changed since it was read' }),
    'POST /webhook': () => answer({ id: '2' }),
  });
  const used: string[] = [];
  const drover = new Drover(service.url, {
    fetch: (...args) => {
      used.push(args[0] instanceof Request ? args[0].method : '');
      return fetch(...args);
    },
  });
  const params = { path: { device_id: '1' } };
  const etag = (await drover.api.GET('/device/{device_id}', { params })).response.headers.get('ETag');
  assert.equal(etag, '"a"');
  const again = await drover.api.GET('/device/{device_id}', { params, headers: { 'If-None-Match': etag } });
  assert.equal(again.response.status, 304);
  const change = data(drover.api.PATCH('/device/{device_id}', { params, body: { year: 2020 }, headers: { 'If-Match': etag } }));
  await assert.rejects(change, (e) => e instanceof Refusal && e.status === 412);
  await data(drover.api.POST('/webhook', { body: { url: 'https://x.example' }, headers: { 'Idempotency-Key': 'mine' } }));
  assert.equal(service.seen[2]!.request.headers['if-match'], '"a"');
  assert.equal(service.seen[3]!.request.headers['idempotency-key'], 'mine');
  assert.deepEqual(used, ['GET', 'GET', 'PATCH', 'POST']);
});

test('a refusal is thrown with its place', async (t) => {
  const error = { message: 'Field required', loc: ['body', 'tags', 0], type: 'missing' };
  const service = await serve(t, { 'PATCH /device/1': () => refuse(422, error, { 'X-Request-Id': 'r1', 'X-Required-Scope': 'drivers' }) });
  const call = data(new Drover(service.url).api.PATCH('/device/{device_id}', { params: { path: { device_id: '1' } }, body: {} }));
  await assert.rejects(call, (e) => e instanceof Refusal && e.status === 422 && e.type === 'missing' && e.message === 'body.tags.0: Field required');
  await assert.rejects(call, (e) => e instanceof Refusal && e.requestId === 'r1' && e.requiredScope === 'drivers');
  assert.equal(service.seen.length, 1);
});

test('a service that is silent is given up', async (t) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const call = new Drover(url, { apiKey: 'key', sleep, timeout: 20 }).api.GET('/connection', {});
  await assert.rejects(call, /no answer within 20 ms/);
});

test('an answer that stops halfway is given up', async (t) => {
  const stalled = createServer((_, response) => {
    response.writeHead(200, json);
    response.write('{"data":');
  });
  await new Promise<void>((done) => stalled.listen(0, '127.0.0.1', done));
  t.after(() => {
    stalled.closeAllConnections();
    stalled.close();
  });
  const drover = new Drover(`http://127.0.0.1:${(stalled.address() as AddressInfo).port}`, { apiKey: 'key', sleep, timeout: 100 });
  await assert.rejects(drover.api.GET('/connection', {}), /no answer within 100 ms/);
  await assert.rejects(drover.changes('/trip').next(), /no answer within 100 ms/);
  const file = drover.download('/export/1/file');
  assert.equal((await file.next()).value?.length, 8);
  await assert.rejects(file.next(), /does not go on with a file that was cut/); // it asked for the rest
});

test('a call that has ended leaves nothing with its caller', async (t) => {
  const service = await serve(t, { 'GET /device/1': (_, n) => (n < 3 ? refuse(503, { message: 'busy' }) : answer({ id: '1' })) });
  const drover = new Drover(service.url, { sleep });
  let signal: AbortSignal | undefined;
  drover.api.use({
    onRequest({ request }) {
      signal = request.signal;
    },
  });
  await data(drover.api.GET('/device/{device_id}', { params: { path: { device_id: '1' } } }));
  assert.equal(service.seen.length, 3);
  assert.equal(getEventListeners(signal!, 'abort').length, 0);
});

test('a stream goes on where it was cut', async (t) => {
  const service = await serve(t, {
    'GET /stream': (_, n) => [
      200,
      { 'Content-Type': 'text/event-stream' },
      `: hello\n\nid: ${n + 4}\nevent: trip.completed\ndata: {"sequence":${n + 4},"type":"trip.completed"}\n\n`,
    ],
  });
  const seen: number[] = [];
  for await (const event of new Drover(service.url, { sleep }).events({ after: 4, query: { type: ['trip.completed'] } })) {
    seen.push(event.sequence);
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, [5, 6, 7]);
  assert.deepEqual(service.seen.map((s) => s.request.headers['last-event-id']), ['4', '5', '6']);
  assert.equal(service.seen[0]!.url.search, '?type=trip.completed');
});

test('a stream ends with a refusal', async (t) => {
  const service = await serve(t, { 'GET /stream': () => refuse(409, { message: 'beyond the feed' }) });
  await assert.rejects(new Drover(service.url, { sleep }).events({ after: 9 }).next(), (e) => e instanceof Refusal && e.status === 409);
});

test('a download asks for the rest', async (t) => {
  const content = '0123456789'.repeat(1000);
  const service = await serve(t, {
    'GET /export/1/file': (_, n) => (n === 1 ? [200, { 'Content-Length': '10000' }, content.slice(0, 4000)] : [206, {}, content.slice(4000)]),
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of new Drover(service.url, { sleep }).download('/export/1/file')) pieces.push(piece);
  assert.equal(Buffer.concat(pieces).toString(), content);
  assert.deepEqual(service.seen.map((s) => s.request.headers.range), [undefined, 'bytes=4000-']);
});

test('a delivery is verified', async () => {
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const body = '{"type":"trip.completed"}';
  const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`id.1714644930.${body}`).digest('base64');
  const headers = { 'Webhook-Id': 'id', 'Webhook-Timestamp': '1714644930', 'Webhook-Signature': `v1,b3RoZXI= v1,${signature}` };
  await verify(secret, headers, body, 1714644930 + 300);
  await verify(secret, new Headers(headers), new TextEncoder().encode(body), 1714644930 - 300);
  await assert.rejects(verify(secret, headers, body, 1714644930 + 301), /too far from now/);
  await assert.rejects(verify(secret, headers, `${body} `, 1714644930), /not signed/);
  await assert.rejects(verify('whsec_YWJj', headers, body, 1714644930), /not signed/);
  await assert.rejects(verify('whsec_', headers, body, 1714644930), /not one of a webhook/);
});

test('the example of the README runs', async (t) => {
  const service = await serve(t, { 'GET /trip': () => answer([{ id: '1', distance_metres: 15230.4 }]) });
  // That of the package, beside the module which the tests import.
  const readme = readFileSync(new URL('../../README.md', pathToFileURL(createRequire(import.meta.url).resolve('drover-client'))), 'utf8');
  const code = /```ts\n(.*?)```/s.exec(readme)![1]!;
  const file = new URL('./readme-example.mjs', import.meta.url);
  writeFileSync(
    file,
    code.replace('https://drover.example', service.url).replace('console.log', 'globalThis.printed.push'),
  );
  const printed: unknown[] = [];
  Object.assign(globalThis, { printed });
  await import(file.href);
  assert.deepEqual(printed, ['1', 15230.4]);
});
