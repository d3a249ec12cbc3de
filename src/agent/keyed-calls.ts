import type { AgentError } from "../base/error.ts";
import { isRefused } from "../session/entries.ts";
import type { InputOutcome } from "../session/input-outcome.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { Reply } from "./types.ts";

/** Idempotency keys that are kept in this process; the store knows them all. */
const KEYS_REMEMBERED = 1_000;

type Failure = { readonly error: AgentError; readonly settled: number };

/** A map that forgets its oldest key when it has too many. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size > KEYS_REMEMBERED) map.delete(map.keys().next().value!);
}

/** The calls of this process by their idempotency key. */
export class KeyedCalls {
  readonly #calls = new Map<string, Promise<unknown>>();
  readonly #failures = new Map<string, Failure>();

  /** One call for each key: who asks again while it runs, or later, gets the same reply. `joins` is told if it runs or ran
   *  already. */
  once<O>(key: string, joins: () => void, start: () => Promise<Reply<O>>): Promise<Reply<O>> {
    const known = this.#calls.get(key) as Promise<Reply<O>> | undefined;
    if (known) {
      joins();
      return known;
    }
    const reply = start();
    remember(this.#calls, key, reply);
    reply.catch(() => this.#calls.delete(key));
    return reply;
  }

  /** The call of this key has failed. If its input was taken, that is kept in mind. */
  failed(key: string, error: AgentError, { outcome, failure, progress }: AgentContext): void {
    const hasEnded = outcome?.reason === "ERROR" || outcome?.reason === "INTERRUPTED";
    const isOwn = failure ? failure.message === error.message : outcome?.reason === "INTERRUPTED";
    if (hasEnded && isOwn && !isRefused({ outcome, failure }))
      remember(this.#failures, key, { error, settled: progress.settled });
  }

  /** What became of a call that failed here. Only a failed turn goes on, and only if nothing has happened since. */
  failure(key: string, { outcome, progress }: AgentContext): InputOutcome | undefined {
    const found = this.#failures.get(key);
    if (!found) return undefined;
    const isLast = outcome?.reason === "ERROR" && progress.settled === found.settled;
    return { error: found.error, isLast };
  }
}
