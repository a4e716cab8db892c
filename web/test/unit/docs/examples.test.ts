import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerOf, type Entry, entries, type OpenApi, references } from '../../../src/docs/document.ts';
import { example, goName, pythonName, pythonValue } from '../../../src/docs/examples.ts';

const at = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const document = JSON.parse(at('../../../openapi.json')) as OpenApi;
const all = entries(document);
const find = (id: string) => all.find((e) => e.id === id) as Entry;
const origin = 'https://drover.example';

describe('examples', () => {
  it('name the methods that the clients have', () => {
    const go = ['operations.go', 'operation.go', 'stream.go'].map((name) => at(`../../../../client/${name}`)).join('');
    const python = ['_operations.py', '__init__.py']
      .map((name) => at(`../../../../clients/python/drover_client/${name}`))
      .join('');
    expect(all.length).toBeGreaterThan(100);
    for (const entry of all) {
      expect(go).toContain(`func (c *Client) ${goName(entry.id)}(`);
      expect(python).toContain(`def ${pythonName(entry.id)}(self`);
      if (example('Go', entry, origin).includes('Query{')) expect(go).toContain(`type ${goName(entry.id)}Query struct`);
    }
  });

  it('show a list', () => {
    const entry = find('listTrips');
    expect(answerOf(entry)).toBe('pages');
    expect(example('curl', entry, origin)).toBe(`curl -s '${origin}/trip' \\\n  -H "Authorization: Bearer $TOKEN"`);
    expect(example('Go', entry, origin)).toContain(
      'for record, err := range c.ListTrips(ctx, client.ListTripsQuery{}) {',
    );
    expect(example('TypeScript', entry, origin)).toContain(
      "for await (const record of list((cursor) => drover.api.GET('/trip', { params: { query: { cursor } } }))) {",
    );
    expect(example('Python', entry, origin)).toContain('for record in client.list_trips():');
  });

  it('show a body', () => {
    const entry = find('patchDevice');
    expect(answerOf(entry)).toBe('record');
    expect(example('curl', entry, origin)).toMatch(/^curl -s -X PATCH '.*\/device\/DEVICE_ID' [\s\S]*--json '\{/);
    expect(example('Go', entry, origin)).toContain('answer, err := c.PatchDevice(ctx, "DEVICE_ID", body)');
    expect(example('TypeScript', entry, origin)).toContain("params: { path: { device_id: 'DEVICE_ID' } }, body: {");
    expect(example('Python', entry, origin)).toContain('client.patch_device("DEVICE_ID", {"');
  });

  it('show what has no answer, a stream and a file', () => {
    expect(example('Go', find('deleteMilestone'), origin)).toContain('err := c.DeleteMilestone(ctx, "MILESTONE_ID")');
    expect(example('curl', find('getStream'), origin)).toMatch(/^curl -sN /);
    expect(example('Go', find('getStream'), origin)).toContain(
      'c.GetStream(ctx, client.FromNow, client.GetStreamQuery{})',
    );
    expect(example('TypeScript', find('getStream'), origin)).toContain('drover.events()');
    expect(example('Python', find('getExportFile'), origin)).toContain('client.get_export_file("EXPORT_ID", file)');
    expect(example('curl', find('postToken'), origin)).not.toContain('Authorization');
  });

  it('ask for what an operation cannot do without', () => {
    expect(example('Python', find('listDevicePositions'), origin)).toContain('from_="2024-05-01T00:00:00Z"');
    expect(example('Go', find('listDevicePositions'), origin)).toContain('From: time.Date(');
  });

  it('write values as Python does', () => {
    expect(pythonValue({ a: [true, null, 1.5, 'x'], b: {} })).toBe('{"a": [True, None, 1.5, "x"], "b": {}}');
  });
});

describe('schemas', () => {
  it('are named by those that refer to them', () => {
    expect(references(document.components.schemas.Milestone)).toEqual(
      expect.arrayContaining(['Coordinate', 'MilestoneStatus']),
    );
    for (const schema of Object.values(document.components.schemas))
      for (const name of references(schema)) expect(document.components.schemas).toHaveProperty(name);
  });
});
