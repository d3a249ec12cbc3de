import { delayOf, elapsed, LONGEST_DELAY_MS } from "../core/base/time.ts";
import { AgentError, configError, type ErrorCode, errorFrom } from "../core/base/error.ts";
import { assistantMsg, newId } from "../core/message/msg.ts";
import type { AnyCallOptions, Reply, RetryOptions } from "./types.ts";
import type { Msg } from "../core/message/types.ts";
import { backoffMs } from "../core/model/execution.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import { checkCallOptions } from "./options/call-schema.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";

type Limits = Pick<AnyCallOptions, "signal" | "timeoutMs" | "fallbackReply">;
/** The limit that ends a call from outside. */
export type Limit = "signal" | "timeout";

/** Called when the turn of a call begins, with what interrupts that turn and no other; with undefined once there is nothing to interrupt.
 *  If it throws, the call has not begun. */
export type OnBegin = (interrupt: ((cause: Limit) => void) | undefined) => void;

/** The time beyond its time-out and the grace period of the interrupt that a call may wait for the store, ms. */
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
      late ??= setTimeout(() => reject(limitError(cause)), delayOf(interruptGraceMs + SAVING_MS));
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

/** With these a turn has failed, and may succeed if it goes on; others say what is wrong with the call, or with the agent. */
const AREAS: readonly string[] = ["model", "tool", "hook", "output"];
/** With these it would fail again. */
const FINAL: readonly ErrorCode[] = [
  "model/auth",
  "model/bad-request",
  "model/context-length",
  "model/content-filter",
  "hook/bad-return",
  "hook/goto-limit",
];

function mayGoOn(error: unknown): error is AgentError {
  return AgentError.is(error) && AREAS.includes(error.code.split("/")[0]!) && !FINAL.includes(error.code);
}

type Options = Pick<AnyCallOptions, "fallbackReply"> & RetryOptions;

/** The options of a stream. Throws `config/invalid` for those of a call that is tried again: its events would be those of several turns. */
export function unretried<S>(options: AnyCallOptions<S> & RetryOptions): AnyCallOptions<S> {
  if (options?.retries === undefined) return options;
  checkCallOptions(options);
  throw configError("stream: `retries` is an option of call(); expected none.");
}

/** The options of a call whose attempts are one input: with a key, if there is an input. */
function withKey<S>(
  messages: readonly Msg[],
  options: AnyCallOptions<S> & RetryOptions,
  makeId: () => string = newId,
): AnyCallOptions<S> {
  if (!options.retries) return options;
  const isNew = options.idempotencyKey === undefined && messages.length > 0;
  return isNew ? { ...options, idempotencyKey: makeId() } : options;
}

/**
 * Makes a call within its signal and its time-out, and goes on with its turn as often as that fails, up to `retries` times. What ends
 * the call ends the waiting in between too: then it rejects with the error of that end, or has the fallback reply if its time is over.
 * `run` makes one attempt, with the options that all attempts have, and calls `begin` when the turn begins.
 */
export function limitedCall<S, O>(
  messages: readonly Msg[],
  options: AnyCallOptions<S> & RetryOptions,
  settings: Settings,
  { sessionOptions }: Pick<AnyAgentConfig, "sessionOptions">,
  run: (options: AnyCallOptions<S>, begin: OnBegin) => Promise<Reply<O>>,
): Promise<Reply<O>> {
  const keyed = withKey(messages, options, sessionOptions?.newId);
  return withinLimits(options, settings.interruptGraceMs, (begin) => {
    const attempt = (): Promise<Reply<O>> => run(keyed, begin);
    return options.retries ? retried(options, settings, begin, attempt) : attempt();
  });
}

async function retried<O>(
  { retries = 0, fallbackReply }: Options,
  { model, sessionId }: Pick<Settings, "model" | "sessionId">,
  onBegin: OnBegin,
  run: () => Promise<Reply<O>>,
): Promise<Reply<O>> {
  const since = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt > retries || !mayGoOn(error)) throw error;
      const untilRetry = (error.retryAt ?? 0) - Date.now();
      const endedBy = await pause(Math.max(backoffMs(model, attempt, sessionId), untilRetry), onBegin);
      if (endedBy === "timeout" && fallbackReply !== undefined)
        return expiredReply(fallbackReply, elapsed(since, Date.now()));
      if (endedBy) throw limitError(endedBy);
    }
  }
}

/** Waits. Returns what has ended the call meanwhile; undefined if nothing has. */
async function pause(ms: number, onBegin: OnBegin): Promise<Limit | undefined> {
  const ended = Promise.withResolvers<Limit | undefined>();
  const timer = setTimeout(() => ended.resolve(undefined), Math.min(ms, LONGEST_DELAY_MS));
  try {
    onBegin(ended.resolve);
    const endedBy = await ended.promise;
    if (!endedBy) onBegin(undefined);
    return endedBy;
  } catch (error) {
    return AgentError.is(error) && error.code === "run/timeout" ? "timeout" : "signal";
  } finally {
    clearTimeout(timer);
  }
}

type Site = { readonly stack?: string };

/**
 * Turns what an async function throws next into the error of those who await it. This is the same error with their frames as its stack, and
 * what was thrown as its cause. Costs nothing if nothing fails; so, as with the promises of Node itself, functions that return the promise
 * and do not await it have no frame.
 */
export function errorOfWaiter(thrown: unknown): unknown {
  if (!AgentError.is(thrown)) return thrown;
  const site: Site = {};
  Error.captureStackTrace?.(site, errorOfWaiter);
  return errorAt(site, thrown);
}

/**
 * Remembers where `method` is called. Returns a function that turns what it fails with later, in another tick, into the error of its
 * caller, as {@link errorOfWaiter} does. For a promise that has a handler of its own: V8 finds who awaits one only if nobody else waits.
 */
export function callerOf(method: Function): (thrown: unknown) => unknown {
  const site: Site = {};
  Error.captureStackTrace?.(site, method);
  return (thrown) => (AgentError.is(thrown) ? errorAt(site, thrown) : thrown);
}

function errorAt(site: Site, thrown: AgentError): AgentError {
  const error = errorFrom(thrown.toJSON(), thrown);
  const [, ...frames] = site.stack?.split("\n") ?? [];
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
}
