import { beforeEach, expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

browser();
type Query = Record<string, unknown>;
const asked: { path: string; query: Query }[] = [];
const answers: Record<string, { items: unknown[]; next?: string }> = {};

vi.mock('../../../src/api/client.ts', () => ({
  api: {
    GET: (path: string, { params }: { params: { query: Query } }) => {
      asked.push({ path, query: params.query });
      return path;
    },
  },
  page: async (path: string) => answers[path],
}));
const { milestoneList, milestoneUpdates } = await import('../../../src/api/queries.ts');

beforeEach(() => {
  asked.length = 0;
});

test('where all of a status are is one request, and who is due first comes first', async () => {
  answers['/milestone/update'] = { items: [{ milestone_id: 'a' }], next: 'more' };
  expect(await milestoneUpdates('trip_in_progress').load()).toEqual([{ milestone_id: 'a' }]);
  expect(asked).toEqual([
    { path: '/milestone/update', query: { status: 'trip_in_progress', sort: 'end_time', limit: 1000 } },
  ]);
});

test('a page of the list has each milestone with its update, of the same page', async () => {
  answers['/milestone'] = { items: [{ id: 'a' }, { id: 'b' }], next: 'third' };
  answers['/milestone/update'] = { items: [{ milestone_id: 'b' }], next: 'other' };
  expect(await milestoneList('trip_not_started').load('second')).toEqual({
    items: [
      { milestone: { id: 'a' }, update: undefined },
      { milestone: { id: 'b' }, update: { milestone_id: 'b' } },
    ],
    next: 'third',
  });
  expect(asked.map(({ path }) => path)).toEqual(['/milestone', '/milestone/update']);
  expect(asked[0]?.query).toEqual(asked[1]?.query);
  expect(asked[0]?.query).toMatchObject({ status: 'trip_not_started', cursor: 'second' });
});

test('what has ended is asked for newest first, page by page', async () => {
  answers['/milestone'] = { items: [{ id: 'a' }], next: 'second' };
  expect((await milestoneList('trip_ended').load(undefined)).next).toBe('second');
  expect(asked).toMatchObject([{ path: '/milestone', query: { status: 'trip_ended', order: 'desc' } }]);
});
