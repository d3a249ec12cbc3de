import { setTimeout as delay } from "node:timers/promises";
import { elapsed } from "../base/elapsed.ts";
import { AgentError, type ErrorCode } from "../base/error.ts";
import { LONGEST_DELAY_MS } from "../base/longest-delay.ts";
import type { Msg } from "../message/types.ts";
import { newId } from "../message/new-id.ts";
import { backoffMs } from "../model/execution.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import { expiredReply, limitError, withinLimits, type Limit, type OnBegin } from "./call-limits.ts";
import { checkCallOptions } from "./check-arguments.ts";
import type { AgentConfig } from "./agent-config.ts";
import type { CallOptions, Reply, RetryOptions } from "./types.ts";

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

type Options = Pick<CallOptions<undefined, never>, "fallbackReply"> & RetryOptions;

/** The options of a stream. Throws `config/invalid` for those of a call that is tried again: its events would be those of several turns. */
export function unretried<S>(options: CallOptions<S, never> & RetryOptions): CallOptions<S, never> {
  if (options?.retries === undefined) return options;
  checkCallOptions(options);
  throw new AgentError("config/invalid", "stream: `retries` is an option of call(); expected none.");
}

/** The options of a call whose attempts are one input: with a key, if there is an input. */
function withKey<S>(
  messages: readonly Msg[],
  options: CallOptions<S, never> & RetryOptions,
  makeId: () => string = newId,
): CallOptions<S, never> {
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
  options: CallOptions<S, never> & RetryOptions,
  settings: Settings,
  { sessionOptions }: Pick<AgentConfig<never>, "sessionOptions">,
  run: (options: CallOptions<S, never>, begin: OnBegin) => Promise<Reply<O>>,
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
  const over = new AbortController();
  const ended = Promise.withResolvers<Limit>();
  try {
    onBegin(ended.resolve);
  } catch (error) {
    return AgentError.is(error) && error.code === "run/timeout" ? "timeout" : "signal";
  }
  const waited = delay(Math.min(ms, LONGEST_DELAY_MS), undefined, { signal: over.signal }).catch(
    () => undefined,
  );
  const endedBy = await Promise.race([waited, ended.promise]);
  over.abort();
  return endedBy;
}
