import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../src/docs/document.ts';
import { request, show } from '../../../src/docs/try.ts';

const entry: Entry = {
  id: 'patchThing',
  method: 'PATCH',
  path: '/thing/{thing_id}',
  group: 'Things',
  operation: {
    operationId: 'patchThing',
    summary: '',
    parameters: [
      { name: 'thing_id', in: 'path' },
      { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'q', in: 'query', schema: { type: 'string' } },
      { name: 'x-api-version', in: 'header' },
    ],
    requestBody: { content: {} },
    responses: {},
  },
};

describe('request', () => {
  it('has what was filled in, and nothing else', async () => {
    const values = { 'path.thing_id': 'a/b', 'query.tag': 'cold, dry', 'query.q': ' ' };
    const sent = request(entry, values, '{"a":1}', 'https://drover.example');
    expect([sent.method, sent.url]).toEqual(['PATCH', 'https://drover.example/thing/a%2Fb?tag=cold&tag=dry']);
    expect(sent.headers.get('Content-Type')).toBe('application/json');
    expect(await sent.text()).toBe('{"a":1}');
  });
});

describe('show', () => {
  it('writes JSON over several lines', async () => {
    const headers = { 'Content-Type': 'application/json' };
    expect(await show(new Response('{"data":[1]}', { status: 200, statusText: 'OK', headers }))).toEqual({
      status: '200 OK',
      text: '{\n  "data": [\n    1\n  ]\n}',
    });
  });

  it('cuts what is long', async () => {
    const shown = await show(new Response('x'.repeat(200_000), { headers: { 'Content-Type': 'text/csv' } }));
    expect(shown.text.length).toBeLessThan(101_000);
    expect(shown.text.endsWith('…')).toBe(true);
  });
});
