// The fleet of the map: a snapshot that the stream of events keeps true. Vehicles
// are plain objects that change in place; version moves on, at most twice a second,
// when something did.

import {
  type Connection,
  type Device,
  loadConnections,
  loadDevices,
  loadSnapshot,
  type Newest,
  type Snapshot,
} from '../../api/fleet.ts';
import { joined, type LiveEvent, loadedAt, onLive } from '../../api/live.svelte.ts';
import { steady } from '../../lib/patience.ts';
import { timeSpeed } from '../../lib/time.svelte.ts';
import { FleetStore } from '../../map/fleet-store.ts';
import { stateNumber } from '../../map/state.ts';
import { byName, makeVehicle, type Vehicle } from './vehicle.ts';

const tick = 500; // milliseconds
const statesEvery = 300_000; // events keep the states true; this heals what one has missed

type EventPosition = {
  device_id: string;
  timestamp: string;
  longitude: number;
  latitude: number;
  heading: number | null;
  speed?: { speed_kph: number } | null;
  driver_id?: { value: string } | null;
};

/** Fleet loads and follows all vehicles that the person may see. */
export class Fleet {
  readonly store = new FleetStore();
  readonly vehicles = new Map<string, Vehicle>();
  connections = $state.raw<Connection[]>([]);
  version = $state(0);
  /** placed says that positions are known, ready that everything of the vehicles is. */
  placed = $state(false);
  ready = $state(false);
  error = $state.raw<unknown>(undefined);
  /** moved is called when positions have changed, for the map to draw. */
  moved: () => void = () => undefined;
  private known: { byName: Vehicle[]; tags: string[] } | undefined;
  private waiting: LiveEvent[] | undefined = [];
  private due: ReturnType<typeof setTimeout> | undefined;
  private readonly leave: () => void;
  private readonly ending = new AbortController();
  private readonly looking = setInterval(() => void this.lookAgain(), statesEvery);

  constructor() {
    this.store.speed = timeSpeed();
    this.store.glides = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.leave = onLive({ events: (events) => this.take(events), lost: () => void this.reload() });
  }

  /** inOrder has all vehicles by their names, and their tags. It is kept: a fleet rarely changes in this. */
  get inOrder(): { byName: Vehicle[]; tags: string[] } {
    if (this.known) return this.known;
    const all = [...this.vehicles.values()].sort(byName);
    this.known = { byName: all, tags: [...new Set(all.flatMap(({ tags }) => tags))].sort() };
    return this.known;
  }

  /** load takes the first snapshot, or says why there is none. */
  async load(): Promise<void> {
    try {
      await this.takeSnapshot();
      this.error = undefined;
    } catch (error) {
      this.error = error;
    }
  }

  /** reload takes another one, however often it has to ask: without it no event can be applied any more. */
  private reload(): Promise<void> {
    return steady(() => this.takeSnapshot(), this.ending.signal).catch(() => undefined);
  }

  /** takeSnapshot loads everything; events that come meanwhile are applied to it. */
  private async takeSnapshot(): Promise<void> {
    this.waiting ??= [];
    await joined();
    const [connections, devices, snapshot] = await Promise.all([
      loadConnections(),
      loadDevices(),
      loadSnapshot().then((found) => this.showPlaces(found)),
    ]);
    if (snapshot.sequence) loadedAt(snapshot.sequence);
    this.connections = connections;
    this.fill(devices, snapshot.rows);
    const after = Number(snapshot.sequence ?? 0);
    const waited = this.waiting.filter((event) => event.sequence > after);
    this.waiting = undefined;
    this.take(waited);
    this.ready = true;
    this.version++;
    this.moved();
  }

  /** showPlaces lets the map draw where the vehicles are while their names are still on their way. */
  private showPlaces(snapshot: Snapshot): Snapshot {
    for (const row of snapshot.rows) this.place(row);
    this.placed = true;
    this.moved();
    return snapshot;
  }

  stop(): void {
    this.ending.abort();
    this.leave();
    clearInterval(this.looking);
    clearTimeout(this.due);
  }

  /** lookAgain reads the states again. */
  private async lookAgain(): Promise<void> {
    if (!this.ready || document.hidden) return;
    const snapshot = await loadSnapshot().catch(() => undefined);
    for (const row of snapshot?.rows ?? []) this.setState(row.id, row.state, row.since);
    this.moved();
    this.version++;
  }

  private setState(id: string, state: string | null, since: number | null): boolean {
    const vehicle = this.vehicles.get(id);
    if (!vehicle) return false;
    vehicle.state = state;
    vehicle.since = since;
    const row = this.store.row(id);
    if (row >= 0) this.store.setState(row, stateNumber(state));
    return true;
  }

  private fill(devices: Device[], rows: Newest[]): void {
    const newest = new Map(rows.map((row) => [row.id, row]));
    const connections = new Map(this.connections.map((connection) => [connection.id, connection]));
    for (const device of devices) {
      const vehicle = makeVehicle(device, connections.get(device.connection_id), newest.get(device.id));
      this.vehicles.set(device.id, vehicle);
      this.place(vehicle);
    }
    this.known = undefined;
  }

  private place(vehicle: Newest): void {
    const { lng, lat, time, heading } = vehicle;
    if (lng === null || lat === null || time === null) return;
    this.store.place(vehicle.id, { lng, lat, heading, time, state: stateNumber(vehicle.state) }, performance.now());
  }

  private take(events: LiveEvent[]): void {
    if (this.waiting) {
      this.waiting.push(...events);
      return;
    }
    let moved = false;
    for (const event of events) moved = this.apply(event) || moved;
    if (moved) this.moved();
    if (moved) this.due ??= setTimeout(() => this.turn(), tick);
  }

  private turn(): void {
    this.due = undefined;
    this.version++;
  }

  private apply(event: LiveEvent): boolean {
    switch (event.type) {
      case 'position.updated':
        for (const position of (event.data as { positions: EventPosition[] }).positions) this.move(position);
        return true;
      case 'device.state_changed':
        return this.changeState(event);
      case 'device.created':
      case 'device.updated':
        return this.meet(event.data as Device);
      default:
        return false;
    }
  }

  private move(position: EventPosition): void {
    const vehicle = this.vehicles.get(position.device_id);
    const time = Date.parse(position.timestamp);
    if (!vehicle || (vehicle.time !== null && time < vehicle.time)) return;
    vehicle.lng = position.longitude;
    vehicle.lat = position.latitude;
    vehicle.heading = position.heading;
    vehicle.speed = position.speed?.speed_kph ?? null;
    vehicle.driver = position.driver_id?.value ?? null;
    vehicle.time = time;
    this.place(vehicle);
  }

  private changeState(event: LiveEvent): boolean {
    const change = event.data as { device_id: string; state: string; state_since: string };
    return this.setState(change.device_id, change.state, Date.parse(change.state_since));
  }

  private meet(device: Device): boolean {
    const connection = this.connections.find(({ id }) => id === device.connection_id);
    this.vehicles.set(device.id, makeVehicle(device, connection, this.vehicles.get(device.id)));
    this.known = undefined;
    return true;
  }
}
