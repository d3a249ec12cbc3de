import { elapsed } from "../base/elapsed.ts";
import { AgentError } from "../base/error.ts";
import { LONGEST_DELAY_MS } from "../base/longest-delay.ts";
import { assistantMsg } from "../message/create.ts";
import type { CallOptions, Reply } from "./types.ts";

type Limits = Pick<CallOptions<undefined, never>, "signal" | "timeoutMs" | "fallbackReply">;
/** What ends a call from outside. */
export type Limit = "signal" | "timeout";

/** Called when the turn of a call begins, with what interrupts that turn and no other. If it throws, the call has not begun. */
export type OnBegin = (interrupt: (cause: Limit) => void) => void;

/** How much longer than its time-out and the grace period of the interrupt a call may wait for the store, ms. */
const SAVING_MS = 1_000;

/** The error of a call that its signal or its time-out ended. */
export function limitError(cause: Limit): AgentError {
  return cause === "signal"
    ? new AgentError("run/aborted", "The call was aborted by its signal.")
    : new AgentError("run/timeout", "The call did not finish within its timeoutMs.");
}

/** Returns the reply of a call that timed out before it began. Nothing of it is stored. */
export function expiredReply<O>(text: string, durationMs: number): Reply<O> {
  return {
    ...assistantMsg(text, { metadata: { interrupted: true } }),
    reason: "INTERRUPTED",
    text,
    output: undefined as O,
    pending: [],
    sources: [],
    turn: { usage: {}, iterations: 0, modelCalls: 0, toolCalls: 0, durationMs },
  };
}

/** Calls `end` when the signal or the time-out of a call ends it, at once for a signal that has aborted already. Returns a function
 *  that stops both. */
function startLimits({ signal, timeoutMs }: Limits, end: (cause: Limit) => void): () => void {
  const abort = (): void => end("signal");
  if (signal?.aborted) abort();
  const isLimited = timeoutMs !== undefined && timeoutMs <= LONGEST_DELAY_MS;
  const timer = isLimited ? setTimeout(() => end("timeout"), Math.max(0, timeoutMs)) : undefined;
  signal?.addEventListener("abort", abort, { once: true });
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
}

/**
 * Makes a call within its signal and its time-out. `run` calls `onBegin` when its turn begins, which throws if the call has ended.
 * A call that has not begun ends at once; a turn that runs is interrupted, and its call ends when it has come to rest and is
 * saved, or after the grace period and one second more, whatever the store does.
 */
export async function withinLimits<O>(
  limits: Limits,
  interruptGraceMs: number,
  run: (onBegin: OnBegin) => Promise<Reply<O>>,
): Promise<Reply<O>> {
  const { timeoutMs, signal, fallbackReply } = limits;
  if (timeoutMs === undefined && signal === undefined) return run(() => {});
  const { promise: early, resolve, reject } = Promise.withResolvers<Reply<O>>();
  const since = Date.now();
  let interrupt: ((cause: Limit) => void) | undefined;
  let endedBy: Limit | undefined;
  let late: NodeJS.Timeout | undefined;
  const stop = startLimits(limits, (cause) => {
    if (interrupt) {
      endedBy ??= cause; // the call does not begin another turn
      interrupt(cause);
      late ??= setTimeout(() => reject(limitError(cause)), interruptGraceMs + SAVING_MS);
      return;
    }
    endedBy ??= cause;
    if (cause === "signal" || fallbackReply === undefined) reject(limitError(cause));
    else resolve(expiredReply(fallbackReply, elapsed(since, Date.now())));
  });
  const onBegin: OnBegin = (interruptTurn) => {
    if (endedBy) throw limitError(endedBy);
    interrupt = interruptTurn;
  };
  try {
    return await Promise.race([run(onBegin), early]);
  } finally {
    stop();
    clearTimeout(late);
  }
}
