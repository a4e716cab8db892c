// Waiting for a connection that was lost: longer after each failure, and no longer at
// all once the browser says that it is back on the network.

const firstWait = 1000; // milliseconds
const longestWait = 15_000;

/** pause waits; it ends early when the browser is back on the network or the signal says so. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}

/** waitAfter is how long to wait after so many failures in a row. */
export const waitAfter = (failures: number) => Math.min(firstWait * 2 ** (failures - 1), longestWait);

/** steady does something until it succeeds, for as long as the signal is not aborted. */
export async function steady<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await action();
    } catch (error) {
      if (signal?.aborted) throw error;
      await pause(waitAfter(failures), signal);
      if (signal?.aborted) throw error;
    }
  }
}
