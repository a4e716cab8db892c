// Passkeys: what the browser has a device make and sign. Bytes travel in base64url.
import type { Schema } from './client.ts';

/** Whether a browser gives this page passkeys: not at an address without a name, nor without TLS. */
export const passkeysWork =
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:|^\[/.test(window.location.hostname);

const bytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

const text = (buffer: ArrayBuffer | null) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const named = (ids: string[]) => ids.map((id) => ({ type: 'public-key' as const, id: bytes(id) }));

/** Asks the person to make a passkey; throws where they do not. */
export async function makePasskey(c: Schema['PasskeyChallenge'], name: string): Promise<Schema['PasskeyInput']> {
  const made = (await navigator.credentials.create({
    publicKey: {
      challenge: bytes(c.challenge),
      rp: { id: c.rp_id, name: 'drover' },
      user: { id: bytes(c.user_handle ?? ''), name: c.user_name ?? '', displayName: c.user_name ?? '' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key' as const, alg })),
      excludeCredentials: named(c.credential_ids),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    },
  })) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  return {
    name,
    credential_id: text(made.rawId),
    client_data: text(response.clientDataJSON),
    authenticator_data: text(response.getAuthenticatorData()),
    public_key: text(response.getPublicKey()),
  };
}

/** Asks the person to show a passkey; throws where they do not. */
export async function showPasskey(c: Schema['PasskeyChallenge']): Promise<Schema['PasskeyProof']> {
  const shown = (await navigator.credentials.get({
    publicKey: {
      challenge: bytes(c.challenge),
      rpId: c.rp_id,
      allowCredentials: named(c.credential_ids),
      userVerification: 'required',
    },
  })) as PublicKeyCredential;
  const response = shown.response as AuthenticatorAssertionResponse;
  return {
    credential_id: text(shown.rawId),
    client_data: text(response.clientDataJSON),
    authenticator_data: text(response.authenticatorData),
    signature: text(response.signature),
    user_handle: text(response.userHandle),
  };
}

/** Whether the person did not go on, or the device has the passkey already. */
export const gaveUp = (error: unknown) => error instanceof DOMException;
