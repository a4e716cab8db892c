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
  zone: 'Times are those of your place: {zone}.',
  late: 'Later than agreed, by about {time}.',
  old: 'The last position is old. The vehicle may be out of reach, and the arrival is less certain.',
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
  zone: 'Zeiten gelten an Ihrem Ort: {zone}.',
  late: 'Etwa {time} später als vereinbart.',
  old: 'Die letzte Position ist alt. Das Fahrzeug ist vielleicht ohne Empfang, die Ankunft weniger sicher.',
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

const fr: Words = {
  gone: 'Ce lien n’est plus valable',
  goneText: 'Il a été révoqué, a expiré ou n’est pas complet. Demandez-en un nouveau à l’expéditeur.',
  failed: 'Le service est injoignable. Un nouvel essai se fait tout seul.',
  by: 'Partagé par {name}',
  trip_not_started: 'Pas encore en route',
  trip_in_progress: 'En route',
  trip_ended: 'Arrivé',
  arrives: 'Arrivée prévue',
  arrived: 'Arrivé à',
  noArrival: 'L’arrivée n’est pas connue pour le moment',
  deadline: 'Convenu pour',
  remaining: 'Reste',
  updated: 'Position',
  progress: 'Avancement',
  map: 'Carte',
  ends: 'Cette page prend fin {time}.',
  now: 'à l’instant',
  ago: 'il y a {time}',
  zone: 'Les heures sont celles de votre lieu : {zone}.',
  late: 'Plus tard que convenu, d’environ {time}.',
  old: 'La dernière position est ancienne. Le véhicule est peut-être hors de portée, l’arrivée moins sûre.',
  connectTitle: '{tenant} demande à lire les données de vos véhicules',
  renewTitle: '{tenant} a besoin de nouveaux identifiants pour {business}',
  connectText:
    'Pour {business}. Vous choisissez votre fournisseur et saisissez vos identifiants ; ils sont chiffrés et ne servent à rien d’autre. Vous pouvez vous retirer à tout moment avec ce lien.',
  reads: 'Ce qui est lu',
  since: 'Depuis',
  sinceNow: 'à partir de maintenant',
  vehicles: 'Véhicules',
  positions: 'Positions',
  drivers: 'Conducteurs',
  trips: 'Trajets',
  provider: 'Votre fournisseur',
  choose: 'Choisir…',
  missing: 'Mon fournisseur n’est pas dans la liste : écrivez à {tenant}.',
  connect: 'Connecter',
  trying: 'Demande à {provider}…',
  agree: 'Donner son accord chez {provider}',
  agreeText:
    'Vous êtes dirigé vers {provider}, où vous vous connectez et donnez votre accord. Rien n’est à saisir ici.',
  notAgreed: 'l’accord manque',
  refused: '{provider} a refusé : {reason}',
  optional: 'facultatif',
  done: 'Connecté',
  doneText: '{tenant} lit maintenant les données de {business}. Gardez ce lien : il permet de vous retirer.',
  withdraw: 'Se retirer',
  withdrawSure: 'Se retirer maintenant : la collecte s’arrête et les identifiants sont effacés',
  withdrawn: 'Retiré',
  withdrawnText: 'Plus rien n’est lu, et les identifiants sont effacés.',
  found: '{n} véhicules trouvés',
};

const es: Words = {
  gone: 'Este enlace ya no es válido',
  goneText: 'Fue revocado, ha caducado o no está completo. Pida uno nuevo a quien se lo envió.',
  failed: 'No se puede acceder al servicio. Se vuelve a intentar solo.',
  by: 'Compartido por {name}',
  trip_not_started: 'Aún no está en camino',
  trip_in_progress: 'En camino',
  trip_ended: 'Ha llegado',
  arrives: 'Llegada prevista',
  arrived: 'Llegó a las',
  noArrival: 'La llegada no se conoce por el momento',
  deadline: 'Acordado para',
  remaining: 'Faltan',
  updated: 'Posición',
  progress: 'Avance',
  map: 'Mapa',
  ends: 'Esta página termina {time}.',
  now: 'ahora mismo',
  ago: 'hace {time}',
  zone: 'Las horas son las de su lugar: {zone}.',
  late: 'Más tarde de lo acordado, unos {time}.',
  old: 'La última posición es antigua. Quizá el vehículo esté sin cobertura y la llegada sea menos segura.',
  connectTitle: '{tenant} pide leer los datos de sus vehículos',
  renewTitle: '{tenant} necesita nuevas credenciales de {business}',
  connectText:
    'Para {business}. Usted elige su proveedor e introduce sus credenciales; se guardan cifradas y no sirven para nada más. Puede retirarse en cualquier momento con este enlace.',
  reads: 'Lo que se lee',
  since: 'Desde',
  sinceNow: 'a partir de ahora',
  vehicles: 'Vehículos',
  positions: 'Posiciones',
  drivers: 'Conductores',
  trips: 'Viajes',
  provider: 'Su proveedor',
  choose: 'Elegir…',
  missing: 'Mi proveedor no está en la lista: escriba a {tenant}.',
  connect: 'Conectar',
  trying: 'Consultando a {provider}…',
  agree: 'Aceptar en {provider}',
  agreeText: 'Se le envía a {provider}, donde inicia sesión y acepta. Aquí no hay que introducir nada.',
  notAgreed: 'falta el consentimiento',
  refused: '{provider} lo ha rechazado: {reason}',
  optional: 'opcional',
  done: 'Conectado',
  doneText: '{tenant} lee ahora los datos de {business}. Guarde este enlace: con él puede retirarse.',
  withdraw: 'Retirarse',
  withdrawSure: 'Retirarse ahora: la recogida termina y las credenciales se borran',
  withdrawn: 'Retirado',
  withdrawnText: 'No se lee nada más, y las credenciales se han borrado.',
  found: '{n} vehículos encontrados',
};

const languages: Record<string, Words> = { en, de, fr, es };
/** The first of the reader's languages that is known. */
export const language = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => languages[tag]) ?? 'en';
const words = languages[language] ?? en;

export function t(key: keyof Words, values: Record<string, string | number> = {}): string {
  return words[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text at the end of the address, which proves that one was given it. */
export const token = () => window.location.pathname.split('/').pop() ?? '';

const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;

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
  return seconds < 60 ? t('now') : t('ago', { time: lasting(seconds) });
}

/** A length of time in whole minutes, or in hours where it is long. */
export function lasting(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** What the reader's time zone is called, at a moment. */
export function zoneName(at: number): string {
  const named = new Intl.DateTimeFormat(locale, { timeZoneName: 'long' }).formatToParts(at);
  return named.find((part) => part.type === 'timeZoneName')?.value ?? '';
}
