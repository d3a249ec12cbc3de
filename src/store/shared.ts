import { AgentError, configError } from "../core/base/error.ts";
import {
  type Batch,
  type FormerHolder,
  type Lease,
  SESSION_PHASES,
  type SessionFilter,
  type SessionInfo,
  type SessionPage,
  type SessionPhase,
  type DuePage,
  type SessionInput,
} from "./port.ts";
import { isObject, type Json, type JsonObject } from "../core/base/json.ts";
import { REASONS } from "../core/message/types.ts";
import type { WaitsFor } from "../core/tool/pending.ts";
import { pageOf } from "./sql/page-of.ts";

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

/** The error of a read whose session was deleted meanwhile. */
export function deletedMeanwhile(sessionId: string): AgentError {
  return new AgentError("session/not-found", `Session '${sessionId}' was deleted while it was read.`);
}

/** Throws `config/invalid` unless `id` is a valid id of a session, an input or an owner. `what` begins the message. */
export function checkId(id: string, what: string): void {
  if (typeof id === "string" && id !== "" && id.isWellFormed()) return;
  throw configError(`${what} must be a non-empty string of well-formed Unicode.`);
}

/** The prefix of the ids under which the package stores what is not a session, such as schedules. `list` and `search` leave them out, unless
 *  their `prefix` begins so. */
export const OWN_PREFIX = "agentchart/";

/** The prefix of the ids under which schedules are stored. */
export const SCHEDULE_PREFIX = `${OWN_PREFIX}schedule/`;

/** True for the wake-up of a schedule. */
export const isSchedule = (sessionId: string): boolean => sessionId.startsWith(SCHEDULE_PREFIX);

/** True for an id that a list with this prefix leaves out. */
export function isLeftOut(id: string, prefix = ""): boolean {
  return id.startsWith(OWN_PREFIX) && !prefix.startsWith(OWN_PREFIX);
}

/** Returns the SQL condition that does the same as {@link isLeftOut}, if there is anything to leave out. */
export function leftOut(prefix = ""): readonly string[] {
  if (prefix.startsWith(OWN_PREFIX)) return [];
  return [`NOT (session_id >= '${OWN_PREFIX}' AND session_id < '${keyAfterPrefix(OWN_PREFIX)}')`];
}

/** The order of {@link SessionStore.list}: by code point, as UTF-8 sorts; JavaScript's `<` sorts by UTF-16 unit. */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// SQL strings cannot hold U+0000. U+0001 escapes it, and itself; the order of ids stays the same.
const [NUL, ESCAPE] = ["\u0000", "\u0001"];
const [ESCAPED_NUL, ESCAPED_ESCAPE] = ["\u0001\u0001", "\u0001\u0002"];

/** Encodes an id for a SQL column or a queue; different ids stay different and in the same order. */
export function toKey(id: string): string {
  return id.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll(NUL, ESCAPED_NUL);
}

/** Decodes what {@link toKey} returned. */
export function fromKey(key: string): string {
  return key.replaceAll(ESCAPED_NUL, NUL).replaceAll(ESCAPED_ESCAPE, ESCAPE);
}

/** Returns the first key after all keys that begin with `prefix`; undefined if there is none. */
export function keyAfterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0)!);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
}

/** The fields of a position that stores read; `meta` is undefined if this position has none. */
export type PositionFields = Pick<
  SessionInfo,
  "phase" | "reason" | "waitsFor" | "wakeAt" | "agent" | "title" | "error"
> & {
  readonly meta?: JsonObject;
};

/** Reads the fields of a position. Never throws: a field of another type counts as absent. */
export function readPosition(position: JsonObject): PositionFields {
  const { phase, waitsFor, wakeAt, meta, agent, title, error } = position;
  const reason = REASONS.find((known) => known === position["reason"]);
  return {
    phase: SESSION_PHASES.find((known) => known === phase) ?? "unfinished",
    ...(reason && { reason }),
    waitsFor: Array.isArray(waitsFor) ? (waitsFor as readonly WaitsFor[]) : [],
    ...(typeof wakeAt === "number" && { wakeAt }),
    ...(typeof agent === "string" && { agent }),
    ...(typeof title === "string" && { title }),
    ...(isErrorInfo(error) && { error }),
    ...(isObject(meta) && { meta }),
  };
}

function isErrorInfo(value: Json | undefined): value is { readonly code: string; readonly message: string } {
  return isObject(value) && typeof value["code"] === "string" && typeof value["message"] === "string";
}

/** True if nothing runs in this phase until an input, a decision or a time comes. */
export function isAtRest(phase: SessionPhase): boolean {
  return phase === "stopped" || phase === "suspended";
}

/** Maps equal values to equal JSON, whatever the order of their keys. */
function canonical(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => canonical(item));
  if (!isObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return { fields: keys.map((key) => [key, canonical(value[key]!)]) };
}

/** Returns each key of a `meta` with its value as one string: a `meta` filter holds if the session has all its labels. */
export function labelsOf(meta: JsonObject): string[] {
  return Object.entries(meta).map(([key, value]) => JSON.stringify([key, canonical(value)]));
}

/** True if the filter's `phase`, `meta` and `wakeBefore` hold; the store applies `prefix` and `cursor` itself. */
export function matchesFilter(info: SessionInfo, { phase, meta, wakeBefore }: SessionFilter): boolean {
  if (phase !== undefined && info.phase !== phase) return false;
  if (wakeBefore !== undefined && !(info.wakeAt !== undefined && info.wakeAt <= wakeBefore)) return false;
  if (meta === undefined) return true;
  const labels = new Set(labelsOf(info.meta));
  return labelsOf(meta).every((label) => labels.has(label));
}

/** Returns when an input is due, epoch ms; 0 for one that is due at once. */
export function dueTime({ dueAt = 0 }: Pick<SessionInput, "dueAt">): number {
  return dueAt;
}

/** True if {@link SessionStore.listDue} lists a session whose lease is free. `info` is undefined for a session that has only
 *  inputs; `hasInput`: one of them is due. */
export function isSessionDue(info: SessionInfo | undefined, hasInput: boolean, before: number): boolean {
  if (!info) return hasInput;
  const { phase, wakeAt = Number.POSITIVE_INFINITY } = info;
  if (phase === "quarantined") return false;
  return hasInput || phase === "running" || phase === "unfinished" || wakeAt <= before;
}

/** As {@link pageOf}, for ids. */
export function duePage(found: readonly string[], limit: number): DuePage {
  const { items, ...next } = pageOf(found, limit, (id) => id);
  return { sessionIds: items, ...next };
}

/** As {@link pageOf}, for sessions. */
export function sessionPage(found: readonly SessionInfo[], limit: number): SessionPage {
  const { items, ...next } = pageOf(found, limit, ({ sessionId }) => sessionId);
  return { sessions: items, ...next };
}

/** True for the labels of a session inside of a call of another one, which drives it; one in the background is driven by workers. */
export function isInnerSession({ parent }: JsonObject): boolean {
  return isObject(parent) && parent["isBackground"] !== true;
}
