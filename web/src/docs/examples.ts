// The same call in each language that there is a client for, and with curl.
import { answerOf, bodyOf, type Entry, type Parameter, parametersIn, typeOf } from './document.ts';

export const languages = ['curl', 'Go', 'TypeScript', 'Python'] as const;
export type Language = (typeof languages)[number];

/** The example of an operation. Origin is the address of the service. */
export function example(language: Language, entry: Entry, origin: string): string {
  return { curl, Go: go, TypeScript: typescript, Python: python }[language](entry, origin);
}

/** The parameters that an operation cannot do without. */
const required = (entry: Entry) => parametersIn(entry, 'query').filter((p) => p.required);

/** A value for a parameter, in capitals where a caller has to fill it in. */
function sample(p: Parameter): string {
  const schema = p.schema ?? {};
  if (schema.enum?.[0] !== undefined) return String(schema.enum[0]);
  return schema.format === 'date-time' ? '2024-05-01T00:00:00Z' : p.name.toUpperCase();
}

function curl(entry: Entry, origin: string): string {
  const body = bodyOf(entry);
  const path = entry.path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const query = required(entry).map((p) => `${p.name}=${encodeURIComponent(sample(p))}`);
  const method = entry.method === 'GET' || (entry.method === 'POST' && body !== undefined) ? '' : ` -X ${entry.method}`;
  const lines = [
    `curl -s${answerOf(entry) === 'stream' ? 'N' : ''}${method} '${origin}${path}${query.length ? `?${query.join('&')}` : ''}'`,
  ];
  if (entry.operation.security?.length !== 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== undefined) lines.push(`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  if (answerOf(entry) === 'file') lines.push('-o FILE');
  return lines.join(' \\\n  ');
}

const initialisms = new Set([
  'abn',
  'api',
  'csv',
  'eta',
  'html',
  'http',
  'id',
  'json',
  'jsonl',
  'km',
  'kph',
  'ms',
  'url',
  'utc',
  'vin',
]);

/** The name that the Go client has for a name of the document. */
export function goName(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => {
      if (initialisms.has(word)) return word.toUpperCase();
      const one = word.replace(/s$/, '');
      return one !== word && initialisms.has(one)
        ? `${one.toUpperCase()}s`
        : word.slice(0, 1).toUpperCase() + word.slice(1);
    })
    .join('');
}

function go(entry: Entry, origin: string): string {
  const name = goName(entry.id);
  const how = answerOf(entry);
  const query = parametersIn(entry, 'query').filter((p) => !['format', 'last_event_id'].includes(p.name));
  const narrowed = how === 'pages' ? query.filter((p) => p.name !== 'cursor') : query;
  const args = ['ctx', ...parametersIn(entry, 'path').map((p) => JSON.stringify(p.name.toUpperCase()))];
  const lines = [`c := client.New(${JSON.stringify(origin)}, client.WithAPIKey(key))`];
  const body = bodyOf(entry);
  if (how === 'file') args.push('file');
  if (how === 'stream' && narrowed.length) args.push('client.FromNow');
  if (narrowed.length) {
    const values = narrowed.filter((p) => p.required).map((p) => `${goName(p.name)}: ${goValue(p)}`);
    args.push(`client.${name}Query{${values.join(', ')}}`);
  }
  if (body !== undefined) {
    const schema = Object.values(entry.operation.requestBody?.content ?? {})[0]?.schema;
    lines.push(`var body client.${typeOf(schema)} // or its fields one by one`);
    lines.push(`err := json.Unmarshal([]byte(\`${JSON.stringify(body)}\`), &body)`);
    args.push('body');
  }
  const call = `c.${name}(${args.join(', ')})`;
  if (how === 'pages' || how === 'stream') {
    lines.push(`for ${how === 'stream' ? 'event' : 'record'}, err := range ${call} {`, '\t…', '}');
  } else {
    const assign = body !== undefined && how === 'nothing' ? 'err =' : how === 'nothing' ? 'err :=' : 'answer, err :=';
    lines.push(`${assign} ${call}`);
  }
  return lines.join('\n');
}

function goValue(p: Parameter): string {
  return p.schema?.format === 'date-time' ? 'time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)' : JSON.stringify(sample(p));
}

function typescript(entry: Entry, origin: string): string {
  const lines = [`const drover = new Drover('${origin}', { apiKey });`];
  const path = parametersIn(entry, 'path').map((p) => `${p.name}: '${p.name.toUpperCase()}'`);
  const query = required(entry).map((p) => `${p.name}: '${sample(p)}'`);
  const how = answerOf(entry);
  if (entry.path === '/stream')
    return [...lines, 'for await (const event of drover.events()) {', '  …', '}'].join('\n');
  if (how === 'file') {
    const address = entry.path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
    return [...lines, `for await (const piece of drover.download('${address}')) {`, '  …', '}'].join('\n');
  }
  if (how === 'pages') query.push('cursor');
  const params = [
    ...(path.length ? [`path: { ${path.join(', ')} }`] : []),
    ...(query.length ? [`query: { ${query.join(', ')} }`] : []),
  ];
  const body = bodyOf(entry);
  const init = [
    ...(params.length ? [`params: { ${params.join(', ')} }`] : []),
    ...(body !== undefined ? [`body: ${JSON.stringify(body)}`] : []),
    ...(how === 'stream' ? [`parseAs: 'stream'`] : []),
  ];
  const call = `drover.api.${entry.method}('${entry.path}'${init.length ? `, { ${init.join(', ')} }` : ''})`;
  if (how === 'pages') lines.push(`for await (const record of list((cursor) => ${call})) {`, '  …', '}');
  else if (how === 'nothing' || how === 'stream') lines.push(`const { response } = await ${call};`);
  else lines.push(`const answer = await data(${call});`);
  return lines.join('\n');
}

/** The name that the Python client has for an operation. */
export function pythonName(id: string): string {
  return id
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])(?!$)/g, '$1_$2')
    .toLowerCase();
}

function python(entry: Entry, origin: string): string {
  const how = answerOf(entry);
  const args = parametersIn(entry, 'path').map((p) => `"${p.name.toUpperCase()}"`);
  const body = bodyOf(entry);
  if (body !== undefined) args.push(pythonValue(body));
  if (how === 'file') args.push('file');
  args.push(...required(entry).map((p) => `${p.name === 'from' ? 'from_' : p.name}="${sample(p)}"`));
  const call = `client.${pythonName(entry.id)}(${args.join(', ')})`;
  const lines = [`client = Client("${origin}", api_key=key)`];
  if (how === 'pages' || how === 'stream')
    lines.push(`for ${how === 'stream' ? 'event' : 'record'} in ${call}:`, '    …');
  else lines.push(how === 'nothing' || how === 'file' ? call : `answer = ${call}`);
  return lines.join('\n');
}

/** A value as Python writes it. */
export function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)}: ${pythonValue(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}
