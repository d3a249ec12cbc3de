import { AgentError } from "../base/error.ts";
import type { Batch, Lease } from "./port.ts";

/** What an append is judged by. `owner` is null once the lease was released. */
export type AppendState = { readonly seq: number; readonly fence: number; readonly owner: string | null };

export function leaseLost(sessionId: string, fence: number, newest?: number): AgentError {
  const message =
    newest === fence || newest === undefined
      ? `Session '${sessionId}' is no longer leased with fence ${fence}.`
      : `Session '${sessionId}' is leased with fence ${newest}, not ${fence}.`;
  return new AgentError("session/lease-lost", message, { data: { sessionId, fence } });
}

/** The error an append must be refused with, or undefined if it fits. */
export function appendError(
  sessionId: string,
  batch: Batch,
  standing: AppendState | undefined,
): AgentError | undefined {
  const { fence, expectedSeq, entries } = batch;
  if (!standing || standing.owner === null || standing.fence !== fence) {
    return leaseLost(sessionId, fence, standing?.fence);
  }
  const { seq } = standing;
  const data = { sessionId, seq, expectedSeq };
  if (seq !== expectedSeq) {
    return new AgentError("session/conflict", `Session '${sessionId}' is at ${seq}, not at ${expectedSeq}.`, {
      data,
    });
  }
  const wrong = entries.findIndex((entry, index) => entry.seq !== expectedSeq + index + 1);
  if (wrong === -1) return undefined;
  const message = `Session '${sessionId}': entry ${expectedSeq + wrong + 1} came with the number ${entries[wrong]!.seq}.`;
  return new AgentError("session/conflict", message, { data });
}

/** The {@link Lease.takeovers} of the next lease, given the holder before it. */
export function nextTakeovers(
  former: { readonly owner: string | null; readonly takeovers?: number } | undefined,
  owner: string,
): number {
  if (!former || former.owner === null) return 0;
  return (former.takeovers ?? 0) + (former.owner === owner ? 0 : 1);
}

/** True if this is still the lease that may append. */
export function holdsLease(lease: Lease, standing: AppendState | undefined): boolean {
  return standing !== undefined && standing.owner !== null && standing.fence === lease.fence;
}

export function storeClosed(): AgentError {
  return new AgentError("store/failed", "The store is closed.");
}
