import { AgentError } from "../core/base/error.ts";
import { newOwner, readOwner } from "./leases.ts";
import type { Lease, SessionStore } from "./port.ts";

/** The duration of a lease without being renewed unless an option says otherwise, ms. */
export const LEASE_MS = 30_000;
/** The number of inputs that come with the lease of somebody who takes them from the inbox; if so many come, there may be more. */
export const LEASED_INPUTS = 20;

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

/** Returns the error for a session whose lease another owner holds. Its `data.holder` has the host, the pid and the name of the
 *  holder as far as they are known, and its `retryAt` is when the lease ends unless it is renewed. */
export async function sessionLocked(
  store: SessionStore,
  sessionId: string,
  { leaseMs = LEASE_MS, now = Date.now }: { readonly leaseMs?: number; readonly now?: () => number } = {},
): Promise<AgentError> {
  const found = await store.holder?.(sessionId);
  const { holder, isOurs = false } = (found && readOwner(found.owner)) ?? {};
  const agent = holder?.["name"] === undefined ? "" : `agent '${String(holder["name"])}'`;
  const where = holder
    ? ` (pid ${String(holder["pid"])} on '${String(holder["host"])}'${agent && `, ${agent}`})`
    : "";
  const left = found ? Math.max(0, found.leftMs) : leaseMs;
  const message = isOurs
    ? `Session '${sessionId}' is open in this process already${agent && `, by ${agent}`}: close that agent first, or use it.`
    : `Session '${sessionId}' is open in another process${where}. If that process was killed, its lease expires within ${seconds(left)}.`;
  return new AgentError("session/conflict", message, {
    retryAt: now() + (found ? left : 0),
    data: { sessionId, ...(holder && { holder }), ...(isOurs && { isThisProcess: true }) },
  });
}

/** True for an error which says that another process has the session. */
export const isLoss = (error: unknown): error is AgentError =>
  AgentError.is(error) && (error.code === "session/conflict" || error.code === "session/lease-lost");

/** Returns a function to be called during a long piece of work, which renews leases of {@link LEASE_MS} in time. They are held to keep others
 *  away: it does not matter when one has expired. It rejects `session/lease-lost` once another owner has one. */
export function keeping(...leases: readonly (readonly [SessionStore, Lease])[]): () => Promise<void> {
  let renewedAt = performance.now();
  return async () => {
    if (performance.now() - renewedAt < LEASE_MS / 3) return;
    renewedAt = performance.now();
    await Promise.all(leases.map(([store, lease]) => store.renew(lease, LEASE_MS)));
  };
}

/** Runs `work` with a lease of a session that is not opened otherwise, and releases it. Returns undefined, and runs nothing, while
 *  another owner holds the lease. */
export async function withLeaseIfFree<T>(
  store: SessionStore,
  sessionId: string,
  work: (lease: Lease) => Promise<T>,
): Promise<T | undefined> {
  const lease = await store.acquire(sessionId, { owner: newOwner(), ttlMs: LEASE_MS });
  if (!lease) return undefined;
  try {
    return await work(lease);
  } finally {
    await store.release(lease).catch(() => {}); // it expires; what was done is done, or has an error of its own
  }
}

/** As {@link withLeaseIfFree}; rejects with `locked()`, by default `session/conflict`, while another owner holds the lease. */
export async function withLease<T>(
  store: SessionStore,
  sessionId: string,
  work: (lease: Lease) => Promise<T>,
  locked: () => AgentError | Promise<AgentError> = () => sessionLocked(store, sessionId),
): Promise<T> {
  const held = async (lease: Lease) => ({ result: await work(lease) });
  const done = await withLeaseIfFree(store, sessionId, held);
  if (!done) throw await locked();
  return done.result;
}
