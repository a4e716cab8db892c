import { expect, test, vi } from 'vitest';
import { browser } from '../browser.ts';

browser();
vi.useFakeTimers({ now: new Date('2026-07-01T12:00:00Z') });
const { attention } = await import('../../../src/screens/overview/attention.ts');
type Facts = Parameters<typeof attention>[0];

const nothing: Facts = {
  connections: [],
  healths: undefined,
  doubts: [],
  webhooks: [],
  milestones: [],
  deviceName: (id) => id,
  summary: undefined,
  invalid: undefined,
};
const facts = (some: object) => ({ ...nothing, ...some }) as Facts;

test('where all is well there is nothing', () => {
  expect(attention(nothing)).toEqual([]);
});

test('a connection with refused credentials is ours to repair', () => {
  const connection = { id: 'c', business_name: 'Yarra', configuration: { health: 'failing' } };
  const health = {
    acts: 'fleet',
    jobs: [
      {
        consecutive_errors: 3,
        last_error_kind: 'credentials',
        last_success_at: null,
        last_error_at: '2026-07-01T11:00:00Z',
      },
    ],
  };
  const [found, ...more] = attention(facts({ connections: [connection], healths: new Map([['c', health]]) }));
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    tone: 'bad',
    who: 'who.you',
    action: 'attention.repair',
    href: '/console/connection/c',
    since: '2026-07-01T11:00:00Z',
  });
});

test('a connection that nothing collects is the operator’s to mend', () => {
  const connection = { id: 'c', business_name: 'Yarra', configuration: { health: 'stalled' } };
  const health = {
    acts: 'operator',
    message: 'No process collects.',
    last_success_at: '2026-07-01T09:00:00Z',
    jobs: [],
  };
  expect(attention(facts({ connections: [connection], healths: new Map([['c', health]]) }))).toMatchObject([
    { tone: 'bad', who: 'who.support', detail: 'No process collects.', since: '2026-07-01T09:00:00Z' },
  ]);
});

test('doubtful data are shown with their reason, but not of a connection that rests', () => {
  const doubts = [{ connection: 'c', reason: 'Speeds are in miles.', since: '2026-07-01T10:00:00Z' }];
  const of = (health: string) =>
    attention(facts({ connections: [{ id: 'c', business_name: 'Murray', configuration: { health } }], doubts }));
  expect(of('healthy')).toMatchObject([
    {
      tone: 'warn',
      detail: 'Speeds are in miles.',
      since: '2026-07-01T10:00:00Z',
      href: '/console/connection/c?tab=quality',
    },
  ]);
  expect(of('archived')).toEqual([]);
});

test('a healthy connection is not mentioned', () => {
  expect(
    attention(facts({ connections: [{ id: 'c', business_name: 'x', configuration: { health: 'healthy' } }] })),
  ).toEqual([]);
});

const milestone = (eta: string | null, late: number | null, status = 'trip_in_progress', id = 'm') => ({
  milestone_id: id,
  device_id: 'Van 3',
  status,
  eta,
  late_by_seconds: late,
});

test('a milestone is late by its prediction, worse from a quarter of an hour on', () => {
  const late = (time: string) => {
    const by = (Date.parse(time) - Date.parse('2026-07-01T14:00:00Z')) / 1000;
    return attention(facts({ milestones: [milestone(time, by)] }));
  };
  expect(late('2026-07-01T14:00:30Z')).toEqual([]);
  expect(late('2026-07-01T14:05:00Z')).toMatchObject([{ tone: 'warn', who: 'who.dispatcher' }]);
  expect(late('2026-07-01T14:30:00Z')).toMatchObject([
    { tone: 'bad', what: expect.stringContaining('30 min'), since: '2026-07-01T14:00:00.000Z' },
  ]);
});

test('without a prediction it is late since its deadline', () => {
  expect(attention(facts({ milestones: [milestone(null, 3600)] }))).toMatchObject([
    { tone: 'bad', what: expect.stringContaining('overdue'), since: '2026-07-01T11:00:00.000Z' },
  ]);
});

test('without a deadline, or once it has arrived, nothing is late', () => {
  expect(attention(facts({ milestones: [milestone('2026-07-01T18:00:00Z', null)] }))).toEqual([]);
  expect(attention(facts({ milestones: [milestone('2026-07-01T10:00:00Z', 7200, 'trip_ended')] }))).toEqual([]);
});

test('of many late milestones the latest have a line of their own, wherever they stand in the list', () => {
  const all = Array.from({ length: 120 }, (_, i) => milestone('2026-07-01T14:00:00Z', 60 * i, undefined, `m${i}`));
  const found = attention(facts({ milestones: all }));
  expect(found[0]?.href).toBe('/console/milestone/m119');
  expect(found.length).toBe(21);
  expect(found.at(-1)).toMatchObject({ what: '99 more milestones are late', href: '/console/milestone' });
});

test('what is bad comes before what is only a warning', () => {
  const connection = { id: 'c', business_name: 'Slow', configuration: { health: 'degraded' } };
  const found = attention(
    facts({
      connections: [connection],
      milestones: [milestone('2026-07-01T15:00:00Z', 7200)],
    }),
  );
  expect(found.map((a) => a.tone)).toEqual(['bad', 'warn']);
});
