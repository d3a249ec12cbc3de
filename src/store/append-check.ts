import { AgentError } from "../core/base/error.ts";
import type { Batch, FormerHolder, Lease } from "./port.ts";

/** The part of a session that an append is checked against. `owner` is null once the lease was released. */
export type AppendState = { readonly seq: number; readonly fence: number; readonly owner: string | null };

/** The error for a lease that is no longer the newest; `newest` is the fence that is, if known. */
export function leaseLost(sessionId: string, fence: number, newest?: number): AgentError {
  const message =
    newest === fence || newest === undefined
      ? `Session '${sessionId}' is no longer leased with fence ${fence}.`
      : `Session '${sessionId}' is leased with fence ${newest}, not ${fence}.`;
  return new AgentError("session/lease-lost", message, { data: { sessionId, fence } });
}

/** Returns the error that {@link SessionStore.append} must reject with, or undefined if the batch is accepted. */
export function appendError(
  sessionId: string,
  batch: Batch,
  state: AppendState | undefined,
): AgentError | undefined {
  const { fence, expectedSeq, entries } = batch;
  if (!state || state.owner === null || state.fence !== fence)
    return leaseLost(sessionId, fence, state?.fence);
  const { seq } = state;
  const data = { sessionId, seq, expectedSeq };
  if (seq !== expectedSeq) {
    const message = `Session '${sessionId}' is at seq ${seq}; the append expected ${expectedSeq}.`;
    return new AgentError("session/conflict", message, { data });
  }
  const wrong = entries.findIndex((entry, index) => entry.seq !== expectedSeq + index + 1);
  if (wrong === -1) return undefined;
  const message = `Session '${sessionId}': expected an entry with seq ${expectedSeq + wrong + 1}, found ${entries[wrong]!.seq}.`;
  return new AgentError("session/conflict", message, { data });
}

/** Returns the {@link Lease.takeovers} of the lease that `owner` acquires after `former`. */
export function nextTakeovers(
  former: { readonly owner: string | null; readonly takeovers?: number } | undefined,
  owner: string,
): number {
  if (!former || former.owner === null) return 0;
  return (former.takeovers ?? 0) + (former.owner === owner ? 0 : 1);
}

/** Returns the {@link Lease.takenFrom} of the lease that `owner` acquires after `former`, whose lease ended at `expiresAt`. */
export function takenFrom(
  former: { readonly owner: string | null } | undefined,
  owner: string,
  expiresAt: number,
): { readonly takenFrom?: FormerHolder } {
  if (!former || former.owner === null || former.owner === owner) return {};
  return { takenFrom: { owner: former.owner, expiresAt } };
}

/** True if this lease is the newest of the session and was not released. */
export function holdsLease(lease: Lease, state: AppendState | undefined): boolean {
  return state !== undefined && state.owner !== null && state.fence === lease.fence;
}

/** The error of every call after `close`. */
export function storeClosed(): AgentError {
  return new AgentError("store/failed", "The store is closed.");
}
