// The fleet on a map: vehicles, donuts, names, the rings of what is pointed at and
// selected, and what lies under the pointer.
import type { GeoJSONSource, MapMouseEvent } from 'maplibre-gl';
import { type Bounds, type Cluster, clusterAbove, clusterBelow, type Input } from './cluster.ts';
import ClusterWorker from './cluster.worker.ts?worker';
import { Donuts } from './donut.ts';
import { FleetLayer } from './fleet-layer.ts';
import { type FleetStore, hiddenByFilter, hiddenInCluster } from './fleet-store.ts';
import type { MapView } from './map-view.ts';
import { latOf, lngOf, mercatorX, mercatorY } from './mercator.ts';
import { pick } from './pick.ts';

const tolerance = 12; // pixels
const mostNames = 300;
const namesEvery = 250; // milliseconds
const clustersEvery = 500;
const restartAfter = 2000;

/** Callbacks is what the fleet's map asks and reports. */
export type Callbacks = {
  name(row: number): string;
  describe(cluster: Cluster): string;
  picked(rows: number[], at: { x: number; y: number }, lngLat: { lng: number; lat: number }): void;
  clusterPicked(cluster: Cluster): void;
  hovered(row: number | null): void;
  followEnded(): void;
};

/** FleetMap shows a store on a map. */
export class FleetMap {
  readonly layer: FleetLayer;
  private readonly donuts: Donuts;
  private worker = this.startWorker();
  private readonly rings = { selected: ringElement('selected'), hovered: ringElement('hovered') };
  private readonly rows = { selected: -1, hovered: -1, followed: -1 };
  private readonly timers: ReturnType<typeof setInterval>[];
  private readonly undo: (() => void)[] = [];
  private clustering = true;
  private clusterBusy = false;
  private clustersStale = true;
  private namesStale = true;
  private nameless = false;
  private restart: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly view: MapView,
    private readonly store: FleetStore,
    private readonly callbacks: Callbacks,
  ) {
    const { map } = view;
    this.layer = new FleetLayer(store, view.palette);
    map.addLayer(this.layer);
    this.addNames();
    map.getCanvasContainer().append(this.rings.hovered, this.rings.selected);
    this.donuts = new Donuts(map, map.getCanvasContainer(), callbacks.describe, (cluster) => this.openCluster(cluster));
    this.undo.push(view.onTheme((palette) => this.recolour(palette)));
    this.listen();
    this.timers = [
      setInterval(() => this.writeNames(), namesEvery),
      setInterval(() => this.askForClusters(), clustersEvery),
    ];
  }

  /** changed draws again after the store was changed. */
  changed(): void {
    this.clustersStale = this.namesStale = true;
    this.view.map.triggerRepaint();
  }

  /** setClustering switches the donuts on and off. */
  setClustering(on: boolean): void {
    this.clustering = on;
    if (!on) this.takeClusters([]);
    this.changed();
  }

  select(row: number): void {
    this.rows.selected = row;
    this.namesStale = true;
    this.placeRings();
  }

  /** reveal moves the map when a vehicle is out of sight or under what covers its edges. */
  reveal(row: number, covered: { left?: number; bottom?: number }): void {
    const { map } = this.view;
    const { x, y } = this.store.shownAt(row, performance.now());
    const point = map.project([lngOf(x), latOf(y)]);
    const { clientWidth, clientHeight } = map.getCanvas();
    const [left, bottom] = [covered.left ?? 0, clientHeight - (covered.bottom ?? 0)];
    if (point.x > left && point.x < clientWidth && point.y > 0 && point.y < bottom) return;
    const offset: [number, number] = [left / 2, (bottom - clientHeight) / 2];
    map.easeTo({ center: [lngOf(x), latOf(y)], offset, duration: this.store.glides ? 300 : 0 });
  }

  hover(row: number): void {
    this.rows.hovered = row;
    this.placeRings();
  }

  /** follow keeps a vehicle in the middle, until the map is dragged. */
  follow(row: number): void {
    this.rows.followed = row;
    if (row < 0) return;
    const { x, y } = this.store.shownAt(row, performance.now());
    this.view.map.easeTo({
      center: [lngOf(x), latOf(y)],
      zoom: Math.max(this.view.map.getZoom(), 11),
      duration: this.store.glides ? 600 : 0,
    });
  }

  /** fit shows all vehicles that the filter leaves. */
  fit(covered: { bottom?: number } = {}, animate = true): void {
    const box = this.boundsOf();
    if (box) this.show(box, animate, covered.bottom);
  }

  remove(): void {
    for (const timer of this.timers) clearInterval(timer);
    for (const undo of this.undo) undo();
    clearTimeout(this.restart);
    this.worker.terminate();
    this.donuts.remove();
    this.rings.selected.remove();
    this.rings.hovered.remove();
  }

  private boundsOf(): Bounds | null {
    const box: Bounds = { west: 2, north: 2, east: -1, south: -1 };
    for (let row = 0; row < this.store.count; row++) {
      if (((this.store.mask[row] as number) & hiddenByFilter) !== 0) continue;
      const x = this.store.x[row] as number;
      const y = this.store.y[row] as number;
      box.west = Math.min(box.west, x);
      box.east = Math.max(box.east, x);
      box.north = Math.min(box.north, y);
      box.south = Math.max(box.south, y);
    }
    return box.west <= box.east ? box : null;
  }

  private show(box: Bounds, animate: boolean, below = 0): void {
    this.view.map.fitBounds([lngOf(box.west), latOf(box.south), lngOf(box.east), latOf(box.north)], {
      // The tools are to the right, and names below the marks.
      padding: { top: 48, left: 56, right: 104, bottom: 64 + below },
      maxZoom: 13,
      animate: animate && this.store.glides,
    });
  }

  private openCluster(cluster: Cluster): void {
    const { west, north, east, south } = cluster.bounds;
    const pixels = Math.max(east - west, south - north) * this.worldSize();
    if (pixels < 4 || this.view.map.getZoom() >= this.view.map.getMaxZoom()) this.callbacks.clusterPicked(cluster);
    else this.show(cluster.bounds, true);
  }

  private worldSize(): number {
    return 512 * 2 ** this.view.map.getZoom();
  }

  /** inView is the part of the square that the map shows; it may reach over its edges. */
  private inView(): Bounds {
    const bounds = this.view.map.getBounds();
    return {
      west: mercatorX(bounds.getWest()),
      north: mercatorY(bounds.getNorth()),
      east: mercatorX(bounds.getEast()),
      south: mercatorY(bounds.getSouth()),
    };
  }

  private countInView(bounds: Bounds): number {
    let count = 0;
    for (let row = 0; row < this.store.count; row++) {
      if (
        ((this.store.mask[row] as number) & hiddenByFilter) === 0 &&
        within(bounds, this.store.x[row] as number, this.store.y[row] as number)
      )
        count++;
    }
    return count;
  }

  private askForClusters(): void {
    if (!this.clustersStale || this.clusterBusy || document.hidden) return;
    this.clustersStale = false;
    const { store, view } = this;
    const bounds = this.inView();
    const count = this.countInView(bounds);
    this.layer.inView = count;
    if (!this.clustering || view.map.getZoom() >= clusterBelow || count <= clusterAbove) {
      this.takeClusters([]);
      return;
    }
    this.clusterBusy = true;
    const margin = (bounds.east - bounds.west) / 4;
    const wide = {
      west: bounds.west - margin,
      east: bounds.east + margin,
      north: bounds.north - margin,
      south: bounds.south + margin,
    };
    const out = store.mask.slice(0, store.count).map((mask) => mask & hiddenByFilter);
    const input: Input = {
      x: store.x.slice(0, store.count),
      y: store.y.slice(0, store.count),
      state: store.state.slice(0, store.count),
      out,
      count: store.count,
      zoom: view.map.getZoom(),
      bounds: wide,
    };
    this.worker.postMessage(input, [input.x.buffer, input.y.buffer, input.state.buffer, input.out.buffer]);
  }

  /** startWorker makes the one that groups; where its script could not be loaded, the next question is for another. */
  private startWorker(): Worker {
    const worker = new ClusterWorker();
    worker.onmessage = (message: MessageEvent<Cluster[]>) => this.takeClusters(message.data);
    worker.onerror = () => {
      worker.terminate();
      this.restart = setTimeout(() => {
        this.worker = this.startWorker();
        this.clusterBusy = false;
        this.clustersStale = true;
      }, restartAfter);
    };
    return worker;
  }

  private takeClusters(clusters: Cluster[]): void {
    this.clusterBusy = false;
    const inside = new Uint8Array(this.store.count);
    for (const cluster of clusters) for (const row of cluster.rows) inside[row] = 1;
    this.store.hide(hiddenInCluster, (row) => inside[row] === 1);
    this.donuts.show(clusters);
    this.view.map.triggerRepaint();
  }

  private addNames(): void {
    const { map } = this.view;
    map.addSource('fleet-names', { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: 'fleet-names',
      type: 'symbol',
      source: 'fleet-names',
      layout: {
        'text-field': ['get', 'name'],
        'text-font': ['Inter Variable'],
        'text-size': 11,
        'text-anchor': 'top',
        'text-offset': [0, 1.2],
        'text-padding': 4,
        'symbol-sort-key': ['get', 'order'],
      },
      paint: { 'text-halo-width': 1.4 },
    });
    this.recolour(this.view.palette);
  }

  private recolour(palette: MapView['palette']): void {
    this.layer.recolour(palette);
    this.view.map.setPaintProperty('fleet-names', 'text-color', palette.name);
    this.view.map.setPaintProperty('fleet-names', 'text-halo-color', palette.halo);
  }

  /** writeNames labels the vehicles of the view while they are few; the selected one first. */
  private writeNames(): void {
    const now = performance.now();
    if (document.hidden || (!this.namesStale && now > this.store.glidingUntil + namesEvery)) return;
    this.namesStale = false;
    const bounds = this.inView();
    const rows: number[] = [];
    for (let row = 0; row < this.store.count && rows.length <= mostNames; row++) {
      if (this.store.mask[row] === 0 && within(bounds, this.store.x[row] as number, this.store.y[row] as number))
        rows.push(row);
    }
    const shown = rows.length > mostNames ? rows.filter((row) => row === this.rows.selected) : rows;
    if (shown.length === 0 && this.nameless) return;
    this.nameless = shown.length === 0;
    const features = shown.map((row) => {
      const { x, y } = this.store.shownAt(row, now);
      const properties = { name: this.callbacks.name(row), order: row === this.rows.selected ? 0 : 1 };
      return {
        type: 'Feature' as const,
        properties,
        geometry: { type: 'Point' as const, coordinates: [lngOf(x), latOf(y)] },
      };
    });
    (this.view.map.getSource('fleet-names') as GeoJSONSource | undefined)?.setData({
      type: 'FeatureCollection',
      features,
    });
  }

  /** placeRings runs with every frame, so that rings and the followed vehicle glide along. */
  private placeRings(): void {
    const { map } = this.view;
    const now = performance.now();
    if (this.rows.followed >= 0 && !map.isMoving()) this.centre(this.rows.followed, now);
    for (const kind of ['hovered', 'selected'] as const) {
      const row = this.rows[kind];
      const element = this.rings[kind];
      element.hidden = row < 0 || this.store.mask[row] !== 0;
      if (element.hidden) continue;
      const { x, y } = this.store.shownAt(row, now);
      const point = map.project([lngOf(x), latOf(y)]);
      element.style.transform = `translate(${point.x}px, ${point.y}px)`;
    }
  }

  private centre(row: number, now: number): void {
    const { x, y } = this.store.shownAt(row, now);
    const { map } = this.view;
    const middle = map.getCenter();
    const off = Math.hypot(mercatorX(middle.lng) - x, mercatorY(middle.lat) - y) * this.worldSize();
    if (off > 0.5) map.jumpTo({ center: [lngOf(x), latOf(y)] });
  }

  private listen(): void {
    const { map } = this.view;
    const stale = () => {
      this.clustersStale = this.namesStale = true;
      // A followed vehicle moves the map with every frame: then the timer is soon enough.
      if (this.rows.followed < 0) this.askForClusters();
    };
    const frame = () => {
      this.placeRings();
      // For those who measure how long it took.
      if (this.store.count > 0) map.getContainer().setAttribute('data-vehicles', '');
    };
    const click = (event: MapMouseEvent) => this.click(event);
    const move = (event: MapMouseEvent) => this.point(event);
    const drag = () => {
      if (this.rows.followed < 0) return;
      this.rows.followed = -1;
      this.callbacks.followEnded();
    };
    map.on('moveend', stale);
    map.on('render', frame);
    map.on('click', click);
    map.on('mousemove', move);
    map.on('dragstart', drag);
    this.undo.push(() => {
      map.off('moveend', stale);
      map.off('render', frame);
      map.off('click', click);
      map.off('mousemove', move);
      map.off('dragstart', drag);
    });
  }

  private under(event: MapMouseEvent): number[] {
    const { lng, lat } = event.lngLat.wrap();
    return pick(this.store, mercatorX(lng), mercatorY(lat), this.worldSize(), tolerance, performance.now()).map(
      (hit) => hit.row,
    );
  }

  private click(event: MapMouseEvent): void {
    const { lng, lat } = event.lngLat.wrap();
    this.callbacks.picked(this.under(event), { x: event.point.x, y: event.point.y }, { lng, lat });
  }

  private point(event: MapMouseEvent): void {
    const row = this.under(event)[0] ?? -1;
    this.view.map.getCanvas().style.cursor = row >= 0 ? 'pointer' : '';
    if (row === this.rows.hovered) return;
    this.hover(row);
    this.callbacks.hovered(row >= 0 ? row : null);
  }
}

function within(bounds: Bounds, x: number, y: number): boolean {
  if (y < bounds.north || y > bounds.south) return false;
  return (
    (x >= bounds.west && x <= bounds.east) ||
    (x - 1 >= bounds.west && x - 1 <= bounds.east) ||
    (x + 1 >= bounds.west && x + 1 <= bounds.east)
  );
}

function ringElement(kind: string): HTMLElement {
  const element = document.createElement('div');
  element.className = `ring ${kind}`;
  element.hidden = true;
  return element;
}
