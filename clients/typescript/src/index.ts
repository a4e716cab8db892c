// Calls a drover service: with a login or an API key, page after page, again where that
// is safe, and along its live stream. The types of every operation and record come from
// the OpenAPI document.
export { type Change, type ChangePage, type Copied, Drover, type DroverOptions, type Tokens } from './drover.js';
export { data, list, Refusal } from './answer.js';
export { type EventsOptions } from './stream.js';
export { version } from './version.js';
export { type Delivery, parseDelivery, verify } from './webhook.js';
export type { components, paths, webhooks } from './schema.js';

import type { components } from './schema.js';

/** The records by their names in the reference, such as Schema['Trip']. */
export type Schema = components['schemas'];
