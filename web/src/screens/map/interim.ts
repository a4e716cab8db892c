// Until the service gives all newest positions at once: one call for each device.
import { api, data } from '../../api/client.ts';
import { loadDevices, type Newest, type Snapshot } from './snapshot.ts';

type Position = {
  timestamp: string;
  longitude: number;
  latitude: number;
  heading: number | null;
  speed: { speed_kph: number } | null;
  driver_id: { value: string } | null;
};

export async function loadSnapshot(): Promise<Snapshot> {
  const devices = await loadDevices();
  return { rows: await Promise.all(devices.map(({ id }) => loadNewest(id))), sequence: null };
}

export async function loadNewest(id: string): Promise<Newest> {
  const call = api.GET('/device/{device_id}/position', { params: { path: { device_id: id } } });
  const p = (await data(call as never).catch(() => null)) as Position | null;
  const time = p ? Date.parse(p.timestamp) : null;
  const quiet = time === null || Date.now() - time > 15 * 60_000;
  return {
    id,
    lng: p?.longitude ?? null,
    lat: p?.latitude ?? null,
    heading: p?.heading ?? null,
    speed: p?.speed?.speed_kph ?? null,
    driver: p?.driver_id?.value ?? null,
    time,
    state: quiet ? 'silent' : (p?.speed?.speed_kph ?? 0) > 5 ? 'driving' : 'stopped',
    since: time,
  };
}
