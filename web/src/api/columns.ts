// The columns in which the service gives many positions at once.

/** Newest is a device's newest position and state; without a position only the state is known. */
export type Newest = {
  id: string;
  lng: number | null;
  lat: number | null;
  heading: number | null;
  speed: number | null;
  driver: string | null;
  time: number | null;
  state: string | null;
  since: number | null;
};

type Columns = { device_id: string[]; [column: string]: unknown[] };

/** fromColumns makes rows of columns. */
export function fromColumns(columns: Columns): Newest[] {
  const text = (name: string, i: number) => (columns[name]?.[i] as string | null | undefined) ?? null;
  const value = (name: string, i: number) => (columns[name]?.[i] as number | null | undefined) ?? null;
  const instant = (name: string, i: number) => {
    const at = columns[name]?.[i];
    return at == null ? null : typeof at === 'number' ? at : Date.parse(at as string);
  };
  return columns.device_id.map((id, i) => ({
    id,
    lng: value('longitude', i),
    lat: value('latitude', i),
    heading: value('heading', i),
    speed: value('speed_kph', i),
    driver: text('driver_id', i),
    time: instant('timestamp', i),
    state: text('state', i),
    since: instant('state_since', i),
  }));
}
