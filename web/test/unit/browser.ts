// As much of a browser as modules want to see when they are loaded outside of one.
import { vi } from 'vitest';

/** Makes the globals of a page at an address; history moves its location. */
export function browser(at = 'http://localhost/console/', language = 'en-GB'): void {
  const listeners = new Map<string, (event: unknown) => void>();
  const move = (to: string) => {
    const next = new URL(to, 'http://localhost');
    Object.assign(window.location, {
      pathname: next.pathname,
      search: next.search,
      origin: next.origin,
      host: next.host,
      protocol: next.protocol,
    });
  };
  const window = {
    location: {} as Location,
    scrollTo: () => undefined,
    addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
    removeEventListener: (name: string) => listeners.delete(name),
  };
  move(at);
  vi.stubGlobal('window', window);
  vi.stubGlobal('history', {
    pushState: (_: null, __: string, to: string) => move(to),
    replaceState: (_: null, __: string, to: string) => move(to),
  });
  vi.stubGlobal('document', {
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    hidden: false,
    documentElement: { dataset: {}, lang: '' },
  });
  vi.stubGlobal('navigator', { language, languages: [language] });
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
  vi.stubGlobal('fetch', async () => new Response('', { status: 404 }));
}
