// The newest events first. Where the feed is read forwards only, its end is found from
// the number of the last event.
import { api, type Page, page, type Schema } from '../../api/client.ts';

export type EventType = Schema['Event']['type'];
export const eventTypes = [
  'device.created',
  'device.updated',
  'position.updated',
  'trip.completed',
  'trip.updated',
  'milestone.created',
  'milestone.updated',
  'milestone.started',
  'milestone.ended',
  'milestone.timed_out',
  'milestone.deleted',
  'connection.created',
  'connection.updated',
  'connection.failing',
  'connection.recovered',
  'webhook.disabled',
] as const;
