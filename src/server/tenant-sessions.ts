import { createHash, randomUUID } from "node:crypto";
import type { AgentEvent } from "../event/types.ts";
import type { Budget } from "../agent/types.ts";
import { AgentError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import { openSession } from "../session/open-session.ts";
import type { SessionFilter, SessionInfo, SessionStore } from "../store/port.ts";
import type { Decision } from "../tool/pending.ts";
import type { Dispatched, Dispatcher, DispatchOptions, SessionStatus } from "../worker/types.ts";

/** How long a deletion may take before others may have the session, ms. */
const DELETE_MS = 30_000;

export type Said = string | Msg;
type Keyed = { readonly idempotencyKey?: string };
type Visible<T> = Omit<T, "sessionId"> & { readonly id: string };

/**
 * The sessions of one tenant, by the ids it knows them by. In the store they stand under `<tenant>/<id>` with the tenant in
 * their meta; whatever lacks either does not exist here.
 */
export class TenantSessions {
  readonly #tenant: string;
  readonly #dispatcher: Dispatcher;
  readonly #store: SessionStore;

  constructor(
    tenant: string,
    { dispatcher, store }: { readonly dispatcher: Dispatcher; readonly store: SessionStore },
  ) {
    this.#tenant = tenant;
    this.#dispatcher = dispatcher;
    this.#store = store;
  }

  /** Begins a session. The same key twice is one session. */
  async create(
    input: Said,
    { meta, ...options }: DispatchOptions & { readonly meta?: JsonObject },
  ): Promise<Visible<Dispatched>> {
    const id = this.#newId(options.idempotencyKey);
    const labels = { ...meta, tenant: this.#tenant };
    return {
      id,
      ...(await this.#dispatcher.dispatch(this.#stored(id), input, { ...options, meta: labels })),
    };
  }

  say(id: string, input: Said, options: Keyed): Promise<Visible<Dispatched>> {
    return this.#with(id, (sessionId) => this.#dispatcher.dispatch(sessionId, input, options));
  }

  decide(
    id: string,
    callId: string,
    decision: Decision,
    options: Keyed & { readonly argsHash: string },
  ): Promise<Visible<Dispatched>> {
    return this.#with(id, (sessionId) => this.#dispatcher.decide(sessionId, callId, decision, options));
  }

  interrupt(id: string, message: string | undefined, options: Keyed): Promise<Visible<Dispatched>> {
    return this.#with(id, (sessionId) => this.#dispatcher.interrupt(sessionId, message, options));
  }

  steer(id: string, message: Said, options: Keyed): Promise<Visible<Dispatched>> {
    return this.#with(id, (sessionId) => this.#dispatcher.steer(sessionId, message, options));
  }

  cancel(id: string, options: Keyed): Promise<Visible<Dispatched>> {
    return this.#with(id, (sessionId) => this.#dispatcher.cancel(sessionId, options));
  }

  extendBudget(id: string, extra: Omit<Budget, "onExceeded">, options: Keyed): Promise<Visible<Dispatched>> {
    return this.#with(id, (sessionId) => this.#dispatcher.extendBudget(sessionId, extra, options));
  }

  /** Rejects `session/not-found`, as all that follow. */
  async status(id: string): Promise<Visible<SessionStatus>> {
    const status = await this.#dispatcher.status(this.#stored(id)).catch((error: unknown) => {
      throw AgentError.is(error) && error.code === "session/not-found" ? notFound(id) : error;
    });
    if (status.meta["tenant"] !== this.#tenant) throw notFound(id);
    const { sessionId: _, ...rest } = status;
    return { id, ...rest };
  }

  async list(
    filter: SessionFilter,
  ): Promise<{ readonly sessions: readonly Visible<SessionInfo>[]; readonly cursor?: string }> {
    const page = await this.#store.list({
      ...filter,
      prefix: this.#stored(filter.prefix ?? ""),
      meta: { ...filter.meta, tenant: this.#tenant },
    });
    const sessions = page.sessions.map(({ sessionId, ...info }) => ({
      id: sessionId.slice(this.#stored("").length),
      ...info,
    }));
    return { ...page, sessions };
  }

  /** The transcript; empty as long as the first input waits. */
  async messages(id: string): Promise<readonly Msg[]> {
    const { seq } = await this.status(id);
    if (seq === 0) return [];
    return (await (await openSession(this.#store, this.#stored(id))).at()).messages;
  }

  /** The facts after a journal position and what happens from now on; only for a session that was found by {@link status}. */
  events(
    id: string,
    options: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncIterable<AgentEvent> {
    return this.#dispatcher.subscribe(this.#stored(id), options);
  }

  /** Rejects `session/conflict` while a worker has the session. */
  async remove(id: string): Promise<void> {
    await this.status(id);
    const sessionId = this.#stored(id);
    const lease = await this.#store.acquire(sessionId, { owner: `delete ${randomUUID()}`, ttlMs: DELETE_MS });
    if (!lease) throw new AgentError("session/conflict", `Session '${id}' is running: interrupt it first.`);
    try {
      await this.#store.delete(sessionId);
    } finally {
      await this.#store.release(lease);
    }
  }

  async #with(id: string, act: (sessionId: string) => Promise<Dispatched>): Promise<Visible<Dispatched>> {
    await this.status(id);
    return { id, ...(await act(this.#stored(id))) };
  }

  #stored(id: string): string {
    return `${this.#tenant}/${id}`;
  }

  /** Not to be guessed; for a key always the same. */
  #newId(key: string | undefined): string {
    if (key === undefined) return `s_${randomUUID().replaceAll("-", "")}`;
    const hash = createHash("sha256").update(`${this.#tenant}/${key}`).digest("base64url");
    return `s_${hash.slice(0, 22)}`;
  }
}

function notFound(id: string): AgentError {
  return new AgentError("session/not-found", `Session not found: ${id}`);
}
