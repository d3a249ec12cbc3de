import type { ErrorInfo } from "../core/base/error.ts";
import { hideSecrets } from "../core/base/secrets.ts";
import type { JsonObject } from "../core/base/json.ts";
import { truncated } from "../core/base/shown.ts";
import type { Msg } from "../core/message/types.ts";
import type { Fact } from "../session/entry.ts";
import { JOURNAL_FORMAT } from "../session/format.ts";
import { inputHash } from "../session/format.ts";
import { dueTime } from "../store/shared.ts";
import type { JournalEntry, Lease, SessionInput, SessionStore } from "../store/port.ts";
import type { InboxCommand } from "./inbox.ts";
import { promiseReport, tellReport, type Put } from "./turn-report.ts";

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
  return { code, message: `The agent '${agent}' cannot be made: ${truncated(hideSecrets(message))}` };
}

/** Returns what everyone may read about a session whose agent no worker has had for so long. */
export function noAgentError(agent: string | undefined, waitMs: number): ErrorInfo {
  const found =
    agent === undefined ? "The session names no agent" : `No worker has the agent '${truncated(agent)}'`;
  const message = `${found}. The input has waited ${Math.round(waitMs / 1_000)} s for one.`;
  return { code: "config/no-agent", message };
}

/** True for an input that was dispatched, and due, no later than `before`. What a process has put there for its own agent does not say when. */
export function waitsSince({ data, dueAt = 0 }: SessionInput, before: number): boolean {
  const { at } = data;
  return typeof at === "number" && Math.max(at, dueAt) <= before;
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

/** The entries that are written in place of an agent that does not exist. */
type Refusal = { readonly error: ErrorInfo; readonly meta: JsonObject; readonly at: number };
type RefusalOptions = Refusal & {
  readonly put: Put;
  /** The due inputs that are refused. */
  readonly includes: (input: SessionInput) => boolean;
};

async function append(
  store: SessionStore,
  { sessionId, fence }: Lease,
  facts: readonly Fact[],
  acknowledged: readonly SessionInput[],
  { error: { code, message }, meta, at }: Refusal,
): Promise<void> {
  const found = await store.load(sessionId);
  const seq = found?.seq ?? 0;
  const begin: readonly Fact[] = seq === 0 ? [{ type: "session", data: { format: JOURNAL_FORMAT } }] : [];
  const state = found?.position["state"] ?? "stopped.idle";
  const end: readonly Fact[] = typeof state === "string" ? [{ type: "position", data: { state } }] : []; // the events of an append end with its state
  const entries = [...begin, ...facts, ...end].map(({ type, data }, index): JournalEntry => ({
    seq: seq + index + 1,
    at,
    type,
    data: data as unknown as JsonObject,
  }));
  const position: JsonObject = {
    ...(found?.position ?? { phase: "stopped", state: "stopped.idle", meta }),
    error: { code, message: message.slice(0, MAX_MESSAGE).toWellFormed() },
  };
  const ackInputs = acknowledged.map(({ id }) => id);
  await store.append(sessionId, { expectedSeq: seq, fence, entries, position, ackInputs });
}

/** Tells the ends that other sessions have asked for: those of the refused inputs, and all others unless a turn is still open. Returns the
 *  reports that were made. */
async function tellReports(
  store: SessionStore,
  sessionId: string,
  { put, at }: Pick<RefusalOptions, "put" | "at">,
  refused: ReadonlySet<string>,
): Promise<readonly SessionInput[]> {
  const isAtRest = (await store.load(sessionId))?.position["phase"] === "stopped";
  const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  const told: SessionInput[] = [];
  for (const input of waiting) {
    const { kind, to, of } = input.data;
    if (kind !== "report" || typeof to !== "string" || typeof of !== "string") continue;
    if (!isAtRest && !refused.has(of)) continue;
    await tellReport(store, put, sessionId, { id: input.id, command: { kind, to, of, at }, at });
    told.push(input);
  }
  return told;
}

/**
 * Refuses due inputs of a session whose agent cannot be made or is unknown, in one append that acknowledges them. A process that is killed
 * before it has refused none, and the next one finds none after it. Then the sessions are told that have asked for the end of their turns.
 * Returns what it has refused.
 */
export async function refuseInputs(
  store: SessionStore,
  lease: Lease,
  refusal: RefusalOptions,
): Promise<readonly SessionInput[]> {
  const { sessionId } = lease;
  const { at, error } = refusal;
  const isRefused = (input: SessionInput): boolean => dueTime(input) <= at && refusal.includes(input);
  const isReport = ({ data }: SessionInput): boolean => data["kind"] === "report";
  const waiting = await store.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  const refused = waiting.filter((input) => isRefused(input) && !isReport(input));
  for (const input of refused)
    await promiseReport(store, sessionId, input, input.data as unknown as InboxCommand);
  if (refused.length > 0) {
    const facts = refused.flatMap((input) => factsOf(input, error));
    await append(store, lease, facts, refused, refusal);
  }
  const reports = await tellReports(store, sessionId, refusal, new Set(refused.map(({ id }) => id)));
  if (reports.length > 0) await append(store, lease, [], reports, refusal);
  return refused;
}
