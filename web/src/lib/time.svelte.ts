// Times in the zone that the reader chose, and their age, which moves on by itself.
import { dates } from './formats.ts';
import { language, locale } from './i18n.svelte.ts';
import { prefs } from './prefs.svelte.ts';
import { present, presentKnown } from './present.ts';
import { duration } from './units.ts';

export { present, timeSpeed } from './present.ts';

const clock = $state({ now: present() });
const tick = () => {
  if (!document.hidden) clock.now = present();
};
setInterval(tick, 5000);
document.addEventListener('visibilitychange', tick);
void presentKnown.then(tick);

/** The present, to the last five seconds; what reads it is drawn again as it passes. */
export const now = () => clock.now;

/** The zone of the computer. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const zone = () => (prefs.zone === 'local' ? ownZone : prefs.zone);

type When = string | number | Date;

function format(when: When, options: Intl.DateTimeFormatOptions, timeZone = zone()): string {
  const hourCycle = prefs.hours === 'auto' ? undefined : prefs.hours === '12' ? 'h12' : 'h23';
  return dates(locale(), { timeZone, hourCycle, ...options }).format(new Date(when));
}

/** What the zone is called for short: CET, UTC, GMT+3. */
export const zoneName = () =>
  dates(locale(), { timeZone: zone(), timeZoneName: 'short' })
    .formatToParts(now())
    .find((part) => part.type === 'timeZoneName')?.value ?? zone();

export const clockTime = (when: When) => format(when, { hour: '2-digit', minute: '2-digit' });
export const preciseTime = (when: When) => format(when, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
export const dayName = (when: When) => format(when, { weekday: 'short', day: 'numeric', month: 'short' });
export const dayAndTime = (when: When) =>
  format(when, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
export const fullTime = (when: When, timeZone?: string) =>
  format(when, { dateStyle: 'medium', timeStyle: 'long' }, timeZone);

/** The clock time of today, with the day otherwise. */
export function shortTime(when: When): string {
  const same = format(when, { dateStyle: 'short' }) === format(now(), { dateStyle: 'short' });
  return same ? clockTime(when) : dayAndTime(when);
}

/** How many seconds ago, at this very moment; what reads it is drawn again as time passes. */
function since(when: When): number {
  void now();
  return (present() - new Date(when).getTime()) / 1000;
}

/** What is nearer than this, in seconds, is now: before it as after it. */
const moment = 10;

const rounded = (seconds: number) => duration(seconds < 120 ? seconds : Math.round(seconds / 60) * 60);

/** How long ago something was: "4 min ago". It was, also where the reader's clock is behind the service's. */
export function age(when: When): string {
  const seconds = since(when);
  const german = language() === 'de';
  if (seconds < moment) return german ? 'jetzt' : 'now';
  return german ? `vor ${rounded(seconds)}` : `${rounded(seconds)} ago`;
}

/** How far off something is that is to come, "in 2 h"; "now" where it is due, and how long ago it was otherwise. */
export function until(when: When): string {
  const seconds = -since(when);
  if (seconds >= moment) return `in ${rounded(seconds)}`;
  return age(seconds > -30 ? present() : when);
}

/** The value of an <input type=datetime-local> as an instant, read in the chosen zone. */
export function fromInput(value: string): string | undefined {
  if (!value) return undefined;
  const guess = new Date(`${value}Z`).getTime();
  const shown = new Date(`${toInput(guess)}Z`).getTime();
  return new Date(guess - (shown - guess)).toISOString();
}

/** An instant as the value of an <input type=datetime-local>, in the chosen zone. */
export function toInput(when: When | undefined): string {
  if (when === undefined || when === '') return '';
  const parts = dates('en-CA', {
    timeZone: zone(),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(when));
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? '00';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/** nextName is the name of the day that lies some days after another: 2026-03-01. */
export function nextName(name: string, by: number): string {
  const at = new Date(`${name}T12:00:00Z`);
  at.setUTCDate(at.getUTCDate() + by);
  return at.toISOString().slice(0, 10);
}

/** When a day of a name begins in the chosen zone. */
export const dayStart = (name: string) => Date.parse(fromInput(`${name}T00:00`) as string);
