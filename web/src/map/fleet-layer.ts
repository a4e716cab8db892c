// The vehicles: one point for each that is in sight, drawn from the store's buffer in
// one call. The graphics card moves them between two fixes, so that a frame costs no
// script, and there is another frame only when something has moved by a visible step.
// Instanced quads would do too, but software drawing takes each instance by itself.
import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { link } from './fleet-shader.ts';
import { type FleetStore, floats } from './fleet-store.ts';
import { mercatorX, mercatorY } from './mercator.ts';
import type { Palette } from './palette.ts';
import { Sight } from './sight.ts';
import { states } from './state.ts';

const uniforms = ['u_matrix', 'u_now', 'u_size', 'u_bearing', 'u_colour', 'u_casing', 'u_thin'] as const;
type Uniform = (typeof uniforms)[number];

const smallest = 7; // pixels, in which shapes can still be distinguished
const soon = 20; // milliseconds; what moves faster is drawn with every frame
const latest = 1000;

/** sizeAt is the diameter of a vehicle in CSS pixels: small enough for a country, large enough for a yard. */
export function sizeAt(zoom: number): number {
  const steps: [number, number][] = [
    [4, 12],
    [9, 16],
    [14, 24],
  ];
  const [first, last] = [steps[0] as [number, number], steps[steps.length - 1] as [number, number]];
  if (zoom <= first[0]) return first[1];
  for (let i = 1; i < steps.length; i++) {
    const [fromZoom, fromSize] = steps[i - 1] as [number, number];
    const [toZoom, toSize] = steps[i] as [number, number];
    if (zoom <= toZoom) return fromSize + ((toSize - fromSize) * (zoom - fromZoom)) / (toZoom - fromZoom);
  }
  return last[1];
}

/** crowded is the size of vehicles where there are many: each has 20 by 20 pixels, or seven pixels for itself. */
export function crowded(size: number, vehicles: number, pixels: number): number {
  return Math.min(size, Math.max(smallest, size * Math.sqrt(pixels / (400 * Math.max(1, vehicles)))));
}

/** FleetLayer draws a store's vehicles on a map. */
export class FleetLayer implements CustomLayerInterface {
  readonly id = 'fleet';
  readonly type = 'custom';
  readonly renderingMode = '2d';
  /** inView is how many vehicles the map shows: many are drawn smaller. */
  inView = 0;
  /** scriptTime is the milliseconds that the last frames took, for the bench. */
  scriptTime = 0;
  frames = 0;
  private map: MapLibreMap | undefined;
  private program: WebGLProgram | undefined;
  private array: WebGLVertexArrayObject | null = null;
  private buffers: { vehicles: WebGLBuffer; sight: WebGLBuffer; rows: number } | undefined;
  private readonly sight = new Sight();
  private next: ReturnType<typeof setTimeout> | undefined;
  private at = {} as Record<Uniform, WebGLUniformLocation | null>;

  constructor(
    private readonly store: FleetStore,
    private palette: Palette,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** recolour takes another palette. */
  recolour(palette: Palette): void {
    this.palette = palette;
    this.map?.triggerRepaint();
  }

  onAdd(map: MapLibreMap, context: WebGLRenderingContext | WebGL2RenderingContext): void {
    const gl = context as WebGL2RenderingContext;
    this.map = map;
    this.program = link(gl);
    for (const name of uniforms) this.at[name] = gl.getUniformLocation(this.program, name);
    this.array = gl.createVertexArray();
    this.buffers = { vehicles: gl.createBuffer(), sight: gl.createBuffer(), rows: 0 };
    this.store.touchAll();
  }

  onRemove(_map: MapLibreMap, context: WebGLRenderingContext | WebGL2RenderingContext): void {
    const gl = context as WebGL2RenderingContext;
    if (this.program) gl.deleteProgram(this.program);
    gl.deleteVertexArray(this.array);
    gl.deleteBuffer(this.buffers?.vehicles ?? null);
    gl.deleteBuffer(this.buffers?.sight ?? null);
    clearTimeout(this.next);
    this.map = undefined;
  }

  render(context: WebGLRenderingContext | WebGL2RenderingContext, input: CustomRenderMethodInput): void {
    const { map, program, store } = this;
    if (!map || !program) return;
    const started = performance.now();
    const gl = context as WebGL2RenderingContext;
    const bounds = map.getBounds();
    const west = mercatorX(bounds.getWest());
    const east = mercatorX(bounds.getEast());
    const middle = (west + east) / 2;
    store.rebase(middle - Math.floor(middle), mercatorY(map.getCenter().lat));
    const seconds = (this.now() - store.epoch) / 1000;
    const view = { west, north: mercatorY(bounds.getNorth()), east, south: mercatorY(bounds.getSouth()) };
    const looked = this.sight.look(store, view, seconds);
    this.upload(gl, looked);
    if (this.sight.count > 0) this.draw(gl, input.defaultProjectionData.mainMatrix as ArrayLike<number>, west, east);
    this.drawAgain(map, seconds);
    this.frames++;
    this.scriptTime += performance.now() - started;
  }

  /** drawAgain asks for the next frame, when something will have moved by then. */
  private drawAgain(map: MapLibreMap, seconds: number): void {
    clearTimeout(this.next);
    const pause = this.sight.pause(seconds, 512 * 2 ** map.getZoom());
    if (pause === null) return;
    if (pause < soon) map.triggerRepaint();
    else this.next = setTimeout(() => map.triggerRepaint(), Math.min(pause, latest));
  }

  private draw(gl: WebGL2RenderingContext, matrix: ArrayLike<number>, west: number, east: number): void {
    const { store, map, at, palette } = this;
    if (!map || !this.program) return;
    const { clientWidth, clientHeight } = map.getCanvas();
    const ratio = gl.drawingBufferWidth / clientWidth;
    const size = crowded(sizeAt(map.getZoom()), this.inView, clientWidth * clientHeight) * ratio;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform1f(at.u_now, (this.now() - store.epoch) / 1000);
    gl.uniform1f(at.u_size, size);
    gl.uniform1f(at.u_thin, 1.5 * ratio);
    gl.uniform1f(at.u_bearing, (map.getBearing() * Math.PI) / 180);
    gl.uniform3fv(
      at.u_colour,
      states.flatMap((state) => palette.state[state]),
    );
    gl.uniform3fv(at.u_casing, palette.casing);
    // Each copy of the world that is in view is drawn by itself.
    for (let copy = Math.floor(west); copy <= Math.floor(east); copy++) {
      gl.uniformMatrix4fv(at.u_matrix, false, moved(matrix, store.originX + copy, store.originY));
      gl.drawElements(gl.POINTS, this.sight.count, gl.UNSIGNED_INT, 0);
    }
    gl.bindVertexArray(null);
  }

  /** upload sends the rows that changed, and everything when the buffer has become too small. */
  private upload(gl: WebGL2RenderingContext, looked: boolean): void {
    const { store, buffers } = this;
    if (!buffers) return;
    const rows = store.mask.length;
    const { from, to } = store.takeDirty();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers.vehicles);
    if (buffers.rows !== rows) {
      buffers.rows = rows;
      gl.bufferData(gl.ARRAY_BUFFER, store.data, gl.DYNAMIC_DRAW);
      this.describe(gl);
    } else if (to > from) {
      gl.bufferSubData(gl.ARRAY_BUFFER, from * floats * 4, store.data, from * floats, (to - from) * floats);
    }
    if (!looked) return;
    gl.bindVertexArray(this.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.sight.rows, gl.DYNAMIC_DRAW, 0, this.sight.count);
    gl.bindVertexArray(null);
  }

  /** describe says how the buffers are laid out. */
  private describe(gl: WebGL2RenderingContext): void {
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers?.sight ?? null);
    for (const [location, offset] of [
      [0, 0],
      [1, 16],
    ] as const) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 4, gl.FLOAT, false, floats * 4, offset);
    }
    gl.bindVertexArray(null);
  }
}

/** moved is a matrix that takes places relative to an origin; in float64, which is the point of it. */
export function moved(matrix: ArrayLike<number>, x: number, y: number): Float32Array {
  const out = Float32Array.from(matrix);
  for (let i = 0; i < 4; i++)
    out[12 + i] = (matrix[i] as number) * x + (matrix[4 + i] as number) * y + (matrix[12 + i] as number);
  return out;
}
