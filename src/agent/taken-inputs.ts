import { errorFrom } from "../base/error.ts";
import { isRefused } from "../../machines/agent/updates/settling.ts";
import { checkSameInput, type TakenInput } from "../session/input-outcome.ts";
import { inputTurnOf, type AgentContext } from "../../machines/agent/context.ts";
import type { Reply } from "./types.ts";

/** How many idempotency keys are kept in this process. A store keeps all. */
const MAX_KEYS = 1_000;

type RunningCall = { readonly hash: string; readonly reply: Promise<unknown> };

/** The inputs with an idempotency key that this process has taken, and the calls that run for them. */
export class TakenInputs {
  // Most sessions have no keys.
  #running: Map<string, RunningCall> | undefined;
  #taken: Map<string, TakenInput> | undefined;
  /** The key of the call whose turn runs. */
  #current: string | undefined;

  /** Returns the reply of the call that runs for this key, and starts one if there is none. `onJoin` is called if there is one. Throws
   *  `run/key-reused`. */
  join<O>(key: string, hash: string, onJoin: () => void, start: () => Promise<Reply<O>>): Promise<Reply<O>> {
    const running = (this.#running ??= new Map<string, RunningCall>());
    const known = running.get(key);
    if (known) {
      checkSameInput(key, known.hash, hash);
      onJoin();
      return known.reply as Promise<Reply<O>>;
    }
    const reply = start();
    running.set(key, { hash, reply });
    const end = (): void => void running.delete(key);
    reply.then(end, end);
    return reply;
  }

  /** The turn that begins takes an input without a key. */
  takeUnnamed(): void {
    this.#current = undefined;
  }

  /** The turn that begins takes the input with this key. */
  take(key: string, hash: string): void {
    this.#current = key;
    const taken = (this.#taken ??= new Map<string, TakenInput>());
    taken.delete(key);
    taken.set(key, { hash });
    if (taken.size > MAX_KEYS) taken.delete(taken.keys().next().value!);
  }

  /** A turn has come to rest: its inputs have a new outcome. */
  settled(context: AgentContext): void {
    const { outcome, failure } = context;
    const turn = inputTurnOf(context.progress);
    const key = this.#current;
    this.#current = undefined;
    const taken = this.#taken;
    if (outcome?.reason === "SHUTDOWN" || !taken) return;
    if (isRefused(context)) {
      if (key !== undefined) taken.delete(key);
      return;
    }
    const { retry: _, ...info } = failure ?? { code: undefined };
    const rest = { context, ...(info.code !== undefined && { error: errorFrom(info) }) };
    for (const [each, input] of taken)
      if (each === key || input.turn === turn) taken.set(each, { ...input, turn, rest });
  }

  /** Returns what became of an input; undefined if this process has not taken it. */
  find(key: string): TakenInput | undefined {
    return this.#taken?.get(key);
  }
}
