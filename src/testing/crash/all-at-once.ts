import { AgentError } from "../../core/base/error.ts";

/** The number of works at once, and the signal that aborts them. */
type Limits = { readonly concurrency: number; readonly signal?: AbortSignal | undefined };

/**
 * Does a work for each item, up to `concurrency` at once, and waits for all that has begun. After a failure or an abort nothing begins.
 * Rejects with the first failure, and after an abort with `run/aborted`, which says how many were done.
 */
export async function allAtOnce<T>(
  what: string,
  items: readonly T[],
  { concurrency, signal }: Limits,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      signal?.throwIfAborted();
      const index = next++;
      await work(items[index]!, index);
      done++;
    }
  };
  const ended = await Promise.allSettled(
    Array.from({ length: Math.min(concurrency, items.length) }, () =>
      lane().catch((error: unknown) => {
        next = items.length;
        throw error;
      }),
    ),
  );
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status !== "rejected") return;
  if (!signal?.aborted) throw failed.reason;
  const message = `${what} was aborted after ${done} of ${items.length} runs.`;
  throw new AgentError("run/aborted", message, { cause: failed.reason });
}
