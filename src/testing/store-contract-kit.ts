import assert from "node:assert/strict";
import { AgentError, type ErrorCode } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Batch, JournalEntry, Lease, SessionStore } from "../store/port.ts";

/** One empty storage. */
export type StoreUnderTest = {
  /** A handle on it, as one process would have; asked for several of them, they share the storage. The suite closes them. */
  open(options: { readonly now: () => number }): SessionStore | Promise<SessionStore>;
  /** Removes the storage. */
  dispose?(): void | Promise<void>;
};

/** What a test of the contract works with. */
export type StoreContractContext = {
  readonly store: SessionStore;
  /** Another handle on the same storage. */
  readonly open: () => Promise<SessionStore>;
  /** The time the stores see, epoch ms. */
  readonly clock: { now: number };
};

/** A fact about every store, and the way to see it. */
export type StoreContractTest = readonly [
  title: string,
  check: (test: StoreContractContext) => Promise<void>,
];

export const TTL_MS = 10_000;

export async function rejectsWith(attempt: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(attempt, (error) => {
    assert.ok(AgentError.is(error), `${String(error)} is no AgentError`);
    assert.equal(error.code, code);
    return true;
  });
}

export async function acquireLease(store: SessionStore, sessionId: string, owner = "anna"): Promise<Lease> {
  const lease = await store.acquire(sessionId, { owner, ttlMs: TTL_MS });
  assert.ok(lease, `${owner} got no lease of ${sessionId}`);
  return lease;
}

export function entryOf(seq: number, data: JsonObject = { n: seq }): JournalEntry {
  return { seq, at: 1_000 + seq, type: "fact", data };
}

/** A batch of `count` entries behind `expectedSeq`. */
export function batchOf(
  { fence }: Pick<Lease, "fence">,
  expectedSeq: number,
  count = 1,
  more: Partial<Batch> = {},
): Batch {
  const entries = Array.from({ length: count }, (_, index) => entryOf(expectedSeq + index + 1));
  return { expectedSeq, fence, entries, position: { phase: "running", at: expectedSeq + count }, ...more };
}

/** A session that has had one append; lists show `position`. */
export async function createSession(
  store: SessionStore,
  sessionId: string,
  position: JsonObject = { phase: "stopped" },
): Promise<Lease> {
  const lease = await acquireLease(store, sessionId);
  await store.append(sessionId, batchOf(lease, 0, 1, { position }));
  return lease;
}

export async function collectAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Everything a reader can see of a session. */
export async function viewOf(store: SessionStore, sessionId: string): Promise<unknown> {
  return {
    loaded: await store.load(sessionId),
    entries: await collectAll(store.read(sessionId)),
    inputs: await store.takeInputs(sessionId, 100),
    listed: (await store.list({ prefix: sessionId })).sessions,
  };
}
