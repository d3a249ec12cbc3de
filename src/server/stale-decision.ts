import { AgentError } from "../core/base/error.ts";
import type { DecideOptions } from "../agent/types.ts";
import { readPending } from "../session/newest-state.ts";
import { isTaken } from "../session/input-outcome.ts";
import type { SessionInput, SessionStore } from "../store/port.ts";
import { readPosition } from "../store/shared.ts";
import { waitsBeforeRequest, type Decision, type PendingCall } from "../core/tool/pending.ts";
import type { CommandOptions } from "../worker/types.ts";

/** Asks the inbox first: an input that has left it meanwhile is in the journal. */
async function isRepeated(
  store: SessionStore,
  sessionId: string,
  key: string,
  waiting: readonly SessionInput[],
): Promise<boolean> {
  return waiting.some(({ id }) => id === key) || isTaken(store, sessionId, key);
}

/** True if a decision waits for a worker that the call will take. */
async function isBeingDecided(
  waiting: readonly SessionInput[],
  pending: readonly PendingCall[],
  call: PendingCall,
): Promise<boolean> {
  if (!waiting.some(({ data: { kind } }) => kind === "decide")) return false;
  const { takesDecision } = await import("../../machines/agent/updates/commands.ts"); // validates schemas
  return waiting.some(
    ({ data: { kind, callId, argsHash = call.argsHash, decision } }) =>
      kind === "decide" &&
      typeof callId === "string" &&
      pendingCall(pending, callId) === call &&
      argsHash === call.argsHash &&
      takesDecision(call, decision as Decision),
  );
}

/** Returns the call that a decision about `callId` is about: the id of a call stands for its only question, as it does for an agent. */
function pendingCall(pending: readonly PendingCall[], callId: string): PendingCall | undefined {
  const found = pending.find((each) => each.callId === callId);
  if (found) return found;
  const [question, ...others] = pending.filter((each) => each.callId.startsWith(`${callId}/`));
  return others.length === 0 ? question : undefined;
}

/**
 * Rejects with `run/stale-decision` if the stored data show that the decision is out of date. The call then does not wait, is decided, has
 * other arguments than the decision was made for, or a decision about it waits for a worker. The worker checks that again, as it may come
 * about meanwhile. A decision that was sent before with the same key is let through, so that its repetition is answered as such.
 */
export async function assertWaits(
  store: SessionStore,
  sessionId: string,
  callId: string,
  { argsHash, idempotencyKey }: CommandOptions & DecideOptions,
): Promise<void> {
  // the inbox before the session: a decision that is in neither has been refused
  const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  const found = await store.load(sessionId);
  const { phase, waitsFor } = readPosition(found?.position ?? {});
  if (phase === "quarantined" || waitsBeforeRequest(waitsFor)) return; // known when it goes on
  const pending = found ? await readPending(store, sessionId, found) : [];
  const call = pendingCall(pending, callId);
  const isSame = call?.argsHash === argsHash;
  const isFree = isSame && call?.decided === undefined;
  if (isFree && !(call && (await isBeingDecided(waiting, pending, call)))) return;
  if (idempotencyKey !== undefined && (await isRepeated(store, sessionId, idempotencyKey, waiting))) return;
  throw new AgentError("run/stale-decision", problemOf(call, isSame, callId), { data: { callId } });
}

/** True if one of these calls of the session waits for a decision that is neither made nor on its way to a worker. */
export async function isUndecided(
  store: SessionStore,
  sessionId: string,
  calls: readonly PendingCall[],
): Promise<boolean> {
  const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  const found = await store.load(sessionId);
  const pending = found ? await readPending(store, sessionId, found) : [];
  for (const call of pending) {
    const isOneOf = calls.some(
      ({ callId, argsHash }) => callId === call.callId && argsHash === call.argsHash,
    );
    if (isOneOf && call.decided === undefined && !(await isBeingDecided(waiting, pending, call))) return true;
  }
  return false;
}

function problemOf(call: PendingCall | undefined, isSame: boolean, callId: string): string {
  if (!call) return `Call '${callId}' waits for no decision.`;
  return isSame
    ? `Call '${callId}' is decided already; the first decision counts.`
    : `The arguments or the tool of call '${callId}' have changed since the decision was made.`;
}

/** The last decision that is on its way, by session, of the decisions that came to this process. */
const last = new WeakMap<SessionStore, Map<string, Promise<unknown>>>();

/** Sends the decisions about a session one after the other: each is checked when the one before it is stored. */
export async function inOrder<T>(store: SessionStore, sessionId: string, send: () => Promise<T>): Promise<T> {
  const sessions = last.get(store) ?? new Map<string, Promise<unknown>>();
  last.set(store, sessions);
  const sent = (sessions.get(sessionId) ?? Promise.resolve()).then(send);
  const settled = sent.catch(() => {});
  sessions.set(sessionId, settled);
  try {
    return await sent;
  } finally {
    if (sessions.get(sessionId) === settled) sessions.delete(sessionId);
  }
}
