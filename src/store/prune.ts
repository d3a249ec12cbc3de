import { AgentError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import { LABELS_SESSION } from "./labels-session.ts";
import { LEASE_MS, withLeaseIfFree } from "./lease.ts";
import type { Lease, PruneOptions, PruneReport, SessionInfo, SessionStore } from "./port.ts";
import { exportWhole } from "./transfer.ts";
import { pagesOf } from "./pages.ts";

/** The schema of {@link PruneOptions}. */
export const pruneSchema = s.lazily(() =>
  s.options<PruneOptions>(
    {
      olderThan: s.atLeast(0),
      prefix: s.optional(s.string()),
      meta: s.optional(s.object()),
      dryRun: s.optional(s.boolean()),
      archive: s.optional(s.func()),
      onSession: s.optional(s.func()),
      signal: s.optional(s.having("addEventListener", "an AbortSignal")),
    },
    { what: "options, such as { olderThan: 30 * 86_400_000 }" },
  ),
);

/** The errors about a session that stays: it is damaged, or another process has it by now, or has deleted it. */
const STAYS: ReadonlySet<string> = new Set(["session/damaged", "session/lease-lost", "session/not-found"]);

/** The stopped sessions of a store whose last append was before `before`. */
async function* stoppedBefore(
  store: SessionStore,
  before: number,
  { prefix, meta, signal }: PruneOptions,
): AsyncGenerator<SessionInfo> {
  const filter = {
    phase: "stopped",
    ...(prefix !== undefined && { prefix }),
    ...(meta && { meta }),
  } as const;
  for await (const { sessions } of pagesOf((from) => store.list({ ...filter, ...from })))
    for (const session of sessions) {
      if (signal?.aborted) return;
      if (session.updatedAt < before && session.sessionId !== LABELS_SESSION) yield session;
    }
}

/** True if the session is still as it was listed, and no input waits. */
async function isUnchanged(store: SessionStore, { sessionId, seq }: SessionInfo): Promise<boolean> {
  const found = await store.load(sessionId);
  if (found?.seq !== seq || found.position["phase"] !== "stopped") return false;
  return (await store.takeInputs(sessionId, 1)).length === 0;
}

async function isHeld(store: SessionStore, { sessionId }: SessionInfo): Promise<boolean> {
  return ((await store.holder?.(sessionId))?.leftMs ?? 0) > 0;
}

/**
 * Implements {@link SessionStore.prune} with the other operations of a store. `now` is the clock of its leases and lists.
 *
 * The lease keeps writers away from the session while it is archived and deleted. An input needs no lease: one that comes in the
 * meantime stays, and begins a new session.
 */
export async function pruneSessions(
  store: SessionStore,
  options: PruneOptions,
  now: () => number,
): Promise<PruneReport> {
  check(pruneSchema(), options, "prune");
  const { olderThan, dryRun = false, archive, onSession } = options;
  let [pruned, kept] = [0, 0];
  const prune = async (session: SessionInfo, lease: Lease): Promise<boolean> => {
    const { sessionId } = session;
    if (!(await isUnchanged(store, session))) return false;
    if (archive) {
      await archive(session, exportWhole(store, sessionId));
      await store.renew(lease, LEASE_MS); // the archive may have taken longer than the lease
    }
    return store.delete(sessionId, { keepsInputs: true });
  };
  const pruneFree = async (session: SessionInfo): Promise<boolean> => {
    try {
      if (dryRun) return !(await isHeld(store, session)) && (await isUnchanged(store, session));
      return (await withLeaseIfFree(store, session.sessionId, (lease) => prune(session, lease))) ?? false;
    } catch (error) {
      if (AgentError.is(error) && STAYS.has(error.code)) return false;
      throw error;
    }
  };
  for await (const session of stoppedBefore(store, now() - olderThan, options)) {
    const isPruned = await pruneFree(session);
    if (isPruned) pruned++;
    else kept++;
    if (isPruned) onSession?.(session);
  }
  return { pruned, kept };
}
