import { describe, expect, it } from 'vitest';
import { fromColumns } from '../../../src/api/columns.ts';
import {
  byName,
  find,
  makeVehicle,
  readFilter,
  readLook,
  shownState,
  writeLook,
} from '../../../src/screens/map/vehicle.ts';

const device = {
  id: 'd',
  system_device_id: '1001',
  connection_id: 'c',
  description: 'Truck 1',
  registration: 'ZSE-000',
  tags: ['north'],
  active: true,
};
const connection = { id: 'c', business_name: 'Goldfields Haulage', integration_name: 'traccar' };
const newest = { id: 'd', lng: 1, lat: 2, heading: null, speed: 50, driver: null, time: 5, state: 'driving', since: 4 };

describe('a vehicle', () => {
  it('is named by what is known of it', () => {
    expect(makeVehicle(device, connection, newest)).toMatchObject({
      name: 'Truck 1',
      plate: 'ZSE-000',
      business: 'Goldfields Haulage',
    });
    const bare = { ...device, description: null };
    expect(makeVehicle(bare, connection, newest)).toMatchObject({ name: 'ZSE-000', plate: null });
    expect(makeVehicle({ ...bare, registration: null }, undefined, undefined).name).toBe('1001');
  });

  it('has no state before its first position, and is silent in one that is not known', () => {
    expect(shownState(makeVehicle(device, connection, undefined))).toBe('unknown');
    expect(shownState({ ...newest, state: 'flying' })).toBe('silent');
    const counted = find([makeVehicle(device, connection, newest)], readFilter({ state: 'idling' }));
    expect(counted).toMatchObject({ listed: [], counts: { driving: 1, idling: 0, unknown: 0 } });
  });

  it.each([
    [{ q: 'gold zse' }, true],
    [{ q: 'gold xyz' }, false],
    [{ q: ' Gold ' }, true],
    [{ state: 'idling' }, false],
    [{ state: 'idling,driving' }, true],
    [{ tag: 'north' }, true],
    [{ tag: 'south' }, false],
    [{ connection: 'x' }, false],
    [{ provider: 'traccar' }, true],
    [{ state: 'nonsense' }, true],
  ])('passes %j: %s', (query, passed) => {
    const { listed } = find([makeVehicle(device, connection, newest)], readFilter(query as Record<string, string>));
    expect(listed.length === 1).toBe(passed);
  });

  it('comes before others when it needs a person', () => {
    const named = (name: string, state: string) =>
      makeVehicle({ ...device, id: name, description: name }, connection, { ...newest, state });
    const all = [
      named('b 10', 'driving'),
      named('b 9', 'driving'),
      named('a', 'stopped'),
      named('z', 'silent'),
      named('y', 'idling'),
    ];
    const names = (query: Record<string, string>) =>
      find(all.sort(byName), readFilter(query)).listed.map((vehicle) => vehicle.name);
    expect(names({})).toEqual(['z', 'y', 'b 9', 'b 10', 'a']);
    expect(names({ state: 'stopped,idling' })).toEqual(['y', 'a']);
  });
});

it('reads and writes where the map looks', () => {
  expect(readLook('-36.962,144.031,6.5')).toEqual({ lat: -36.962, lng: 144.031, zoom: 6.5 });
  expect(writeLook({ lat: -36.962, lng: 144.031, zoom: 6.5 })).toBe('-36.962,144.031,6.5');
  expect([undefined, '', '1,2', 'a,b,c', '91,0,1'].map(readLook)).toEqual(Array(5).fill(undefined));
});

it('makes rows of columns', () => {
  const rows = fromColumns({
    device_id: ['a', 'b'],
    longitude: [1, null],
    latitude: [2, null],
    timestamp: ['1970-01-01T00:00:01Z', null],
    state: ['driving', null],
  });
  expect(rows[0]).toMatchObject({ id: 'a', lng: 1, lat: 2, time: 1000, state: 'driving', speed: null });
  expect(rows[1]).toMatchObject({ id: 'b', lng: null, time: null });
});
