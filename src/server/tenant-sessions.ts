import { createHash, randomUUID } from "node:crypto";
import type { AgentEvent } from "../core/event/types.ts";
import type { DecideOptions } from "../agent/types.ts";
import { AgentError, errorFrom } from "../core/base/error.ts";
import type { Json } from "../core/base/json.ts";
import type { Msg } from "../core/message/types.ts";
import { readEntries } from "../session/read-entry.ts";
import { openSession } from "../session/open-session.ts";
import { EntryReader, type StoredEvent } from "../session/replay.ts";
import { readSlots, type WrittenSlots } from "../session/newest-state.ts";
import type { MessagePage } from "../session/read-messages.ts";
import { deleteSession } from "../store/delete-session.ts";
import { withLease } from "../store/lease.ts";
import type { SessionFilter, SessionInfo, SessionStore } from "../store/port.ts";
import type { Decision, PendingCall } from "../core/tool/pending.ts";
import { assertWaits, inOrder, isUndecided } from "./stale-decision.ts";
import { findStatus } from "../worker/find-status.ts";
import type {
  CommandOptions,
  Dispatched,
  Dispatcher,
  DispatchOptions,
  SessionStatus,
} from "../worker/types.ts";

/** The message of a user. */
export type UserInput = string | Msg;
/** With the id that the tenant knows instead of the id in the store. */
type Visible<T> = Omit<T, "sessionId"> & { readonly id: string };
type Act = (dispatcher: Dispatcher, sessionId: string) => Promise<Dispatched>;

/**
 * The sessions of one tenant, by the ids that the tenant knows. In the store, their ids are `<tenant>/<id>` and their meta has the
 * tenant; a session that lacks either does not exist here.
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

  /** Creates a session. Calls with the same idempotency key create one session. */
  async create(input: UserInput, options: DispatchOptions): Promise<Visible<Dispatched>> {
    return this.begin(this.#newId(options.idempotencyKey), input, options);
  }

  /** Creates a session with an id that the tenant has chosen, or adds to it. */
  async begin(id: string, input: UserInput, options: DispatchOptions): Promise<Visible<Dispatched>> {
    const meta = { ...options.meta, tenant: this.#tenant };
    return { id, ...(await this.#dispatcher.dispatch(this.#storedId(id), input, { ...options, meta })) };
  }

  /** Sends a session an input or a command: `act` gives it to the dispatcher. */
  async dispatch(id: string, act: Act): Promise<Visible<Dispatched>> {
    await this.status(id);
    return { id, ...(await act(this.#dispatcher, this.#storedId(id))) };
  }

  /** Rejects with `run/stale-decision` if the call is known to wait for no decision, to be decided, or to have other arguments. A worker
   *  checks that again, and refuses all decisions but the first (`input.refused`). Rejects with `run/bad-decision` if a worker refuses
   *  edited arguments within a second. */
  async decide(
    id: string,
    callId: string,
    decision: Decision,
    options: CommandOptions & Required<DecideOptions>,
  ): Promise<Visible<Dispatched>> {
    const isEdit = typeof decision === "object" && "edit" in decision;
    const act: Act = (dispatcher, sessionId) =>
      inOrder(this.#store, sessionId, async () => {
        await assertWaits(this.#store, sessionId, callId, options);
        return dispatcher.decide(sessionId, callId, decision, options);
      });
    return isEdit ? this.#heard(id, act) : this.dispatch(id, act);
  }

  /** True if one of these calls and questions waits for a decision that nobody has made, as far as is known. */
  isUndecided(id: string, calls: readonly PendingCall[]): Promise<boolean> {
    return isUndecided(this.#store, this.#storedId(id), calls);
  }

  /** The slots that were written, with the numbers of their writes. */
  async slots(id: string): Promise<WrittenSlots> {
    const { seq } = await this.status(id);
    if (seq === 0) return {};
    return readSlots(this.#store, this.#storedId(id));
  }

  /** Rejects with `slot/conflict` if the slot is known to have another revision, and if a worker refuses the write within a second. A
   *  worker that refuses it later emits `input.refused`. */
  async setSlot(
    id: string,
    name: string,
    value: Json,
    options: CommandOptions & { readonly revision?: number | undefined },
  ): Promise<Visible<Dispatched>> {
    const { revision } = options;
    const found = revision === undefined ? revision : ((await this.slots(id))[name]?.revision ?? 0);
    if (revision !== found)
      throw new AgentError(
        "slot/conflict",
        `Slot '${name}' has the revision ${found}, not ${revision}: read it again.`,
      );
    return this.#heard(id, (dispatcher, sessionId) => dispatcher.setSlot(sessionId, name, value, options));
  }

  /** The state of a session. Rejects with `session/not-found`, as every method with an id does. */
  async status(id: string): Promise<Visible<SessionStatus>> {
    const status = await this.find(id);
    if (!status) throw new AgentError("session/not-found", `Session not found: ${id}`);
    return status;
  }

  /** As {@link status}; undefined for a session that does not exist. */
  async find(id: string): Promise<Visible<SessionStatus> | undefined> {
    const found = await findStatus(this.#dispatcher, this.#storedId(id));
    if (found?.meta["tenant"] !== this.#tenant) return undefined;
    const { sessionId: _, ...status } = found;
    return { id, ...status };
  }

  async list(
    filter: SessionFilter,
  ): Promise<{ readonly sessions: readonly Visible<SessionInfo>[]; readonly cursor?: string | undefined }> {
    const page = await this.#store.list({
      ...filter,
      prefix: this.#storedId(filter.prefix ?? ""),
      meta: { ...filter.meta, tenant: this.#tenant },
    });
    const sessions = page.sessions.map(({ sessionId, ...info }) => ({
      id: sessionId.slice(this.#storedId("").length),
      ...info,
    }));
    return { ...page, sessions };
  }

  /** A page of the transcript, which is empty until a worker has accepted the first input. */
  async messages(id: string, page: { readonly after: number; readonly limit: number }): Promise<MessagePage> {
    const { seq } = await this.status(id);
    if (seq === 0) return { messages: [], total: 0 };
    return (await openSession(this.#store, this.#storedId(id))).messages(page);
  }

  /** As {@link status}, with the messages of the user that wait. */
  async statusWithWaiting(id: string) {
    const status = await this.status(id);
    return { ...status, waiting: status.inputs > 0 ? await this.waiting(id) : [] };
  }

  /** The messages of the user that wait for a worker, or for calls that are open. Call {@link status} first: this method does not check
   *  the tenant. */
  async waiting(id: string): Promise<readonly Msg[]> {
    const inputs = await this.#store.takeInputs(this.#storedId(id), Number.MAX_SAFE_INTEGER);
    return inputs.flatMap(({ data, dueAt = 0 }) => {
      const { kind = "call", messages } = data as {
        readonly kind?: string;
        readonly messages?: readonly Msg[];
      };
      if (kind !== "call" || dueAt > Date.now() || !Array.isArray(messages)) return [];
      return (messages as readonly Msg[]).filter(
        ({ role, content }) => role === "user" && Array.isArray(content),
      );
    });
  }

  /** The events of the journal so far. Call {@link status} first: this method does not check the tenant. */
  async *stored(id: string): AsyncGenerator<StoredEvent> {
    const reader = new EntryReader();
    for await (const entry of readEntries(this.#store, this.#storedId(id))) yield* reader.events(entry);
  }

  /** The events after a position, and those that follow. Call {@link status} first: this method does not check the tenant. */
  events(
    id: string,
    options: { readonly after: number | string; readonly signal: AbortSignal },
  ): AsyncIterable<AgentEvent> {
    return this.#dispatcher.subscribe(this.#storedId(id), options);
  }

  /** Deletes a session. Rejects with `session/conflict` while a worker has it. */
  async remove(id: string): Promise<void> {
    await this.status(id);
    const sessionId = this.#storedId(id);
    const locked = () =>
      new AgentError("session/conflict", `Session '${id}' is running: interrupt it first.`);
    await withLease(this.#store, sessionId, () => deleteSession(this.#store, sessionId), locked);
  }

  /** As {@link dispatch}, for what only the agent can refuse: rejects with its refusal. */
  async #heard(id: string, act: Act): Promise<Visible<Dispatched>> {
    const { seq } = await this.status(id);
    const sessionId = this.#storedId(id);
    const sent = { id, ...(await act(this.#dispatcher, sessionId)) };
    if (sent.state === "accepted") await refusedInTime(this.#store, sessionId, sent.inputId, seq);
    return sent;
  }

  #storedId(id: string): string {
    return `${this.#tenant}/${id}`;
  }

  /** An id that cannot be guessed. It is the same for the same idempotency key. */
  #newId(key: string | undefined): string {
    if (key === undefined) return `s_${randomUUID().replaceAll("-", "")}`;
    const hash = createHash("sha256").update(`${this.#tenant}/${key}`).digest("base64url");
    return `s_${hash.slice(0, 22)}`;
  }
}

/** The time for which a request waits for the outcome of its input, ms: as long as a worker needs that has a free place. */
const WAIT_MS = 1_000;

/**
 * Waits until a worker has accepted the input `inputId` of a session, and rejects with the error of a worker that refuses it. Only the agent of
 * the session knows what is to be refused, so the answer is a worker's. Resolves also if none has accepted it within a second: then it is
 * accepted, and may be refused later. `after`: an entry of the journal before the input was sent.
 */
export async function refusedInTime(
  store: SessionStore,
  sessionId: string,
  inputId: string,
  after: number,
  waitMs = WAIT_MS,
): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), waitMs);
  let last = after;
  try {
    for await (const seq of store.watch?.(sessionId, { signal: late.signal }) ?? []) {
      let isTaken = false;
      if (seq <= last) continue;
      for await (const entry of readEntries(store, sessionId, { after: last })) {
        last = entry.seq;
        if (entry.type === "input.refused" && entry.data.id === inputId) throw errorFrom(entry.data.error);
        isTaken ||= entry.type === "position" && entry.data.taken === inputId;
      }
      if (isTaken) return;
    }
  } finally {
    clearTimeout(timer);
  }
}
