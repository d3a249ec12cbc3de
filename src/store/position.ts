import { isObject, type Json, type JsonObject } from "../core/base/json.ts";
import { REASONS } from "../core/message/types.ts";
import type { WaitsFor } from "../core/tool/pending.ts";
import {
  SESSION_PHASES,
  type SessionFilter,
  type SessionInfo,
  type SessionPhase,
  type DuePage,
  type SessionInput,
} from "./port.ts";

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

/** Returns a page of `limit` ids out of the first `limit + 1`. */
export function duePage(sessionIds: readonly string[], limit: number): DuePage {
  const page = sessionIds.slice(0, limit);
  return { sessionIds: page, ...(sessionIds.length > limit && limit > 0 && { cursor: page.at(-1)! }) };
}

/** True for the labels of a session inside of a call of another one, which drives it; one in the background is driven by workers. */
export function isInnerSession({ parent }: JsonObject): boolean {
  return isObject(parent) && parent["isBackground"] !== true;
}
