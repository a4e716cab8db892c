// A refusal of the API, with what a person needs to act on it.

export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string;
  /** Where in the request the fault lies, such as ["body", "url"]. */
  readonly loc: (string | number)[];
  /** Seconds until it makes sense to try again, where the service said so. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    o: { requestId?: string; loc?: (string | number)[]; retryAfter?: number } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.requestId = o.requestId ?? '';
    this.loc = o.loc ?? [];
    this.retryAfter = o.retryAfter;
  }
}

/** The fault of one field of a form, where the error is about it. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError) || !error.loc.includes(field)) return undefined;
  return error.message;
}

/** The service could not be reached at all. */
export class OfflineError extends Error {
  constructor() {
    super('offline');
    this.name = 'OfflineError';
  }
}

export function toApiError(response: Response, body: unknown): ApiError {
  const error = (body as { error?: { message?: string; msg?: string; loc?: (string | number)[] } } | undefined)?.error;
  const wait = Number(response.headers.get('Retry-After'));
  return new ApiError(response.status, error?.msg ?? error?.message ?? response.statusText, {
    requestId: response.headers.get('X-Request-Id') ?? '',
    loc: error?.loc ?? [],
    retryAfter: Number.isFinite(wait) && wait > 0 ? wait : undefined,
  });
}
