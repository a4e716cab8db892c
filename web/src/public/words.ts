// The words of the two pages that are seen without signing in, in the reader's language.
// They are apart from the console's, so that these pages stay small.
import { present } from '../lib/present.ts';

const en = {
  gone: 'This link is no longer valid',
  goneText: 'It was revoked, has expired or is not complete. Ask the sender for a new one.',
  failed: 'The service cannot be reached. It is tried again by itself.',
  by: 'Shared by {name}',
  trip_not_started: 'Not on its way yet',
  trip_in_progress: 'On its way',
  trip_ended: 'Arrived',
  arrives: 'Expected arrival',
  arrived: 'Arrived at',
  noArrival: 'The arrival is not known at the moment',
  deadline: 'Agreed for',
  remaining: 'Still to go',
  updated: 'Position',
  progress: 'Progress',
  map: 'Map',
  ends: 'This page ends {time}.',
  now: 'just now',
  ago: '{time} ago',
  connectTitle: '{tenant} asks to read your vehicle data',
  renewTitle: '{tenant} needs new credentials for {business}',
  connectText:
    'For {business}. You choose your provider and enter credentials; they are stored encrypted and used for nothing else. You can withdraw at any time with this link.',
  reads: 'What is read',
  since: 'Since',
  sinceNow: 'from now on',
  vehicles: 'Vehicles',
  positions: 'Positions',
  drivers: 'Drivers',
  trips: 'Trips',
  provider: 'Your provider',
  choose: 'Choose…',
  missing: 'My provider is not in the list: write to {tenant}.',
  connect: 'Connect',
  trying: 'Asking {provider}…',
  agree: 'Agree at {provider}',
  agreeText: 'You are sent to {provider}, where you sign in and agree. Nothing has to be entered here.',
  notAgreed: 'the consent is missing',
  refused: '{provider} has refused: {reason}',
  optional: 'optional',
  done: 'Connected',
  doneText: '{tenant} now reads the data of {business}. Keep this link: with it you can withdraw.',
  withdraw: 'Withdraw',
  withdrawSure: 'Withdraw now: the collection stops and the credentials are forgotten',
  withdrawn: 'Withdrawn',
  withdrawnText: 'Nothing more is read, and the credentials are forgotten.',
  found: '{n} vehicles found',
};

export type Words = typeof en;

const de: Words = {
  gone: 'Dieser Link gilt nicht mehr',
  goneText: 'Er wurde widerrufen, ist abgelaufen oder unvollständig. Bitten Sie den Absender um einen neuen.',
  failed: 'Der Dienst ist nicht erreichbar. Es wird von selbst erneut versucht.',
  by: 'Geteilt von {name}',
  trip_not_started: 'Noch nicht unterwegs',
  trip_in_progress: 'Unterwegs',
  trip_ended: 'Angekommen',
  arrives: 'Voraussichtliche Ankunft',
  arrived: 'Angekommen um',
  noArrival: 'Die Ankunft lässt sich gerade nicht vorhersagen',
  deadline: 'Vereinbart für',
  remaining: 'Noch',
  updated: 'Position',
  progress: 'Fortschritt',
  map: 'Karte',
  ends: 'Diese Seite endet {time}.',
  now: 'gerade eben',
  ago: 'vor {time}',
  connectTitle: '{tenant} bittet darum, Ihre Fahrzeugdaten zu lesen',
  renewTitle: '{tenant} braucht neue Zugangsdaten für {business}',
  connectText:
    'Für {business}. Sie wählen Ihren Anbieter und geben Zugangsdaten ein; sie werden verschlüsselt gespeichert und für nichts anderes benutzt. Mit diesem Link können Sie jederzeit widerrufen.',
  reads: 'Was gelesen wird',
  since: 'Seit',
  sinceNow: 'ab jetzt',
  vehicles: 'Fahrzeuge',
  positions: 'Positionen',
  drivers: 'Fahrer',
  trips: 'Fahrten',
  provider: 'Ihr Anbieter',
  choose: 'Auswählen…',
  missing: 'Mein Anbieter fehlt in der Liste: Sagen Sie es {tenant}.',
  connect: 'Verbinden',
  trying: '{provider} wird gefragt…',
  agree: 'Bei {provider} zustimmen',
  agreeText: 'Sie werden zu {provider} geleitet, melden sich dort an und stimmen zu. Hier ist nichts einzugeben.',
  notAgreed: 'niemand hat zugestimmt',
  refused: '{provider} hat abgelehnt: {reason}',
  optional: 'freiwillig',
  done: 'Verbunden',
  doneText: '{tenant} liest nun die Daten von {business}. Behalten Sie diesen Link: Mit ihm können Sie widerrufen.',
  withdraw: 'Widerrufen',
  withdrawSure: 'Jetzt widerrufen: Die Abfrage endet, und die Zugangsdaten werden vergessen',
  withdrawn: 'Widerrufen',
  withdrawnText: 'Es wird nichts mehr gelesen, und die Zugangsdaten sind vergessen.',
  found: '{n} Fahrzeuge gefunden',
};

export const language = navigator.language.startsWith('de') ? 'de' : 'en';
const words = language === 'de' ? de : en;

export function t(key: keyof Words, values: Record<string, string | number> = {}): string {
  return words[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text at the end of the address, which proves that one was given it. */
export const token = () => window.location.pathname.split('/').pop() ?? '';

const locale = navigator.language.startsWith(language) ? navigator.language : language;

/** The time of day, with the day where it is another one. */
export function clock(time: string | number): string {
  const at = new Date(time);
  const today = at.toDateString() === new Date(present()).toDateString();
  const hours = { hour: '2-digit', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat(locale, today ? hours : { day: 'numeric', month: 'short', ...hours }).format(at);
}

export function kilometres(km: number): string {
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'kilometer',
    maximumFractionDigits: km < 10 ? 1 : 0,
  }).format(km);
}

export function percent(share: number): string {
  return new Intl.NumberFormat(locale, { style: 'percent' }).format(share);
}

export function ago(time: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  if (seconds < 60) return t('now');
  const minutes = Math.round(seconds / 60);
  return t('ago', { time: minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h` });
}
