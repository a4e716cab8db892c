// The vehicles: one point for each, drawn from the store's buffer in one call. The
// graphics card moves them between two fixes, so that a frame costs no script.
// Instanced quads would do too, but software drawing takes each instance by itself.
import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { link } from './fleet-shader.ts';
import { type FleetStore, floats } from './fleet-store.ts';
import { mercatorX, mercatorY } from './mercator.ts';
import type { Palette } from './palette.ts';
import { states } from './state.ts';

const uniforms = ['u_matrix', 'u_now', 'u_size', 'u_bearing', 'u_colour', 'u_casing', 'u_thin'] as const;
type Uniform = (typeof uniforms)[number];

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

/** crowded is how much smaller vehicles are drawn where there are many: each has 20 by 20 pixels, or half its size. */
export function crowded(vehicles: number, pixels: number): number {
  return Math.max(0.5, Math.min(1, Math.sqrt(pixels / (400 * Math.max(1, vehicles)))));
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
  private buffers: { vehicles: WebGLBuffer; mask: WebGLBuffer; rows: number } | undefined;
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
    this.buffers = { vehicles: gl.createBuffer(), mask: gl.createBuffer(), rows: 0 };
    this.store.touchAll();
  }

  onRemove(_map: MapLibreMap, context: WebGLRenderingContext | WebGL2RenderingContext): void {
    const gl = context as WebGL2RenderingContext;
    if (this.program) gl.deleteProgram(this.program);
    gl.deleteVertexArray(this.array);
    gl.deleteBuffer(this.buffers?.vehicles ?? null);
    gl.deleteBuffer(this.buffers?.mask ?? null);
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
    this.upload(gl);
    if (store.count > 0) this.draw(gl, input.defaultProjectionData.mainMatrix as ArrayLike<number>, west, east);
    const now = this.now();
    if (
      store.anyGliding(
        now,
        west - Math.floor(west),
        mercatorY(bounds.getNorth()),
        east - Math.floor(west),
        mercatorY(bounds.getSouth()),
      )
    )
      map.triggerRepaint();
    this.frames++;
    this.scriptTime += performance.now() - started;
  }

  private draw(gl: WebGL2RenderingContext, matrix: ArrayLike<number>, west: number, east: number): void {
    const { store, map, at, palette } = this;
    if (!map || !this.program) return;
    const ratio = gl.drawingBufferWidth / map.getCanvas().clientWidth;
    const { clientWidth, clientHeight } = map.getCanvas();
    const size = sizeAt(map.getZoom()) * crowded(this.inView, clientWidth * clientHeight) * ratio;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform1f(at.u_now, (this.now() - store.epoch) / 1000);
    gl.uniform1f(at.u_size, size);
    gl.uniform1f(at.u_thin, (1.5 * ratio) / size);
    gl.uniform1f(at.u_bearing, (map.getBearing() * Math.PI) / 180);
    gl.uniform3fv(
      at.u_colour,
      states.flatMap((state) => palette.state[state]),
    );
    gl.uniform3fv(at.u_casing, palette.casing);
    // Each copy of the world that is in view is drawn by itself.
    for (let copy = Math.floor(west); copy <= Math.floor(east); copy++) {
      gl.uniformMatrix4fv(at.u_matrix, false, moved(matrix, store.originX + copy, store.originY));
      gl.drawArrays(gl.POINTS, 0, store.count);
    }
    gl.bindVertexArray(null);
  }

  /** upload sends the rows that changed, and everything when the buffers have become too small. */
  private upload(gl: WebGL2RenderingContext): void {
    const { store, buffers } = this;
    if (!buffers) return;
    const rows = store.mask.length;
    const dirty = store.takeDirty();
    const masked = store.takeMaskChanged();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers.vehicles);
    if (buffers.rows !== rows) {
      buffers.rows = rows;
      gl.bufferData(gl.ARRAY_BUFFER, store.data, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers.mask);
      gl.bufferData(gl.ARRAY_BUFFER, store.mask, gl.DYNAMIC_DRAW);
      this.describe(gl);
      return;
    }
    if (dirty.to > dirty.from)
      gl.bufferSubData(
        gl.ARRAY_BUFFER,
        dirty.from * floats * 4,
        store.data,
        dirty.from * floats,
        (dirty.to - dirty.from) * floats,
      );
    if (!masked) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers.mask);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, store.mask);
  }

  /** describe says how the buffers are laid out. */
  private describe(gl: WebGL2RenderingContext): void {
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers?.vehicles ?? null);
    for (const [location, offset] of [
      [0, 0],
      [1, 16],
    ] as const) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 4, gl.FLOAT, false, floats * 4, offset);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers?.mask ?? null);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 1, gl.UNSIGNED_BYTE, false, 1, 0);
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
