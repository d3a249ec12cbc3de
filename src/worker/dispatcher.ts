import { randomUUID } from "node:crypto";
import { checkDecision } from "../agent/check-told.ts";
import { messagesOf } from "../agent/config.ts";
import type { AgentEvent } from "../event/types.ts";
import { AgentError } from "../base/error.ts";
import type { WakeQueue } from "./queue/port.ts";
import { checkWake } from "./queue/queue-failed.ts";
import { followEvents } from "../session/follow.ts";
import { heldElsewhere } from "../session/held-elsewhere.ts";
import type { SessionStore } from "../store/port.ts";
import { checkId } from "../store/session-id.ts";
import { checkExtra, dataOf, type Command } from "./command.ts";
import { checkBackend } from "./check-backend.ts";
import { PERMITS } from "./permits.ts";
import { endQuarantine, quarantineOf } from "./quarantine.ts";
import { listenFor, NUDGE } from "./signals.ts";
import { statusOf } from "./status.ts";
import type {
  CommandOptions,
  DeadLetter,
  Dispatched,
  Dispatcher,
  DispatcherOptions,
  DispatchOptions,
  SubscribeOptions,
} from "./types.ts";

const LEASE_MS = 10_000;
/** How often a journal is read that its store does not watch. */
const POLL_MS = 250;

type Put = Command extends infer C ? (C extends Command ? Omit<C, "at"> : never) : never;

class StoreDispatcher implements Dispatcher {
  readonly #queue: WakeQueue;
  readonly #store: SessionStore;
  readonly #now: () => number;

  constructor({ queue, store, now = Date.now }: DispatcherOptions) {
    this.#queue = queue;
    this.#store = store;
    this.#now = now;
  }

  async dispatch(
    sessionId: string,
    input: Parameters<Dispatcher["dispatch"]>[1],
    options: DispatchOptions = {},
  ): Promise<Dispatched> {
    const { agent, meta } = options;
    checkId(sessionId, "dispatch: a session id");
    const messages = messagesOf(input, true);
    if (agent === "") throw new AgentError("config/invalid", "dispatch: `agent` must not be empty.");
    if (sessionId.startsWith(PERMITS))
      throw new AgentError("config/invalid", `dispatch: no session id may begin with ${PERMITS}.`);
    if (agent === undefined && !(await this.#knows(sessionId))) {
      throw new AgentError("config/invalid", "dispatch: a session that is new needs an `agent`.");
    }
    const command = {
      kind: "call",
      messages,
      ...(agent !== undefined && { agent }),
      ...(meta && { meta }),
    } as const;
    return this.#put(sessionId, command, options);
  }

  async decide(
    sessionId: string,
    callId: string,
    decision: Parameters<Dispatcher["decide"]>[2],
    options: CommandOptions & { readonly argsHash?: string } = {},
  ): Promise<Dispatched> {
    checkDecision(decision);
    const { argsHash } = options;
    const command = {
      kind: "decide",
      callId,
      decision,
      ...(argsHash !== undefined && { argsHash }),
    } as const;
    return this.#tell(sessionId, command, options);
  }

  answer(
    sessionId: string,
    callId: string,
    answer: Parameters<Dispatcher["answer"]>[2],
    options: CommandOptions = {},
  ): Promise<Dispatched> {
    return this.decide(sessionId, callId, { answer }, options);
  }

  async interrupt(
    sessionId: string,
    message?: Parameters<Dispatcher["interrupt"]>[1],
    options: CommandOptions = {},
  ): Promise<Dispatched> {
    const said = message === undefined ? undefined : messagesOf(message)[0];
    return this.#tell(sessionId, { kind: "interrupt", ...(said && { message: said }) }, options);
  }

  async steer(
    sessionId: string,
    message: Parameters<Dispatcher["steer"]>[1],
    options: CommandOptions = {},
  ): Promise<Dispatched> {
    return this.#tell(sessionId, { kind: "steer", message: messagesOf(message)[0]! }, options);
  }

  async cancel(sessionId: string, options: CommandOptions = {}): Promise<Dispatched> {
    return this.#tell(sessionId, { kind: "cancel" }, options);
  }

  async extendBudget(
    sessionId: string,
    extra: Parameters<Dispatcher["extendBudget"]>[1],
    options: CommandOptions = {},
  ): Promise<Dispatched> {
    checkExtra(extra);
    return this.#tell(sessionId, { kind: "extendBudget", extra }, options);
  }

  status(sessionId: string): ReturnType<Dispatcher["status"]> {
    return statusOf(this.#store, sessionId);
  }

  async *subscribe(
    sessionId: string,
    { after = 0, signal = new AbortController().signal }: SubscribeOptions = {},
  ): AsyncGenerator<AgentEvent> {
    const live = (listener: (event: AgentEvent) => void) => listenFor(this.#queue, sessionId, listener);
    yield* followEvents(this.#store, sessionId, { after, signal, pollMs: POLL_MS, live });
  }

  async deadLetters({ meta, cursor, limit }: Parameters<Dispatcher["deadLetters"]>[0] = {}): ReturnType<
    Dispatcher["deadLetters"]
  > {
    const page = await this.#store.list({
      phase: "quarantined",
      ...(meta && { meta }),
      ...(cursor !== undefined && { cursor }),
      ...(limit !== undefined && { limit }),
    });
    const letters: DeadLetter[] = [];
    for (const { sessionId, meta: labels } of page.sessions) {
      const position = await this.#store.load(sessionId).then((found) => found?.position, damagedPosition);
      const found = quarantineOf(position);
      if (found) letters.push({ sessionId, meta: labels, ...found });
    }
    return { letters, ...(page.cursor !== undefined && { cursor: page.cursor }) };
  }

  async retry(sessionId: string): Promise<boolean> {
    if (!quarantineOf((await this.#store.load(sessionId))?.position)) return false;
    const lease = await this.#store.acquire(sessionId, { owner: randomUUID(), ttlMs: LEASE_MS });
    if (!lease) throw heldElsewhere(sessionId, LEASE_MS);
    try {
      if (!(await endQuarantine(this.#store, lease))) return false;
    } finally {
      await this.#store.release(lease);
    }
    await this.#queue.wake(sessionId);
    return true;
  }

  async wake(sessionId: string, options: { readonly priority?: number } = {}): Promise<void> {
    await this.#queue.wake(sessionId, options);
  }

  async #knows(sessionId: string): Promise<boolean> {
    if (await this.#store.load(sessionId)) return true;
    return (await this.#store.takeInputs(sessionId, 1)).length > 0;
  }

  /** For a session that was begun: nobody would ever take it in for another. */
  async #tell(sessionId: string, command: Put, options: CommandOptions): Promise<Dispatched> {
    if (!(await this.#knows(sessionId)))
      throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
    return this.#put(sessionId, command, options);
  }

  /** Durable first; then whoever has the session is told, and else somebody is woken. */
  async #put(sessionId: string, command: Put, options: DispatchOptions): Promise<Dispatched> {
    const { idempotencyKey: inputId = randomUUID(), delayMs = 0, priority = 0 } = options;
    checkWake({ priority, delayMs });
    const at = this.#now();
    const data = dataOf({ ...command, at } as Command);
    const state = await this.#store.putInput(sessionId, {
      id: inputId,
      data,
      ...(delayMs > 0 && { dueAt: at + delayMs }),
    });
    if (delayMs === 0) this.#queue.publish(sessionId, NUDGE);
    const woken = await this.#queue.wake(sessionId, { priority, delayMs }).then(
      () => true,
      () => false,
    );
    return { inputId, state, woken };
  }
}

function damagedPosition(error: unknown): { readonly phase: "quarantined" } {
  if (AgentError.is(error) && error.code === "session/damaged") return { phase: "quarantined" };
  throw error;
}

/** Talks to the sessions of workers that use the same store and queue. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  checkBackend(options, [], "createDispatcher");
  return new StoreDispatcher(options);
}
