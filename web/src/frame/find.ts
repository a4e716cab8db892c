// Records for the palette: by a part of their name, or by an id that was pasted.
import { providers, search } from '../api/queries.ts';
import { client } from '../api/query.svelte.ts';
import { providerName } from '../lib/names.ts';
import type { IconName } from '../ui/icons.ts';

/** Found is a record with the path of its page. */
export interface Found {
  path: string;
  label: string;
  detail: string;
  icon: IconName;
}

const icons: Record<string, IconName> = {
  device: 'truck',
  connection: 'connections',
  driver: 'user',
  milestone: 'milestones',
  trip: 'trips',
  webhook: 'webhooks',
};

// Asked for once: none come while the console is open.
const named = () => {
  const { key: queryKey, load: queryFn } = providers();
  return client.fetchQuery({ queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY }).catch(() => undefined);
};

/** find looks for records by what the service searches. */
export async function find(q: string): Promise<Found[]> {
  const [found, known] = await Promise.all([search(q).catch(() => []), named()]);
  return found.flatMap(({ id, kind, name, detail }) => {
    const icon = icons[kind];
    return icon
      ? [
          {
            path: `/${kind}/${id}`,
            label: name ?? id.slice(-12),
            detail: kind === 'connection' ? providerName(detail ?? '', known) : (detail ?? ''),
            icon,
          },
        ]
      : [];
  });
}
