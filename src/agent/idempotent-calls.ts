import type { AgentError } from "../base/error.ts";
import { isRefused } from "../session/entries.ts";
import type { InputOutcome } from "../session/input-outcome.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { Reply } from "./types.ts";

/** How many idempotency keys are kept in this process. A store keeps all. */
const MAX_KEYS = 1_000;

type Failure = { readonly error: AgentError; readonly settled: number };

/** Sets a key, and deletes the oldest one if there are too many. */
function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size > MAX_KEYS) map.delete(map.keys().next().value!);
}

/** The calls of this process that have an idempotency key. */
export class IdempotentCalls {
  readonly #calls = new Map<string, Promise<unknown>>();
  readonly #failures = new Map<string, Failure>();

  /** Returns the reply of the call with this key, and starts one if there is none. `onJoin` is called if there is one already. */
  once<O>(key: string, onJoin: () => void, start: () => Promise<Reply<O>>): Promise<Reply<O>> {
    const known = this.#calls.get(key) as Promise<Reply<O>> | undefined;
    if (known) {
      onJoin();
      return known;
    }
    const reply = start();
    setBounded(this.#calls, key, reply);
    reply.catch(() => this.#calls.delete(key));
    return reply;
  }

  /** Keeps the error of a failed call, if its input was accepted. */
  recordFailure(key: string, error: AgentError, { outcome, failure, progress }: AgentContext): void {
    const hasEnded = outcome?.reason === "ERROR" || outcome?.reason === "INTERRUPTED";
    const isOwn = failure ? failure.message === error.message : outcome?.reason === "INTERRUPTED";
    if (hasEnded && isOwn && !isRefused({ outcome, failure }))
      setBounded(this.#failures, key, { error, settled: progress.settled });
  }

  /** Returns the outcome of a call that failed in this process; undefined if none did. Its turn can go on only if it failed and
   *  nothing has happened since (`isLast`). */
  failureOf(key: string, { outcome, progress }: AgentContext): InputOutcome | undefined {
    const found = this.#failures.get(key);
    if (!found) return undefined;
    const isLast = outcome?.reason === "ERROR" && progress.settled === found.settled;
    return { error: found.error, isLast };
  }
}
