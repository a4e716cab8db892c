// What a webhook is sent for each type of event, as an example. Where the tenant has an
// event of that type already, its newest is shown instead.

import type { Schema } from '../../api/client.ts';

const id = (n: number) => `01932f6e-7c1b-7a52-9d4e-3f1f6a6b8c0${n}`;
const time = '2026-05-02T10:15:30Z';

const connection = {
  id: id(1),
  tenant_id: id(9),
  integration_name: 'samsara',
  business_name: 'Bass Strait Couriers',
  abn: null,
  email: null,
  active: true,
  collection_start_time: '2026-05-01T00:00:00Z',
  collection_end_time: null,
  configuration: { health: 'healthy', trips: 'native', poll_interval_seconds: 30, base_url: null },
};
const device = {
  id: id(2),
  connection_id: id(1),
  system_device_id: '281474977075805',
  description: 'Van 3',
  registration: 'ENQ-002',
  make: 'Ford',
  model: 'Transit',
  year: 2024,
  active: true,
  tags: ['vans'],
};
const trip = {
  id: id(3),
  device_id: id(2),
  system_trip_id: '88120',
  start_time: '2026-05-02T09:20:00Z',
  end_time: time,
  distance_metres: 57_900,
  duration_seconds: 3330,
  driving_seconds: 3010,
  idling_seconds: 320,
  auxiliary_seconds: 0,
  start_latitude: -36.757,
  start_longitude: 144.28,
  end_latitude: -36.381,
  end_longitude: 145.399,
  is_valid: true,
  validation_comments: null,
};
const position = { timestamp: time, longitude: 144.28, latitude: -36.757, heading: 258, speed: { speed_kph: 61 } };
const milestone = {
  id: id(4),
  tenant_id: id(9),
  device_id: id(2),
  status: 'trip_in_progress',
  start_point: { latitude: -36.757, longitude: 144.28 },
  end_point: { latitude: -36.381, longitude: 145.399 },
  start_time: '2026-05-02T09:00:00Z',
  end_time: '2026-05-02T12:00:00Z',
};

const fault = {
  id: id(6),
  device_id: id(2),
  connection_id: id(1),
  protocol: 'obd',
  code: 'P0420',
  spn: null,
  fmi: null,
  source_address: null,
  description: 'Catalyst efficiency',
  severity: null,
  lamps: ['malfunction'],
  status: 'open',
  first_seen_at: time,
  last_seen_at: time,
  closed_at: null,
  occurrences: 3,
  closed_by: null,
};

const safety = {
  id: id(7),
  device_id: id(2),
  connection_id: id(1),
  system_event_id: '7001',
  type: 'harsh_braking',
  native_type: 'Braking',
  driver_id: null,
  start_time: time,
  end_time: null,
  latitude: -36.381,
  longitude: 145.399,
  heading: null,
  speed_kph: 62.5,
  max_speed_kph: null,
  speed_limit_kph: null,
  acceleration_g: -0.47,
  lateral_g: null,
  severity: null,
  status: 'open',
  method: null,
  media_available: null,
};

const data: Record<string, unknown> = {
  'device.state_changed': {
    device_id: id(2),
    connection_id: id(1),
    state: 'driving',
    state_since: time,
    previous_state: 'stopped',
  },
  'position.updated': {
    connection_id: id(1),
    positions: [{ device_id: id(2), system_device_id: device.system_device_id, ...position }],
  },
  'reading.updated': {
    connection_id: id(1),
    readings: [
      {
        id: id(6),
        device_id: id(2),
        connection_id: id(1),
        kind: 'odometer_metres',
        channel: null,
        timestamp: time,
        value: 210454468,
        source: 'vehicle',
        native_name: 'hrTotalVehicleDistance',
        suspect: null,
      },
    ],
  },
  'connection.failing': { ...connection, reason: 'The provider refuses the credentials' },
  'connection.recovered': { ...connection, reason: null },
  'milestone.late': { ...milestone, eta: time, eta_p10: time, eta_p90: time, late_by_seconds: 1080 },
  'milestone.on_time_again': { ...milestone, eta: time, eta_p10: time, eta_p90: time, late_by_seconds: -60 },
  'webhook.disabled': {
    webhook: { id: id(5), url: 'https://hooks.example.com/drover', enabled: false },
    reason: 'no delivery has succeeded for five days',
  },
  device,
  fault,
  safety_event: safety,
  trip,
  milestone,
  connection,
};
const steps = ['milestone.started', 'milestone.entered', 'milestone.ended', 'milestone.timed_out'];

/** Every type that a webhook can choose, by what it is about. */
export const eventTypes = [
  'trip.completed',
  'trip.updated',
  'fault.opened',
  'fault.closed',
  'safety_event.recorded',
  'safety_event.updated',
  'milestone.created',
  'milestone.updated',
  'milestone.started',
  'milestone.entered',
  'milestone.ended',
  'milestone.timed_out',
  'milestone.late',
  'milestone.on_time_again',
  'milestone.deleted',
  'position.updated',
  'reading.updated',
  'device.created',
  'device.updated',
  'device.state_changed',
  'driver.created',
  'driver.updated',
  'connection.created',
  'connection.updated',
  'connection.deleted',
  'connection.failing',
  'connection.recovered',
  'webhook.disabled',
] as const;

/** The kinds of readings that a webhook can ask for. */
export const readingKinds = [
  'odometer_metres',
  'engine_seconds',
  'idle_seconds',
  'pto_seconds',
  'fuel_used_litres',
  'fuel_level_percent',
  'fuel_level_litres',
  'def_level_percent',
  'charge_percent',
  'supply_volts',
  'coolant_celsius',
  'ambient_celsius',
  'probe_celsius',
  'door_open',
  'pto_active',
] as const satisfies Schema['ReadingKind'][];

/** The body that is sent, as an example. */
export function sample(type: string): unknown {
  const about = data[type] ?? data[type.split('.')[0] ?? ''];
  return {
    type,
    timestamp: time,
    sequence: 4711,
    data: steps.includes(type) ? { ...milestone, occurred_at: time, position } : about,
  };
}
