// Clusters as donuts by state with their number. They are buttons of the page, so
// that they can be reached by keyboard and read aloud.
import type { Map as MapLibreMap } from 'maplibre-gl';
import type { Cluster } from './cluster.ts';
import { latOf, lngOf } from './mercator.ts';
import { states } from './state.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';

type Donut = { element: HTMLButtonElement; cluster: Cluster; drawn: string };

/** Words is what a donut is called for those who do not see it. */
export type Describe = (cluster: Cluster) => string;

/** Donuts keeps the buttons of the clusters at their places. */
export class Donuts {
  private readonly donuts = new Map<string, Donut>();
  private readonly place = () => this.placeAll();

  constructor(
    private readonly map: MapLibreMap,
    private readonly layer: HTMLElement,
    private readonly describe: Describe,
    private readonly clicked: (cluster: Cluster) => void,
  ) {
    map.on('move', this.place);
    map.on('resize', this.place);
  }

  /** show makes the donuts those of the clusters; what stays keeps its element and its focus. */
  show(clusters: Cluster[]): void {
    const gone = new Set(this.donuts.keys());
    for (const cluster of clusters) {
      gone.delete(cluster.key);
      const donut = this.donuts.get(cluster.key) ?? this.make(cluster);
      donut.cluster = cluster;
      this.draw(donut);
    }
    for (const key of gone) {
      this.donuts.get(key)?.element.remove();
      this.donuts.delete(key);
    }
    this.placeAll();
  }

  /** remove takes all donuts away. */
  remove(): void {
    this.show([]);
    this.map.off('move', this.place);
    this.map.off('resize', this.place);
  }

  private make(cluster: Cluster): Donut {
    const element = document.createElement('button');
    element.type = 'button';
    element.className = 'donut';
    const donut: Donut = { element, cluster, drawn: '' };
    element.addEventListener('click', () => this.clicked(donut.cluster));
    this.layer.append(element);
    this.donuts.set(cluster.key, donut);
    return donut;
  }

  private draw(donut: Donut): void {
    const { cluster, element } = donut;
    const wanted = cluster.byState.join();
    if (donut.drawn === wanted) return;
    donut.drawn = wanted;
    element.setAttribute('aria-label', this.describe(cluster));
    element.title = this.describe(cluster);
    element.replaceChildren(ring(cluster));
  }

  private placeAll(): void {
    for (const { element, cluster } of this.donuts.values()) {
      const point = this.map.project([lngOf(cluster.x), latOf(cluster.y)]);
      element.style.transform = `translate(${point.x}px, ${point.y}px) translate(-50%, -50%)`;
    }
  }
}

/** diameter grows with the number, slowly. */
export const diameter = (count: number): number => Math.round(30 + Math.min(26, Math.log2(count) * 2.6));

/** ring is the donut: one arc for each state that occurs, in the order of the states. */
function ring(cluster: Cluster): SVGSVGElement {
  const size = diameter(cluster.count);
  const svg = make('svg', { width: size, height: size, viewBox: `0 0 ${size} ${size}`, 'aria-hidden': 'true' });
  const radius = size / 2 - 3;
  const length = 2 * Math.PI * radius;
  svg.append(make('circle', { class: 'middle', cx: size / 2, cy: size / 2, r: radius }));
  let passed = 0;
  for (const [state, count] of cluster.byState.entries()) {
    if (count === 0) continue;
    const arc = (count / cluster.count) * length;
    const turn = `rotate(-90 ${size / 2} ${size / 2})`;
    const dash = {
      'stroke-width': 5,
      'stroke-dasharray': `${arc} ${length - arc}`,
      'stroke-dashoffset': -passed,
      transform: turn,
    };
    svg.append(make('circle', { class: states[state] ?? '', cx: size / 2, cy: size / 2, r: radius, ...dash }));
    passed += arc;
  }
  const text = make('text', { x: size / 2, y: size / 2 });
  text.textContent = short(cluster.count);
  svg.append(text);
  return svg as SVGSVGElement;
}

/** short writes a number in at most four characters: 812, 1.2k, 45k. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 9950 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}

function make(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
