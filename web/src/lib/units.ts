// Numbers in the units and the language of the reader. The API speaks metres and
// seconds; nothing else in the console converts.
import { numbers } from './formats.ts';
import { language, locale } from './i18n.svelte.ts';
import { prefs } from './prefs.svelte.ts';

const metresPerMile = 1609.344;

export function number(value: number, digits = 0): string {
  return numbers(locale(), { maximumFractionDigits: digits, minimumFractionDigits: 0 }).format(value);
}

export function percent(share: number, digits = 0): string {
  return numbers(locale(), { style: 'percent', maximumFractionDigits: digits }).format(share);
}

/** A distance in kilometres or miles, of less than a kilometre in metres. */
export function distance(metres: number | null | undefined): string {
  if (metres == null) return '–';
  if (prefs.units === 'imperial') {
    const miles = metres / metresPerMile;
    return `${number(miles, miles < 10 ? 1 : 0)} mi`;
  }
  if (Math.abs(metres) < 1000) return `${number(metres)} m`;
  const km = metres / 1000;
  return `${number(km, km < 100 ? 1 : 0)} km`;
}

export function speed(kph: number | null | undefined): string {
  if (kph == null) return '–';
  return prefs.units === 'imperial' ? `${number(kph / 1.609344)} mph` : `${number(kph)} km/h`;
}

export const speedUnit = () => (prefs.units === 'imperial' ? 'mph' : 'km/h');
export const speedValue = (kph: number) => (prefs.units === 'imperial' ? kph / 1.609344 : kph);

/** A length of time in the two largest units: 3 h 12 min. */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return '–';
  const s = Math.round(Math.abs(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.round(s / 60)} min`;
  if (s < 86_400) {
    const minutes = Math.round(s / 60);
    const rest = minutes % 60;
    return rest ? `${Math.floor(minutes / 60)} h ${rest} min` : `${Math.floor(minutes / 60)} h`;
  }
  const hours = Math.round(s / 3600);
  const rest = hours % 24;
  const day = language() === 'de' ? 'T' : 'd';
  return rest ? `${Math.floor(hours / 24)} ${day} ${rest} h` : `${Math.floor(hours / 24)} ${day}`;
}

/** Driving and the like, summed up over trips, in hours: a day of work is no day of the calendar. */
export const worked = (seconds: number | null | undefined) =>
  seconds != null && seconds >= 86_400 ? `${number(seconds / 3600)} h` : duration(seconds);

export function bytes(count: number): string {
  if (count < 1000) return `${number(count)} B`;
  if (count < 1_000_000) return `${number(count / 1000, 1)} KB`;
  return `${number(count / 1_000_000, 1)} MB`;
}

export function coordinate(latitude: number, longitude: number): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}

/** The unit of a reading is in the name of its kind; counters of seconds are shown in hours. */
export function reading(kind: string, value: number): string {
  switch (kind.slice(kind.lastIndexOf('_') + 1)) {
    case 'metres':
      return distance(value);
    case 'seconds':
      return `${number(value / 3600)} h`;
    case 'percent':
      return percent(value / 100);
    case 'litres': {
      const [volume, unit] = prefs.units === 'imperial' ? [value / 3.785412, 'gal'] : [value, 'l'];
      return `${number(volume, volume < 1000 ? 1 : 0)} ${unit}`; // a counter of years needs no tenths
    }
    case 'volts':
      return `${number(value, 1)} V`;
    case 'celsius':
      return prefs.units === 'imperial' ? `${number(value * 1.8 + 32)} °F` : `${number(value, 1)} °C`;
    default:
      return number(value, 1);
  }
}
