import { AgentError } from "../base/error.ts";
import type { Msg } from "../message/types.ts";
import { checkSameInput, inputHash, readTakenInput } from "../session/input-outcome.ts";
import type { SessionStore } from "../store/port.ts";
import type { OutputOf, Schema } from "../tool/types.ts";
import { inputTurnOf } from "../../machines/agent/context.ts";
import type { OnBegin } from "./call-limits.ts";
import type { TakenInputs } from "./taken-inputs.ts";
import type { Turns } from "./turns.ts";
import type { CallOptions, Reply } from "./types.ts";

type KeyedOptions<S extends Schema | undefined> = CallOptions<S, never> & { readonly idempotencyKey: string };

function noReply(): AgentError {
  return new AgentError("run/pending", "The turn of this idempotency key has no reply yet.");
}

/** The calls with an idempotency key: one input is taken once, in whatever process, and each call gets its final outcome. */
export class KeyedCalls {
  readonly #turns: Turns;
  readonly #inputs: TakenInputs;
  readonly #store: SessionStore | undefined;

  constructor(turns: Turns, inputs: TakenInputs, store: SessionStore | undefined) {
    this.#turns = turns;
    this.#inputs = inputs;
    this.#store = store;
  }

  /** Makes the call, or returns the reply of the one that had this key. `onJoin` is called if that one still runs. Throws
   *  `run/key-reused` for another input. */
  call<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: KeyedOptions<S>,
    onJoin: () => void,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>> {
    const { idempotencyKey: key } = options;
    return this.#inputs.join(key, inputHash(messages), onJoin, async () => {
      const claimed = this.#inputs.find(key)
        ? undefined
        : await this.#turns.runtime.journal.claim(key, messages);
      return claimed
        ? this.#turns.start(claimed, options, onBegin)
        : this.#repeat(messages, options, onBegin);
    });
  }

  /** The input with this key was taken before: goes on with its turn if that can go on without further input, else returns how it
   *  came to rest. An input that was refused is taken now. */
  async #repeat<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: KeyedOptions<S>,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>> {
    const { runtime } = this.#turns;
    await runtime.journal.saved(); // the end of its turn may not be stored yet
    const { idempotencyKey: key, ...rest } = options;
    const input =
      this.#inputs.find(key) ?? (this.#store && (await readTakenInput(this.#store, runtime.settings, key)));
    if (!input) throw noReply();
    checkSameInput(key, input.hash, inputHash(messages));
    if (input.isRefused) return this.#turns.start(messages, options, onBegin);
    const isCurrent = input.turn === undefined || input.turn === inputTurnOf(runtime.context.progress);
    const hasFailed = input.rest?.error !== undefined;
    if (isCurrent && (hasFailed || runtime.status().phase === "unfinished"))
      return this.#turns.start([], rest, onBegin);
    if (!input.rest) throw noReply();
    if (input.rest.error) throw input.rest.error;
    const { context } = isCurrent ? runtime : input.rest;
    return this.#turns.repeatReply(context.outcome ? context : input.rest.context, options.output);
  }
}
