// Calls that are made from the reference, with the session of the console.
import { type Entry, parametersIn } from './document.ts';

/** The request for what was filled in: values are by place and name, such as query.limit. */
export function request(entry: Entry, values: Record<string, string>, body: string, origin: string): Request {
  const value = (place: string, name: string) => (values[`${place}.${name}`] ?? '').trim();
  const url = new URL(
    entry.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value('path', name))),
    origin,
  );
  for (const p of parametersIn(entry, 'query')) {
    const given = value('query', p.name);
    // A parameter that may be repeated takes several values, separated by commas.
    const list = p.schema?.type === 'array' ? given.split(',').map((one) => one.trim()) : [given];
    for (const one of list) if (one !== '') url.searchParams.append(p.name, one);
  }
  const sends = entry.operation.requestBody !== undefined && body.trim() !== '';
  return new Request(url, {
    method: entry.method,
    ...(sends ? { body, headers: { 'Content-Type': 'application/json' } } : {}),
  });
}

export interface Shown {
  status: string;
  text: string;
}

const most = 100_000;

/** An answer as it is shown: JSON over several lines, and no more than a page of it. */
export async function show(response: Response): Promise<Shown> {
  const status = `${response.status} ${response.statusText}`.trim();
  let text = await response.text();
  if (response.headers.get('Content-Type')?.startsWith('application/json') && text !== '') {
    text = JSON.stringify(JSON.parse(text), null, 2);
  }
  return { status, text: text.length > most ? `${text.slice(0, most)}\n…` : text };
}
