import { randomUUID } from "node:crypto";
import { AgentError, messageOf } from "../base/error.ts";
import { checkMessages } from "../message/validate.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { quarantineReason } from "./format.ts";
import type { AgentContext, Settings } from "../../machines/agent/context.ts";
import { factsBetween, type Fact } from "./entries.ts";
import { contextOf, JournalFold } from "./fold.ts";
import { sessionLocked } from "./session-locked.ts";
import type { JournalState } from "./format.ts";
import { Journal } from "./journal.ts";

/** How long a lease lasts without being renewed unless the agent says otherwise, ms. */
const LEASE_MS = 30_000;

export type DurableOptions = {
  readonly store: SessionStore;
  readonly settings: Settings;
  readonly now: () => number;
  readonly leaseMs?: number;
  readonly redact?: (value: Json) => Json;
  readonly state: () => JournalState;
  /** Asked with the lease before anything is read; who throws gives the session up. */
  readonly admit?: (lease: Lease) => Promise<void>;
  /** Told after each append to the journal. */
  readonly onCommitted: () => void;
  /** Another process has the session: this one must stop at once. */
  readonly onLost: (error: AgentError) => void;
};

/** What a store knew of a session. */
export type RestoredSession = {
  readonly context: AgentContext;
  readonly activeGroups: readonly string[] | undefined;
  readonly hooks: readonly string[];
};

/** Throws `session/damaged` for messages that are none. */
function checkStoredMessages(messages: readonly Msg[], sessionId: string): void {
  try {
    checkMessages(messages, `Session '${sessionId}'`);
  } catch (error) {
    throw new AgentError("session/damaged", messageOf(error), { cause: error, data: { sessionId } });
  }
}

/** Reads a stored session: its newest checkpoint, then every entry. Undefined if the store has none. Throws
 *  `session/version` and `session/damaged`, the latter also for one that is quarantined. */
export async function restoreSession(
  store: SessionStore,
  sessionId: string,
  settings: Settings,
): Promise<(RestoredSession & { readonly seq: number }) | undefined> {
  const found = await store.load(sessionId);
  const reason = quarantineReason(found?.position);
  if (reason !== undefined)
    throw new AgentError("session/damaged", `Session '${sessionId}' is quarantined: ${reason}`, {
      data: { sessionId, quarantined: true },
    });
  if (!found || found.seq === 0) return undefined;
  const fold = new JournalFold(settings, found.checkpoint);
  for await (const entry of store.read(sessionId)) fold.push(entry);
  const session = fold.state();
  checkStoredMessages(session.messages, sessionId);
  return {
    context: contextOf(session, settings),
    activeGroups: fold.groups,
    hooks: fold.hooks,
    seq: fold.seq,
  };
}

/** One agent's hold on its stored session: the lease, the restore, and the journal. */
export class DurableSession {
  readonly #options: DurableOptions;
  readonly #owner = randomUUID();
  #journal: Journal | undefined;
  #renewing: NodeJS.Timeout | undefined;

  constructor(options: DurableOptions) {
    this.#options = options;
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? LEASE_MS;
  }

  /** Takes the session and gives what was stored of it. Throws `session/conflict` while another process has it. */
  async open(): Promise<RestoredSession | undefined> {
    const { store, settings, now, redact, state, onCommitted } = this.#options;
    const { sessionId } = settings;
    const lease = await store.acquire(sessionId, { owner: this.#owner, ttlMs: this.#leaseMs });
    if (!lease) throw sessionLocked(sessionId, this.#leaseMs);
    try {
      await this.#options.admit?.(lease);
      const stored = await restoreSession(store, sessionId, settings);
      this.#journal = new Journal({
        store,
        lease,
        seq: stored?.seq ?? 0,
        groups: stored?.activeGroups,
        now,
        state,
        onCommitted,
        ...(redact && { redact }),
      });
      this.#renewing = setInterval(() => void this.#renew(), this.#leaseMs / 3);
      this.#renewing.unref();
      return stored;
    } catch (error) {
      await store.release(lease);
      throw error;
    }
  }

  get seq(): number {
    return this.#journal?.seq ?? 0;
  }

  get lease(): Lease | undefined {
    return this.#journal?.lease;
  }

  /** Notes what changed; written by the next {@link flush}. */
  record(before: AgentContext, after: AgentContext, more: readonly Fact[] = []): void {
    this.#journal?.record([...factsBetween(before, after), ...more]);
  }

  /** Puts an input into the session's inbox, to be acknowledged by the append that stores its messages. Undefined if its
   *  key was used before and its messages are stored. */
  async claim(key: string, messages: readonly Msg[]): Promise<readonly Msg[] | undefined> {
    const { store, settings } = this.#options;
    const data = JSON.parse(JSON.stringify({ messages })) as JsonObject;
    const state = await store.putInput(settings.sessionId, { id: key, data });
    return state === "duplicate" ? this.#unacknowledged(key) : messages;
  }

  /** The messages of this key are about to be noted. */
  acknowledge(key: string): void {
    this.#journal?.acknowledge(key);
  }

  async #unacknowledged(key: string): Promise<readonly Msg[] | undefined> {
    const { store, settings } = this.#options;
    const inputs = await store.takeInputs(settings.sessionId, Number.MAX_SAFE_INTEGER);
    return inputs.find(({ id }) => id === key)?.data["messages"] as readonly Msg[] | undefined;
  }

  /** Ends when everything noted is durable. A hold that ran out meanwhile, as while the storage was away, is renewed first. */
  async flush(): Promise<void> {
    if (!this.#journal) return;
    try {
      await this.#journal.flush();
    } catch (error) {
      this.#handleLoss(error);
      throw error;
    }
    if (this.#journal.lease.expiresAt <= this.#options.now()) await this.#renew();
  }

  /** Writes what was noted and gives the session up. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    const journal = this.#journal;
    if (!journal) return;
    try {
      await journal.flush();
    } finally {
      await this.#options.store.release(journal.lease).catch(() => {});
    }
  }

  /** Lets the lease expire as if the process had died. */
  abandon(): void {
    clearInterval(this.#renewing);
  }

  async #renew(): Promise<void> {
    try {
      await this.#journal?.renew(this.#leaseMs);
    } catch (error) {
      this.#handleLoss(error);
    }
  }

  #handleLoss(error: unknown): void {
    if (!AgentError.is(error)) return;
    if (error.code !== "session/conflict" && error.code !== "session/lease-lost") return;
    this.abandon();
    this.#options.onLost(error);
  }
}
