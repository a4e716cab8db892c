// A thin layer between query-core and runes: what is asked for, its data, and whether it
// is still on its way. Old data stays on the screen while new is loaded.
import {
  InfiniteQueryObserver,
  keepPreviousData,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverResult,
} from '@tanstack/query-core';
import type { Page } from './client.ts';
import { ApiError } from './errors.ts';

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
      retryDelay: (count) => 500 * 2 ** count,
      placeholderData: keepPreviousData,
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
  },
});

export interface Ask<T> {
  key: QueryKey;
  load: () => Promise<T>;
  /** Milliseconds after which it is loaded again while it is on the screen. */
  every?: number;
  enabled?: boolean;
  /** Whether data of another key may be shown meanwhile. */
  keep?: boolean;
}

function options<T>(ask: Ask<T>) {
  return {
    queryKey: ask.key,
    queryFn: ask.load,
    enabled: ask.enabled ?? true,
    refetchInterval: ask.every ?? (false as const),
    ...(ask.keep === false ? { placeholderData: undefined } : {}),
  };
}

/** Asks for data as long as the component lives. */
export function query<T>(ask: () => Ask<T>) {
  const observer = new QueryObserver<T>(client, options(ask()) as never);
  let result = $state.raw<QueryObserverResult<T>>(observer.getCurrentResult());
  $effect.pre(() => {
    observer.setOptions(options(ask()) as never);
    result = observer.getCurrentResult();
  });
  $effect(() =>
    observer.subscribe((next) => {
      result = next;
    }),
  );
  return {
    get data() {
      return result.data;
    },
    get error() {
      return result.data === undefined || result.isPlaceholderData ? result.error : null;
    },
    /** Nothing is there yet. */
    get loading() {
      return result.isPending;
    },
    /** What is shown belongs to another question, while the answer is on its way. */
    get stale() {
      return result.isPlaceholderData;
    },
    get updatedAt() {
      return result.dataUpdatedAt;
    },
    reload: () => observer.refetch(),
  };
}

export interface AskPages<T> {
  key: QueryKey;
  load: (cursor: string | undefined) => Promise<Page<T>>;
  every?: number;
  enabled?: boolean;
}

/** Asks for a list page by page. */
export function pages<T>(ask: () => AskPages<T>) {
  const make = () => {
    const a = ask();
    return {
      queryKey: a.key,
      queryFn: ({ pageParam }: { pageParam: unknown }) => a.load(pageParam as string | undefined),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (last: Page<T>) => last.next,
      enabled: a.enabled ?? true,
      refetchInterval: a.every ?? (false as const),
    };
  };
  const observer = new InfiniteQueryObserver(client, make() as never);
  let result = $state.raw(observer.getCurrentResult());
  $effect.pre(() => {
    observer.setOptions(make() as never);
    result = observer.getCurrentResult();
  });
  $effect(() =>
    observer.subscribe((next) => {
      result = next;
    }),
  );
  const items = $derived((result.data as { pages: Page<T>[] } | undefined)?.pages.flatMap((p) => p.items) ?? []);
  return {
    get items(): T[] {
      return items;
    },
    get error() {
      return result.data === undefined ? result.error : null;
    },
    get loading() {
      return result.isPending;
    },
    get stale() {
      return result.isPlaceholderData;
    },
    get hasMore() {
      return result.hasNextPage;
    },
    get loadingMore() {
      return result.isFetchingNextPage;
    },
    more: () => observer.fetchNextPage(),
    reload: () => observer.refetch(),
  };
}

/** Makes everything that begins with this key be loaded again. */
export const changed = (...key: string[]) => client.invalidateQueries({ queryKey: key });
