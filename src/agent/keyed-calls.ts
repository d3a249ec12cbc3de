import { AgentError, errorFrom } from "../core/base/error.ts";
import type { Msg } from "../core/message/types.ts";
import { inputHash } from "../session/format.ts";
import {
  checkSameInput,
  claimInput,
  readAcceptedInput,
  type AcceptedInput,
} from "../session/input-outcome.ts";
import type { SessionStore } from "../store/port.ts";
import type { OutputOf, Schema } from "../core/tool/types.ts";
import { inputTurnOf, type AgentContext } from "../../machines/agent/context.ts";
import type { OnBegin } from "./call-limits.ts";
import type { Runtime } from "./runtime.ts";
import type { AnyCallOptions, Reply } from "./types.ts";
import { isRefused } from "../../machines/agent/updates/ending.ts";

type KeyedOptions<S extends Schema | undefined> = AnyCallOptions<S> & { readonly idempotencyKey: string };

/** The object that makes the calls. */
type Calls = {
  readonly runtime: Pick<Runtime, "context" | "phase" | "saved" | "settings">;
  start<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: AnyCallOptions<S>,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>>;
  repeatReply<S extends Schema | undefined>(
    context: AgentContext,
    schema: S | undefined,
  ): Promise<Reply<OutputOf<S>>>;
};

function noReply(): AgentError {
  return new AgentError("run/pending", "The turn of this idempotency key has no reply yet.");
}

/** The maximum number of idempotency keys that are retained in this process. A store keeps all. */
const MAX_KEYS = 1_000;

type RunningCall = { readonly hash: string; readonly reply: Promise<unknown> };

/** The calls with an idempotency key: one input is accepted once, in whatever process, and each call gets its final outcome. */
export class KeyedCalls {
  readonly #turns: Calls;
  readonly #store: SessionStore | undefined;
  readonly #running = new Map<string, RunningCall>();
  /** The inputs that this process has accepted. */
  readonly #accepted = new Map<string, AcceptedInput>();
  /** The key of the call whose turn runs. */
  #current: string | undefined;

  constructor(turns: Calls, store: SessionStore | undefined) {
    this.#turns = turns;
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
    return this.#join(key, inputHash(messages), onJoin, async () => {
      const claimed = this.#accepted.has(key) ? undefined : await this.#claim(key, messages);
      return claimed
        ? this.#turns.start(claimed, options, onBegin)
        : this.#repeat(messages, options, onBegin);
    });
  }

  /** Returns the messages to process. Without a store they are these. */
  async #claim(key: string, messages: readonly Msg[]): Promise<readonly Msg[] | undefined> {
    const { sessionId } = this.#turns.runtime.settings;
    return this.#store ? claimInput(this.#store, sessionId, key, messages) : messages;
  }

  /** Continues the turn of an input that was accepted before if it can continue without further input, else returns how it came to
   *  rest. An input that was refused is accepted now. */
  async #repeat<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: KeyedOptions<S>,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>> {
    const { runtime } = this.#turns;
    await runtime.saved(); // the end of its turn may not be stored yet
    const { idempotencyKey: key, ...rest } = options;
    const input =
      this.#accepted.get(key) ??
      (this.#store && (await readAcceptedInput(this.#store, runtime.settings, key)));
    if (!input) throw noReply();
    checkSameInput(key, input.hash, inputHash(messages));
    if (input.isRefused) return this.#turns.start(messages, options, onBegin);
    const isCurrent = input.turn === undefined || input.turn === inputTurnOf(runtime.context.progress);
    const hasFailed = input.rest?.error !== undefined;
    if (isCurrent && (hasFailed || runtime.phase === "unfinished"))
      return this.#turns.start([], rest, onBegin);
    if (!input.rest) throw noReply();
    if (input.rest.error) throw input.rest.error;
    const { context } = isCurrent ? runtime : input.rest;
    return this.#turns.repeatReply(context.outcome ? context : input.rest.context, options.output);
  }

  /** Returns the reply of the call that runs for this key, and starts one if there is none. `onJoin` is called if there is one. Throws
   *  `run/key-reused`. */
  #join<O>(key: string, hash: string, onJoin: () => void, start: () => Promise<Reply<O>>): Promise<Reply<O>> {
    const running = this.#running;
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
    const accepted = this.#accepted;
    accepted.delete(key);
    accepted.set(key, { hash });
    if (accepted.size > MAX_KEYS) accepted.delete(accepted.keys().next().value!);
  }

  /** A turn has come to rest: its inputs have a new outcome. */
  settled(context: AgentContext): void {
    const { outcome, failure } = context;
    const turn = inputTurnOf(context.progress);
    const key = this.#current;
    this.#current = undefined;
    const accepted = this.#accepted;
    if (outcome?.reason === "SHUTDOWN" || accepted.size === 0) return;
    if (isRefused(context)) {
      if (key !== undefined) accepted.delete(key);
      return;
    }
    const { retry: _, ...info } = failure ?? { code: undefined };
    const rest = { context, ...(info.code !== undefined && { error: errorFrom(info) }) };
    for (const [each, input] of accepted)
      if (each === key || input.turn === turn) accepted.set(each, { ...input, turn, rest });
  }
}
