import assert from "node:assert/strict";
import type { JsonObject } from "../core/base/json.ts";
import type { Batch, JournalEntry, Lease, SessionStore } from "../store/port.ts";
import type { ContractTests } from "./contract.ts";

/** An empty storage for one test of {@link storeContract}. */
export type StoreUnderTest = {
  /** Opens a store, as one process would. All stores of one storage share its sessions. The contract closes them. `now`: the
   *  clock of leases and lists, epoch ms. */
  open(options: { readonly now: () => number }): SessionStore | Promise<SessionStore>;
  /** Removes the storage after the test. */
  dispose?(): void | Promise<void>;
};

/** The objects with which a test of the contract works. */
export type StoreContractContext = {
  /** An open store. */
  readonly store: SessionStore;
  /** Opens another store on the same storage. */
  readonly open: () => Promise<SessionStore>;
  /** The time of the stores, epoch ms. */
  readonly clock: { now: number };
};

/** A test of the contract. */
export type StoreContractTests = ContractTests<StoreContractContext>;

/** The duration of a lease, ms. */
export const TTL_MS = 10_000;

/** Acquires a lease; fails if there is none. */
export async function acquireLease(store: SessionStore, sessionId: string, owner = "anna"): Promise<Lease> {
  const lease = await store.acquire(sessionId, { owner, ttlMs: TTL_MS });
  assert.ok(lease, `acquire returned no lease of ${sessionId} for ${owner}`);
  return lease;
}

/** Returns a journal entry. */
export function entryOf(seq: number, data: JsonObject = { n: seq }): JournalEntry {
  return { seq, at: 1_000 + seq, type: "fact", data };
}

/** Returns a batch of `count` entries after `expectedSeq`. */
export function batchOf(
  { fence }: Pick<Lease, "fence">,
  expectedSeq: number,
  count = 1,
  more: Partial<Batch> = {},
): Batch {
  const entries = Array.from({ length: count }, (_, index) => entryOf(expectedSeq + index + 1));
  return { expectedSeq, fence, entries, position: { phase: "running", at: expectedSeq + count }, ...more };
}

/** Creates a session with one append and returns its lease. */
export async function createSession(
  store: SessionStore,
  sessionId: string,
  position: JsonObject = { phase: "stopped" },
): Promise<Lease> {
  const lease = await acquireLease(store, sessionId);
  await store.append(sessionId, batchOf(lease, 0, 1, { position }));
  return lease;
}

/** Returns everything that an iterable yields. */
export async function collectAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Returns everything that a store shows of a session. */
export async function viewOf(store: SessionStore, sessionId: string): Promise<unknown> {
  return {
    loaded: await store.load(sessionId),
    entries: await collectAll(store.read(sessionId)),
    inputs: await store.takeInputs(sessionId, 100),
    listed: (await store.list({ prefix: sessionId })).sessions,
  };
}
