// Records for the palette: by a part of their name, or by an id that was pasted.
import { search } from '../api/queries.ts';
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
  milestone: 'milestones',
  trip: 'trips',
  webhook: 'webhooks',
};

/** find looks for records by what the service searches. */
export async function find(q: string): Promise<Found[]> {
  const found = await search(q).catch(() => []);
  return found.flatMap(({ id, kind, name, detail }) => {
    const icon = icons[kind];
    return icon
      ? [
          {
            path: `/${kind}/${id}`,
            label: name ?? id.slice(-12),
            detail: kind === 'connection' ? providerName(detail ?? '') : (detail ?? ''),
            icon,
          },
        ]
      : [];
  });
}
