import { randomUUID } from "node:crypto";
import { checkDecision } from "../agent/options/call-schema.ts";
import { messagesOf, oneMessage } from "../agent/options/config.ts";
import type { DecideOptions } from "../agent/types.ts";
import type { AgentEvent } from "../core/event/types.ts";
import { AgentError, configError } from "../core/base/error.ts";
import { jsonProblem } from "../core/base/json.ts";
import { check } from "../core/base/options.ts";
import type { WakeOptions, WakeQueue } from "./queue/port.ts";
import type { Msg } from "../core/message/types.ts";
import { inputHash } from "../session/format.ts";
import { checkSameInput, readTakenHash } from "../session/input-outcome.ts";
import { followEvents } from "../session/follow.ts";
import { withDeadlines } from "../store/deadlines.ts";
import { isInnerSession, readPosition, checkId, OWN_PREFIX } from "../store/shared.ts";
import { LABELS_SESSION } from "../store/labels-session.ts";
import { withLease } from "../store/lease.ts";
import type { OfferedInput, PeekedSession, SessionInput, SessionStore } from "../store/port.ts";
import {
  peekAt,
  endQuarantine,
  quarantineOf,
  readStatus,
  checkBudgetExtension,
  commandData,
  type InboxCommand,
} from "./inbox.ts";
import { checkClientTools } from "../core/tool/declared-tools.ts";
import {
  commandSchema,
  compactSchema,
  deadLettersSchema,
  decideSchema,
  dispatcherSchema,
  dispatchSchema,
  setSlotSchema,
  subscribeSchema,
} from "./option-schemas.ts";
import { listenToLiveEvents, NUDGE } from "./signals.ts";
import type {
  CommandOptions,
  DeadLetter,
  Dispatched,
  Dispatcher,
  DispatcherOptions,
  DispatchOptions,
  SubscribeOptions,
} from "./types.ts";

/** The interval at which a journal is read if its store has no `watch`, ms. */
const POLL_MS = 250;

type NewCommand = InboxCommand extends infer C ? (C extends InboxCommand ? Omit<C, "at"> : never) : never;

class StoreDispatcher implements Dispatcher {
  readonly #queue: WakeQueue;
  readonly #store: SessionStore;
  readonly #now: () => number;

  constructor({ queue, store, now = Date.now }: DispatcherOptions) {
    this.#queue = queue;
    this.#store = withDeadlines(store);
    this.#now = now;
  }

  async dispatch(
    sessionId: string,
    input: Parameters<Dispatcher["dispatch"]>[1],
    options: DispatchOptions = {},
  ): Promise<Dispatched> {
    check(dispatchSchema(), options, "dispatch");
    const { agent, meta, reportTo } = options;
    const problem = jsonProblem(meta);
    if (problem !== undefined) throw configError(`dispatch: \`meta\` ${problem}; expected JSON.`);
    const tools = options.clientTools && checkClientTools(options.clientTools);
    const clientTools = tools && tools.length > 0 ? tools : undefined;
    if (reportTo !== undefined) checkId(reportTo, "dispatch: `reportTo`");
    const messages = messagesOf(input, true);
    const command = { kind: "call", messages, agent, meta, reportTo, clientTools } as const;
    const needsAgent = () => configError("dispatch: a new session needs an `agent`.");
    return this.#putInput(sessionId, command, options, agent === undefined ? needsAgent : undefined);
  }

  async decide(
    sessionId: string,
    callId: string,
    decision: Parameters<Dispatcher["decide"]>[2],
    options: CommandOptions & DecideOptions = {},
  ): Promise<Dispatched> {
    checkDecision(decision);
    check(decideSchema(), options, "decide");
    const { argsHash, by, ...rest } = options;
    return this.#send(sessionId, { kind: "decide", callId, decision, argsHash, by }, rest);
  }

  answer(
    sessionId: string,
    callId: string,
    answer: Parameters<Dispatcher["answer"]>[2],
    options: CommandOptions & Pick<DecideOptions, "by"> = {},
  ): Promise<Dispatched> {
    return this.decide(sessionId, callId, { answer }, options);
  }

  async interrupt(
    sessionId: string,
    message?: Parameters<Dispatcher["interrupt"]>[1],
    options: CommandOptions = {},
  ): Promise<Dispatched> {
    const stored = message === undefined ? undefined : oneMessage(message, "interrupt");
    return this.#send(sessionId, { kind: "interrupt", message: stored }, options);
  }

  async steer(
    sessionId: string,
    message: Parameters<Dispatcher["steer"]>[1],
    options: CommandOptions = {},
  ): Promise<Dispatched> {
    return this.#send(sessionId, { kind: "steer", message: oneMessage(message, "steer") }, options);
  }

  async cancel(sessionId: string, options: CommandOptions = {}): Promise<Dispatched> {
    return this.#send(sessionId, { kind: "cancel" }, options);
  }

  async extendBudget(
    sessionId: string,
    extra: Parameters<Dispatcher["extendBudget"]>[1],
    options: CommandOptions = {},
  ): Promise<Dispatched> {
    checkBudgetExtension(extra);
    return this.#send(sessionId, { kind: "extendBudget", extra }, options);
  }

  async setSlot(
    sessionId: string,
    name: string,
    value: Parameters<Dispatcher["setSlot"]>[2],
    options: Parameters<Dispatcher["setSlot"]>[3] = {},
  ): Promise<Dispatched> {
    check(setSlotSchema(), options, "setSlot");
    const { revision, ...rest } = options;
    const problem = typeof name === "string" ? jsonProblem(value) : "has no name";
    if (value === undefined || problem !== undefined)
      throw configError(`setSlot: the slot ${problem ?? "has no value"}; expected its name and JSON.`);
    return this.#send(sessionId, { kind: "setSlot", name, value, revision }, rest);
  }

  async compact(
    sessionId: string,
    options: CommandOptions & { readonly instructions?: string } = {},
  ): Promise<Dispatched> {
    check(compactSchema(), options, "compact");
    const { instructions, ...rest } = options;
    return this.#send(sessionId, { kind: "compact", instructions }, rest);
  }

  status(sessionId: string): ReturnType<Dispatcher["status"]> {
    return readStatus(this.#store, sessionId);
  }

  async *subscribe(sessionId: string, options: SubscribeOptions = {}): AsyncGenerator<AgentEvent> {
    check(subscribeSchema(), options, "subscribe");
    const { after = 0, signal = new AbortController().signal } = options;
    const live = (listener: (event: AgentEvent) => void, onWritten: () => void) =>
      listenToLiveEvents(this.#queue, sessionId, listener, onWritten);
    yield* followEvents(this.#store, sessionId, { after, signal, pollMs: POLL_MS, live });
  }

  async deadLetters(
    options: Parameters<Dispatcher["deadLetters"]>[0] = {},
  ): ReturnType<Dispatcher["deadLetters"]> {
    check(deadLettersSchema(), options, "deadLetters");
    const page = await this.#store.list({ ...options, phase: "quarantined" });
    const letters: DeadLetter[] = [];
    for (const { sessionId, meta: labels } of page.sessions) {
      const position = await this.#store.load(sessionId).then(
        (found) => found?.position,
        (error: unknown) => quarantinedIfDamaged(error).position,
      );
      const found = quarantineOf(position);
      if (found) letters.push({ sessionId, meta: labels, ...found });
    }
    return { letters, cursor: page.cursor };
  }

  async retry(sessionId: string): Promise<boolean> {
    if (!quarantineOf((await this.#store.load(sessionId))?.position)) return false;
    const hasEnded = await withLease(this.#store, sessionId, (lease) => endQuarantine(this.#store, lease));
    if (hasEnded) await this.#queue.wake(sessionId);
    return hasEnded;
  }

  async wake(sessionId: string, options: { readonly priority?: number } = {}): Promise<void> {
    checkId(sessionId, "wake: the session id");
    await this.#queue.wake(sessionId, options);
  }

  /** Puts a command into the inbox of an existing session; in a new one no worker would process it. */
  async #send(sessionId: string, command: NewCommand, options: CommandOptions): Promise<Dispatched> {
    check(commandSchema(), options, command.kind);
    const notFound = () => new AgentError("session/not-found", `Session not found: ${sessionId}`);
    return this.#putInput(sessionId, command, options, notFound);
  }

  /** Throws `run/key-reused` if the key was used for other messages, which wait or were accepted. */
  async #checkSame(sessionId: string, key: string, messages: readonly Msg[]): Promise<void> {
    const waiting = await this.#store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
    const found = waiting.find(({ id }) => id === key)?.data["messages"];
    const known = Array.isArray(found)
      ? inputHash(found as unknown as readonly Msg[])
      : await readTakenHash(this.#store, sessionId, key);
    checkSameInput(key, known, inputHash(messages));
  }

  /** Puts an input as {@link OfferedInput} says, with an operation for each of it. Throws `session/inner` for a session that no worker drives,
   *  and what `unknown` says of one that does not exist. One that cannot be read is left to the workers. */
  async #put(sessionId: string, input: SessionInput, unknown?: () => AgentError): Promise<OfferedInput> {
    const peeked = peekAt(this.#store, sessionId, unknown ? 1 : 0);
    const found = await (unknown ? peeked : peeked.catch(quarantinedIfDamaged));
    const { position, inputs } = found;
    if (unknown && !position && inputs.length === 0) throw unknown();
    const { meta = {}, phase } = readPosition(position ?? { phase: "stopped" });
    if (isInnerSession(meta))
      throw new AgentError(
        "session/inner",
        "The session is inside of a call of another session, which drives it; expected an input for that one.",
      );
    return { state: await this.#store.putInput(sessionId, input), phase, isWoken: false };
  }

  /** Offers an input together with its wake-up, where the store can. What the queue's statement fails with is left to the queue. */
  async #offer(sessionId: string, input: SessionInput, isKnown: boolean, options: WakeOptions) {
    const store = this.#store;
    if (!store.offerInput) return undefined;
    const wake = await this.#queue.wakeStatement?.(sessionId, options).catch(() => undefined);
    if (!wake) return store.offerInput(sessionId, input, { isKnown });
    return store.offerInput(sessionId, input, { isKnown, wake }).catch((error: unknown) => {
      if (!AgentError.is(error) || error.code !== "store/failed" || error.isRetryable) throw error;
      return store.offerInput!(sessionId, input, { isKnown });
    });
  }

  /** Stores an input, then signals the worker that drives the session, and wakes one if none does. `unknown`: the session has to exist, and
   *  this is the error if it does not. */
  async #putInput(
    sessionId: string,
    command: NewCommand,
    options: DispatchOptions,
    unknown?: () => AgentError,
  ): Promise<Dispatched> {
    const from = command.kind === "call" ? "dispatch" : command.kind;
    checkId(sessionId, `${from}: the session id`);
    if (sessionId.startsWith(OWN_PREFIX) || sessionId === LABELS_SESSION)
      throw configError(
        `${from}: the session id must not be ${LABELS_SESSION}, nor begin with ${OWN_PREFIX}.`,
      );
    const { idempotencyKey: inputId = randomUUID(), delayMs = 0, priority = 0 } = options;
    const at = this.#now();
    const data = commandData({ ...command, at } as InboxCommand);
    const input = { id: inputId, data, ...(delayMs > 0 && { dueAt: at + delayMs }) };
    const offered = await this.#offer(sessionId, input, unknown !== undefined, { priority, delayMs });
    const { state, phase, isWoken } = offered ?? (await this.#put(sessionId, input, unknown));
    if (state === "duplicate" && command.kind === "call")
      await this.#checkSame(sessionId, inputId, command.messages);
    const isForTurn = command.kind !== "call" || phase === "running" || phase === "unfinished";
    if (delayMs === 0 && isForTurn) this.#queue.publish(sessionId, NUDGE); // else the wake-up follows what the worker does
    const woken = isWoken || (await this.#wake(sessionId, { priority, delayMs }));
    return { inputId, state, woken };
  }

  /** Returns false if the queue does not take the wake-up: the sweep finds the session. */
  #wake(sessionId: string, options: WakeOptions): Promise<boolean> {
    return this.#queue.wake(sessionId, options).then(
      () => true,
      () => false,
    );
  }
}

function quarantinedIfDamaged(error: unknown): PeekedSession {
  if (AgentError.is(error) && error.code === "session/damaged")
    return { position: { phase: "quarantined" }, inputs: [] };
  throw error;
}

/**
 * Creates a dispatcher for the sessions of all workers with the same store and queue. It does not close them. Throws
 * `config/invalid` for invalid options.
 *
 * @example
 * ```ts
 * import { postgresStore } from "agentchart/store/postgres";
 * import { bullQueue, createDispatcher } from "agentchart/worker";
 *
 * const database = "postgres://localhost/app";
 * const dispatcher = createDispatcher({
 *   queue: bullQueue({ postgres: database }),
 *   store: postgresStore({ connectionString: database }),
 * });
 * await dispatcher.dispatch("customer-42", "Refund order 17.", { agent: "desk", idempotencyKey: "request-1" });
 * for await (const event of dispatcher.subscribe("customer-42")) {
 *   if (event.type === "turn.end") break;
 * }
 * ```
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  check(dispatcherSchema(), options, "createDispatcher");
  return new StoreDispatcher(options);
}
