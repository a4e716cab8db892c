// What needs a person, worst first: one line each, with who must act and where to go.
import type { Schema } from '../../api/client.ts';
import type { Doubt, Healths, MilestoneEntry } from '../../api/queries.ts';
import { type Key, t } from '../../lib/i18n.svelte.ts';
import { sentence } from '../../lib/names.ts';
import { href } from '../../lib/router.svelte.ts';
import { present } from '../../lib/time.svelte.ts';
import { duration } from '../../lib/units.ts';
import { advice, rests, whoActs, worst } from '../connection/state.ts';
import { latestFirst } from '../milestone/state.ts';

export interface Attention {
  id: string;
  tone: 'bad' | 'warn';
  what: string;
  detail: string;
  since: string | null;
  /** Whether that is when it is due, and may be yet to come. */
  due?: boolean;
  /** Unknown where the service did not say. */
  who: Key | undefined;
  action: Key;
  href: string;
}

export interface Facts {
  connections: Schema['Connection'][];
  healths: Healths | undefined;
  doubts: Doubt[];
  webhooks: Schema['Webhook'][];
  milestones: MilestoneEntry[];
  deviceName: (id: string) => string;
  summary: Schema['AccountSummary'] | undefined;
  invalid: { now: number; before: number } | undefined;
}

export function attention(facts: Facts): Attention[] {
  const all = [
    ...ofConnections(facts),
    ...ofDoubts(facts),
    ...ofMilestones(facts),
    ...ofWebhooks(facts),
    ...ofDevices(facts),
    ...ofTrips(facts),
  ];
  return all.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'));
}

const ill = ['failing', 'stalled', 'degraded'];

export const ailing = (c: Schema['Connection']) => ill.includes(c.configuration.health);

function ofConnections({ connections, healths }: Facts): Attention[] {
  return connections.filter(ailing).map((c) => {
    const health = healths?.get(c.id);
    const job = worst(health);
    const slow = c.configuration.health === 'degraded';
    return {
      id: `connection ${c.id}`,
      tone: slow ? 'warn' : 'bad',
      what: t(slow ? 'attention.connectionSlow' : 'attention.connection', { name: c.business_name }),
      detail: job ? t(advice(job.last_error_kind)) : (health?.message ?? ''),
      since: job?.last_success_at ?? job?.last_error_at ?? health?.last_success_at ?? null,
      who: health ? whoActs(health) : undefined,
      action: job?.last_error_kind === 'credentials' ? 'attention.repair' : 'attention.open',
      href: href(`/connection/${c.id}`),
    };
  });
}

function ofDoubts({ connections, doubts }: Facts): Attention[] {
  return connections.flatMap((c): Attention[] => {
    const doubt = doubts.find((d) => d.connection === c.id);
    if (!doubt || rests(c.configuration.health)) return [];
    return [
      {
        id: `doubt ${c.id}`,
        tone: 'warn',
        what: t('attention.doubtful', { name: c.business_name }),
        detail: doubt.reason ?? '',
        since: doubt.since,
        who: 'who.you',
        action: 'attention.show',
        href: href(`/connection/${c.id}`, { tab: 'quality' }),
      },
    ];
  });
}

/** How many late milestones have a line of their own. */
const lines = 20;
const isLate = (m: MilestoneEntry) => m.status !== 'trip_ended' && (m.late_by_seconds ?? 0) >= 60;
const quarter = 900; // seconds

/** The late milestones that have a line of their own, the latest first, and how many more there are. */
export function latest(milestones: MilestoneEntry[]): { first: MilestoneEntry[]; more: number } {
  const late = milestones.filter(isLate).sort(latestFirst);
  return { first: late.slice(0, lines), more: Math.max(0, late.length - lines) };
}

/** The deadline of a late milestone. */
function dueAt({ eta, late_by_seconds: late }: MilestoneEntry): string {
  return new Date((eta ? Date.parse(eta) : present()) - (late ?? 0) * 1000).toISOString();
}

function ofMilestones({ milestones, deviceName }: Facts): Attention[] {
  const { first, more } = latest(milestones);
  const found = first.map((m): Attention => {
    const late = m.late_by_seconds ?? 0;
    return {
      id: `milestone ${m.milestone_id}`,
      tone: late > quarter ? 'bad' : 'warn',
      what: t(m.eta ? 'attention.late' : 'attention.overdue', { name: deviceName(m.device_id), time: duration(late) }),
      detail: '',
      since: dueAt(m),
      due: true,
      who: 'who.dispatcher',
      action: 'attention.show',
      href: href(`/milestone/${m.milestone_id}`),
    };
  });
  if (!more) return found;
  const rest: Attention = {
    id: 'late',
    tone: 'warn',
    what: t('attention.moreLate', { n: more }),
    detail: '',
    since: null,
    who: 'who.dispatcher',
    action: 'attention.show',
    href: href('/milestone'),
  };
  return [...found, rest];
}

export const host = (url: string) => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};

function ofWebhooks({ webhooks }: Facts): Attention[] {
  return webhooks
    .filter((w) => w.error_count > 0)
    .map((w) => ({
      id: `webhook ${w.id}`,
      tone: w.enabled ? 'warn' : 'bad',
      what: t(w.enabled ? 'attention.webhook' : 'attention.webhookPaused', { host: host(w.url) }),
      detail: sentence(w.last_error ?? ''),
      since: w.last_error_at,
      who: 'who.receiver',
      action: 'attention.repair',
      href: href(`/webhook/${w.id}`),
    }));
}

function ofDevices({ summary }: Facts): Attention[] {
  const silent = summary ? summary.devices.active - summary.devices.reporting_24h : 0;
  if (silent <= 0) return [];
  return [
    {
      id: 'silent',
      tone: 'warn',
      what: t('attention.silent', { n: silent }),
      detail: t('attention.silentText'),
      since: null,
      who: 'who.fleet',
      action: 'attention.show',
      href: href('/map', { state: 'silent' }),
    },
  ];
}

function ofTrips({ invalid }: Facts): Attention[] {
  if (!invalid || invalid.now <= invalid.before) return [];
  return [
    {
      id: 'invalid',
      tone: 'warn',
      what: t('attention.invalid', { n: invalid.now, before: invalid.before }),
      detail: t('attention.invalidText'),
      since: null,
      who: 'who.fleet',
      action: 'attention.show',
      href: href('/trip', { valid: 'no', period: '7d' }),
    },
  ];
}
