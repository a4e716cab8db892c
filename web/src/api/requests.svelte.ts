// The calls that filled the present screen, so that each can be shown and copied: the
// console teaches the API that it is made of.

export interface Call {
  method: string;
  path: string;
  body: string | undefined;
}

const limit = 20;
const calls = $state<{ list: Call[] }>({ list: [] });

export const requests = () => calls.list;

/** Forgets the calls of the screen before. */
export function forget(): void {
  calls.list = [];
}

export function note(request: Request): void {
  const url = new URL(request.url);
  const call: Call = { method: request.method, path: url.pathname + url.search, body: undefined };
  if (call.path === '/session' || call.path === '/token') return;
  if (request.body) {
    void request
      .clone()
      .text()
      .then((text) => add({ ...call, body: text }));
  } else add(call);
}

function add(call: Call): void {
  const others = calls.list.filter((c) => c.method !== call.method || c.path !== call.path || c.body !== call.body);
  calls.list = [call, ...others].slice(0, limit);
}

const origin = () => window.location.origin;

/** A call for the command line. The token is left to the reader's shell. */
export function asCurl(call: Call): string {
  const method = call.method === 'GET' ? '' : ` -X ${call.method}`;
  const body = call.body ? ` \\\n  --json '${call.body.replaceAll("'", "'\\''")}'` : '';
  return `curl -s${method} '${origin()}${call.path}' \\\n  -H "Authorization: Bearer $TOKEN"${body}`;
}

export function asTypeScript(call: Call): string {
  const options = [
    ...(call.method === 'GET' ? [] : [`  method: '${call.method}',`]),
    `  headers: { Authorization: \`Bearer \${token}\`${call.body ? ", 'Content-Type': 'application/json'" : ''} },`,
    ...(call.body ? [`  body: JSON.stringify(${call.body}),`] : []),
  ];
  return `const answer = await fetch('${origin()}${call.path}', {\n${options.join('\n')}\n});\nconst { data } = await answer.json();`;
}

export function asGo(call: Call): string {
  const body = call.body ? `strings.NewReader(\`${call.body}\`)` : 'nil';
  return `req, err := http.NewRequestWithContext(ctx, "${call.method}", "${origin()}${call.path}", ${body})\nif err != nil {\n\treturn err\n}\nreq.Header.Set("Authorization", "Bearer "+token)\n${call.body ? 'req.Header.Set("Content-Type", "application/json")\n' : ''}resp, err := http.DefaultClient.Do(req)`;
}
