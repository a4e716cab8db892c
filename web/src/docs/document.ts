// The OpenAPI document as far as the reference page reads it.

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema?: JsonSchema;
}

type Content = Record<string, { schema?: JsonSchema; example?: unknown }>;

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content; required?: boolean };
  responses: Record<string, { description?: string; content?: Content; headers?: Record<string, unknown> }>;
  security?: unknown[];
}

export interface OpenApi {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

export interface Entry {
  id: string;
  method: string;
  path: string;
  group: string;
  operation: Operation;
}

/** Every operation, in the order of the document. */
export function entries(document: OpenApi): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.operationId)
      .map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        group: operation.tags?.[0] ?? 'Other',
        operation,
      })),
  );
}

const nameOf = (ref: string) => ref.split('/').pop() ?? ref;

/** The schema that a reference leads to. */
export function resolve(document: OpenApi, schema: JsonSchema | undefined): JsonSchema | undefined {
  return schema?.$ref ? document.components.schemas[nameOf(schema.$ref)] : schema;
}

/** How an operation answers. */
export type Answer = 'nothing' | 'record' | 'list' | 'pages' | 'stream' | 'file';

export function answerOf(entry: Entry): Answer {
  const ok = entry.operation.responses['200'];
  const content = ok?.content ?? {};
  if (!ok) return 'nothing';
  if ('text/event-stream' in content) return 'stream';
  const data = content['application/json']?.schema?.properties?.data;
  if (!data) return 'file';
  if (![data.type, data.anyOf?.[0]?.type].flat().includes('array')) return 'record';
  return ok.headers && 'x-next-cursor' in ok.headers ? 'pages' : 'list';
}

/** The parameters of a place that a caller chooses: the headers that every operation takes are left out. */
export function parametersIn(entry: Entry, place: string): Parameter[] {
  return (entry.operation.parameters ?? []).filter((p) => p.in === place && p.name !== 'x-api-version');
}

/** The example of the body, undefined where there is none. */
export function bodyOf(entry: Entry): unknown {
  return Object.values(entry.operation.requestBody?.content ?? {})[0]?.example;
}

/** The schemas that a schema refers to, by their names. */
export function references(schema: JsonSchema | undefined): string[] {
  if (!schema) return [];
  const parts = [
    schema.items,
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...Object.values(schema.properties ?? {}),
  ];
  return [...new Set([...(schema.$ref ? [nameOf(schema.$ref)] : []), ...parts.flatMap(references)])];
}

/** A type in one line. */
export function typeOf(schema: JsonSchema | undefined): string {
  if (!schema) return 'any';
  if (schema.$ref) return nameOf(schema.$ref);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.map(typeOf).join(' | ');
  if (schema.enum)
    return schema.enum.length > 6
      ? `${typeOf({ ...schema, enum: undefined })} of ${schema.enum.length}`
      : schema.enum.map((e) => JSON.stringify(e)).join(' | ');
  const types = [schema.type ?? 'any'].flat();
  return (
    types.map((t) => (t === 'array' ? `${typeOf(schema.items)}[]` : t)).join(' | ') +
    (schema.format ? ` (${schema.format})` : '')
  );
}
