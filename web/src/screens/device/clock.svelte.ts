// The one clock of the screen: ribbon, chart, map and slider show its time.
import { nextDriving, type Track } from '../../map/track.ts';

/** rates is how much faster than life a replay can be. */
export const rates = [1, 10, 60, 120, 300, 600] as const;

const farAhead = 250; // milliseconds of one frame at most, after a tab was hidden

/** Clock plays a track. */
export class Clock {
  /** time is where the replay is; undefined before it was touched. */
  time = $state<number>();
  playing = $state(false);
  rate = $state<number>(60);
  skip = $state(true);
  private frame = 0;
  private last = 0;

  constructor(
    private readonly track: () => Track | undefined,
    private readonly request: (frame: (at: number) => void) => number = (f) => requestAnimationFrame(f),
    private readonly cancel: (id: number) => void = (id) => cancelAnimationFrame(id),
  ) {}

  /** seek moves to a time. */
  seek(time: number): void {
    this.time = time;
  }

  /** toggle plays and pauses; at the end it starts again. */
  toggle(): void {
    if (this.playing) {
      this.pause();
      return;
    }
    const track = this.track();
    const first = track?.time[0];
    const last = track?.time.at(-1);
    if (first === undefined || last === undefined) return;
    if (this.time === undefined || this.time >= last || this.time < first) this.time = first;
    this.playing = true;
    this.last = 0;
    this.frame = this.request((at) => this.step(at));
  }

  pause(): void {
    this.playing = false;
    this.cancel(this.frame);
  }

  private step(at: number): void {
    const track = this.track();
    const last = track?.time.at(-1);
    if (!this.playing || !track || last === undefined) return;
    const passed = this.last === 0 ? 0 : Math.min(at - this.last, farAhead);
    this.last = at;
    let next = (this.time ?? 0) + passed * this.rate;
    if (this.skip) next = nextDriving(track, next) ?? last;
    this.time = Math.min(next, last);
    if (this.time >= last) this.pause();
    else this.frame = this.request((later) => this.step(later));
  }
}
