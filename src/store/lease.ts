import { randomUUID } from "node:crypto";
import { AgentError } from "../base/error.ts";
import type { Lease, SessionStore } from "./port.ts";

/** How long a lease lasts without being renewed unless an option says otherwise, ms. */
export const LEASE_MS = 30_000;

/** The error for a session that another process holds, or held until it was killed. */
export function sessionLocked(sessionId: string, leaseMs = LEASE_MS): AgentError {
  return new AgentError(
    "session/conflict",
    `Session '${sessionId}' is open in another process. If that process was killed, its lease expires within ${leaseMs / 1_000} s.`,
  );
}

/** Runs `work` with a lease of a session that is not opened otherwise, and releases it. Rejects with `locked()`, by default
 *  `session/conflict`, while another owner holds the lease. */
export async function withLease<T>(
  store: SessionStore,
  sessionId: string,
  work: (lease: Lease) => Promise<T>,
  locked: () => AgentError = () => sessionLocked(sessionId),
): Promise<T> {
  const lease = await store.acquire(sessionId, { owner: randomUUID(), ttlMs: LEASE_MS });
  if (!lease) throw locked();
  try {
    return await work(lease);
  } finally {
    await store.release(lease);
  }
}
