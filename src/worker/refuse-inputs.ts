import type { ErrorInfo } from "../base/error.ts";
import { hideSecrets } from "../base/hide-secrets.ts";
import type { JsonObject } from "../base/json.ts";
import { shortened } from "../base/shown.ts";
import type { Msg } from "../message/types.ts";
import type { Fact } from "../session/entry.ts";
import { JOURNAL_FORMAT } from "../session/format.ts";
import { inputHash } from "../session/input-outcome.ts";
import { dueTime } from "../store/due.ts";
import type { JournalEntry, Lease, SessionInput, SessionStore } from "../store/port.ts";

/** The number of characters of an error in a position, which must stay small. */
const MAX_MESSAGE = 120;
/** The areas of errors that say nothing about an agent: what it needs is away, or another process has the session. */
const TRANSIENT = /^(store|queue|session)\//;

/** True if an error says that an agent cannot be made, and not that something it needs is away. */
export function countsAsTry({ code, isRetryable }: ErrorInfo): boolean {
  return isRetryable !== true && !TRANSIENT.test(code);
}

/** Returns what everyone may read of the error with which an agent could not be made: no data, and no secret that its text quotes. */
export function publicError({ code, message }: ErrorInfo, agent: string): ErrorInfo {
  return { code, message: `The agent '${agent}' cannot be made: ${shortened(hideSecrets(message))}` };
}

function factsOf({ id, data }: SessionInput, error: ErrorInfo): readonly Fact[] {
  const { kind = "call", messages } = data;
  const hash =
    kind === "call" && Array.isArray(messages) ? inputHash(messages as unknown as Msg[]) : undefined;
  return [
    { type: "position", data: { taken: id, ...(hash !== undefined && { hash }) } },
    { type: "input.refused", data: { id, error } },
  ];
}

/**
 * Refuses the due inputs of a session whose agent cannot be made, in one append that acknowledges them: whoever is killed before it has
 * refused none, and whoever does it again finds none. Reports of turns stay: they are for another session. Returns what it has refused.
 */
export async function refuseInputs(
  store: SessionStore,
  lease: Lease,
  { error, meta, at }: { readonly error: ErrorInfo; readonly meta: JsonObject; readonly at: number },
): Promise<readonly SessionInput[]> {
  const { sessionId, fence } = lease;
  const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  const refused = waiting.filter((input) => dueTime(input) <= at && input.data["kind"] !== "report");
  if (refused.length === 0) return [];
  const found = await store.load(sessionId);
  const seq = found?.seq ?? 0;
  const begin: readonly Fact[] = seq === 0 ? [{ type: "session", data: { format: JOURNAL_FORMAT } }] : [];
  const state = found?.position["state"] ?? "stopped.idle";
  const end: readonly Fact[] = typeof state === "string" ? [{ type: "position", data: { state } }] : []; // the events of an append end with its state
  const facts = [...begin, ...refused.flatMap((input) => factsOf(input, error)), ...end];
  const entries = facts.map(({ type, data }, index): JournalEntry => ({
    seq: seq + index + 1,
    at,
    type,
    data: data as unknown as JsonObject,
  }));
  const { code, message } = error;
  const position: JsonObject = {
    ...(found?.position ?? { phase: "stopped", state: "stopped.idle", meta }),
    error: { code, message: message.slice(0, MAX_MESSAGE) },
  };
  const ackInputs = refused.map(({ id }) => id);
  await store.append(sessionId, { expectedSeq: seq, fence, entries, position, ackInputs });
  return refused;
}
