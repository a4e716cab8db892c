// The page that is measured: the console's own map with vehicles that all move once
// a second, or with none. The map is small: software drawing of a large one takes so
// long by itself that nothing else can be said.
import '../../src/styles/tokens.css';
import { FleetMap } from '../../src/map/fleet-map.ts';
import { FleetStore } from '../../src/map/fleet-store.ts';
import { openMap } from '../../src/map/map-view.ts';

/** Figures is what one run gives; times are milliseconds. */
export type Figures = {
  vehicles: number;
  frames: number;
  framesPerSecond: number;
  updateMedian: number;
  updateLongest: number;
  scriptPerFrame: number;
  longTasks: number;
  longestTask: number;
  heapBytes: number;
};

declare global {
  interface Window {
    measure(vehicles: number, seconds: number): Promise<Figures>;
    /** Says that a run begins and ends, for those who read the processor's time. */
    mark?(): Promise<void>;
  }
}

const container = document.getElementById('map') as HTMLElement;
Object.assign(container.style, { width: '400px', height: '240px', minHeight: '0' });

const centre = { lng: 10, lat: 50 };
const warmUps = 20;
const degreesPerSecond = 0.0003; // about 80 km/h

type Vehicle = { id: string; lng: number; lat: number; heading: number };

/** A row of numbers that is the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function fleet(count: number): Vehicle[] {
  const next = random(7);
  return Array.from({ length: count }, (_, i) => ({
    id: `v${i}`,
    lng: centre.lng + (next() - 0.5) * 0.5,
    lat: centre.lat + (next() - 0.5) * 0.2,
    heading: next() * 360,
  }));
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

window.measure = async (count, seconds) => {
  // Near enough that there are no clusters: every vehicle is drawn.
  const view = await openMap(container, { label: 'bench', start: () => ({ center: centre, zoom: 10 }) });
  const { map } = view;
  const store = new FleetStore();
  const quiet = () => undefined;
  const shown = new FleetMap(view, store, {
    name: () => '',
    describe: () => '',
    picked: quiet,
    clusterPicked: quiet,
    hovered: quiet,
    followEnded: quiet,
  });
  const vehicles = fleet(count);
  const updates: number[] = [];
  let time = 0;
  const update = () => {
    time += 1000;
    for (const vehicle of vehicles) {
      vehicle.lng += Math.sin((vehicle.heading * Math.PI) / 180) * degreesPerSecond;
      vehicle.lat += Math.cos((vehicle.heading * Math.PI) / 180) * degreesPerSecond;
    }
    // They have driven; from here on it is the console's work.
    const started = performance.now();
    for (const { id, lng, lat, heading } of vehicles) store.place(id, { lng, lat, heading, state: 0, time }, started);
    shown.changed();
    updates.push(performance.now() - started);
  };
  // A map that has been open for a while: a browser compiles what it has run often, and takes
  // its time where all processors draw.
  for (let i = 0; i < warmUps; i++) {
    update();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await Promise.race([map.once('idle'), new Promise((resolve) => setTimeout(resolve, 15_000))]);

  const tasks: number[] = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: 'longtask' });
  let frames = 0;
  map.on('render', () => {
    frames++;
    map.triggerRepaint(); // the bare map draws as often as it can too
  });
  map.triggerRepaint();
  updates.length = 0;
  shown.layer.frames = shown.layer.scriptTime = 0;
  await window.mark?.();
  const timer = setInterval(update, 1000);
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const passed = (performance.now() - started) / 1000;
  clearInterval(timer);
  await window.mark?.();
  observer.disconnect();
  const memory = (performance as { memory?: { usedJSHeapSize: number } }).memory;
  const figures: Figures = {
    vehicles: count,
    frames,
    framesPerSecond: frames / passed,
    updateMedian: median(updates),
    updateLongest: Math.max(0, ...updates),
    scriptPerFrame: shown.layer.scriptTime / Math.max(1, shown.layer.frames),
    longTasks: tasks.length,
    longestTask: Math.max(0, ...tasks),
    heapBytes: memory?.usedJSHeapSize ?? 0,
  };
  shown.remove();
  view.remove();
  return figures;
};
