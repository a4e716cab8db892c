// The queries of the account: its settings, its people, what they did, and with whom it shares.
import { api, data, type Page, page, type Schema } from './client.ts';
import type { Ask, AskPages } from './query.svelte.ts';

export const accountSettings = (): Ask<Schema['AccountSettings']> => ({
  key: ['account', 'settings'],
  load: () => data(api.GET('/account/settings')),
});

export const brand = (): Ask<Schema['Brand']> => ({
  key: ['account', 'brand'],
  load: () => data(api.GET('/account/brand')),
});

export const secondFactor = (): Ask<Schema['SecondFactor']> => ({
  key: ['user', 'me', 'second-factor'],
  load: () => data(api.GET('/user/me/second-factor')),
});

export const factorRule = (): Ask<Schema['FactorRule']> => ({
  key: ['account', 'second-factor'],
  load: () => data(api.GET('/account/second-factor')),
});

export const singleSignOn = (): Ask<Schema['SingleSignOn']> => ({
  key: ['account', 'sso'],
  load: () => data(api.GET('/account/sso')),
});

export const accountStorage = (): Ask<Schema['AccountStorage']> => ({
  key: ['account', 'storage'],
  load: () => data(api.GET('/account/storage')),
});

export const accountLimits = (): Ask<Schema['AccountLimit'][]> => ({
  key: ['account', 'limits'],
  load: () => data(api.GET('/account/limits')),
});

export const users = (): Ask<Schema['User'][]> => ({
  key: ['user'],
  load: async () => (await page(api.GET('/user', { params: { query: { limit: 1000 } } }))).items,
});

export const sessions = (): Ask<Schema['UserSession'][]> => ({
  key: ['session', 'list'],
  load: () => data(api.GET('/user/me/session')),
});

export const apiKeys = (): Ask<Schema['APIKey'][]> => ({
  key: ['api-key'],
  load: async () => (await page(api.GET('/api-key', { params: { query: { limit: 1000 } } }))).items,
});

interface AuditFilter {
  outcome?: 'done' | 'refused';
  action?: string;
  from: string;
  to: string;
}

export const loadAudit = (
  filter: AuditFilter,
  cursor: string | undefined,
  limit: number,
): Promise<Page<Schema['Audit']>> => page(api.GET('/audit', { params: { query: { ...filter, cursor, limit } } }));

export const audit = (filter: AuditFilter): AskPages<Schema['Audit']> => ({
  key: ['audit', filter],
  load: (cursor) => loadAudit(filter, cursor, 100),
});

// Shares and invitations.

export const shares = (): Ask<Schema['Share'][]> => ({
  key: ['share', 'all'],
  load: async () => (await page(api.GET('/share', { params: { query: { limit: 1000 } } }))).items,
});

export const connectionShares = (id: string): Ask<Schema['Share'][]> => ({
  key: ['share', id],
  load: () => data(api.GET('/connection/{connection_id}/share', { params: { path: { connection_id: id } } })),
});

export const invitations = (): Ask<Schema['ConnectionLink'][]> => ({
  key: ['connection-link'],
  load: async () => (await page(api.GET('/connection-link', { params: { query: { limit: 1000 } } }))).items,
});

export const connectionSettings = (id: string): Ask<Schema['ConnectionSettings']> => ({
  key: ['connection', id, 'settings'],
  load: () => data(api.GET('/connection/{connection_id}/settings', { params: { path: { connection_id: id } } })),
});

/** The credentials of a connection, which are never kept. */
export const loadCredentials = (id: string) =>
  data(api.GET('/connection/{connection_id}/credentials', { params: { path: { connection_id: id } } }));
