import { LONGEST_DELAY_MS } from "../core/base/time.ts";

/** Resolves with true when `work` has ended, and with false after `ms`. Rejects as `work` does in the meantime. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  if (ms > LONGEST_DELAY_MS) return work.then(() => true);
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
