import { AgentError } from "../base/error.ts";
import type { DecideOptions } from "../agent/types.ts";
import { readPending } from "../session/read-pending.ts";
import { isTaken } from "../session/input-outcome.ts";
import type { SessionStore } from "../store/port.ts";
import { readPosition } from "../store/position.ts";
import type { PendingCall } from "../tool/pending.ts";
import type { CommandOptions } from "../worker/types.ts";

/** Asks the inbox first: an input that has left it meanwhile is in the journal. */
async function isRepeated(store: SessionStore, sessionId: string, key: string): Promise<boolean> {
  const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  return waiting.some(({ id }) => id === key) || isTaken(store, sessionId, key);
}

/** What a decision about `callId` is about: the id of a call stands for its only question, as it does for an agent. */
function pendingCall(pending: readonly PendingCall[], callId: string): PendingCall | undefined {
  const found = pending.find((each) => each.callId === callId);
  if (found) return found;
  const [question, ...others] = pending.filter((each) => each.callId.startsWith(`${callId}/`));
  return others.length === 0 ? question : undefined;
}

/**
 * Rejects with `run/stale-decision` if what is stored shows that a call does not wait, is decided, or has other arguments than the
 * decision was made for. The worker checks that again, as it may come about meanwhile. A decision that was sent before with the same
 * key is let through, so that its repetition is answered as such.
 */
export async function assertWaits(
  store: SessionStore,
  sessionId: string,
  callId: string,
  { argsHash, idempotencyKey }: CommandOptions & DecideOptions,
): Promise<void> {
  const found = await store.load(sessionId);
  const { phase, waitsFor } = readPosition(found?.position ?? {});
  if (phase === "quarantined" || waitsFor.includes("budget")) return; // known when it goes on
  const pending = found ? await readPending(store, sessionId, found) : [];
  const call = pendingCall(pending, callId);
  const isSame = call?.argsHash === argsHash;
  if (isSame && call?.decided === undefined) return;
  if (idempotencyKey !== undefined && (await isRepeated(store, sessionId, idempotencyKey))) return;
  const message =
    call && !isSame
      ? `The arguments or the tool of call '${callId}' have changed since the decision was made.`
      : `Call '${callId}' waits for no decision.`;
  throw new AgentError("run/stale-decision", message, { data: { callId } });
}
