import type { webhooks } from './schema.js';

/** By how many seconds a delivery's time may differ from now: an old one may have been recorded and sent again by anyone. */
const tolerance = 300;

/** The headers of a delivery, as a server has them. */
type DeliveryHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Checks that a delivery was signed with the webhook's secret and is of now, as Standard
 * Webhooks 1.0 has it. Body is the request's, to the byte. What is wrong is thrown.
 */
export async function verify(
  secret: string,
  headers: DeliveryHeaders,
  body: Uint8Array | string,
  now: number = Date.now() / 1000,
): Promise<void> {
  const header = (name: string) => read(headers, name);
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw new Error('the secret is not one of a webhook: whsec_ and base64');
  const key = await crypto.subtle.importKey('raw', bytes(secret.slice('whsec_'.length)), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const stamp = header('webhook-timestamp');
  if (!/^\d+$/.test(stamp) || Math.abs(now - Number(stamp)) > tolerance) {
    throw new Error('the delivery has no time, or one that is too far from now');
  }
  const text = new TextEncoder();
  const before = text.encode(`${header('webhook-id')}.${stamp}.`);
  const content = typeof body === 'string' ? text.encode(body) : body;
  const signed = new Uint8Array(before.length + content.length);
  signed.set(before);
  signed.set(content, before.length);
  for (const signature of header('webhook-signature').split(' ')) {
    if (!/^v1,[A-Za-z0-9+/]+=*$/.test(signature)) continue;
    if (await crypto.subtle.verify('HMAC', key, bytes(signature.slice('v1,'.length)), signed)) return;
  }
  throw new Error('the delivery is not signed with the secret');
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

function read(headers: DeliveryHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (Array.isArray(found) ? found[0] : found) ?? '';
}

/** The body of a delivery by its type: a switch over type says what data is. */
type Body = { [T in keyof webhooks]: webhooks[T]['post']['requestBody']['content']['application/json'] }[keyof webhooks];

/** What a webhook receives. Its id is the same for every attempt, so a receiver that keeps it handles a delivery once. */
export type Delivery = Body & { id: string };

/** Verifies a delivery, as verify does, and reads it. */
export async function parseDelivery(
  secret: string,
  headers: DeliveryHeaders,
  body: Uint8Array | string,
  now: number = Date.now() / 1000,
): Promise<Delivery> {
  await verify(secret, headers, body, now);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return { ...(JSON.parse(text) as Body), id: read(headers, 'webhook-id') };
}
