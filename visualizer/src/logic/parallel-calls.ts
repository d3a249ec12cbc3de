import { isObject } from "../../../src/core/base/json.ts";
import type { CallRecord, Json, JsonObject } from "../wire/types.ts";
import { safeText } from "./format.ts";
import { cut, isBlob } from "./json-rows.ts";
import { callRecords } from "./message-shape.ts";
import { headOf } from "./step-notes.ts";
import { t } from "../words/t.ts";

/** More calls than this are one chip instead of a badge each. */
export const MAX_CALL_BADGES = 3;
const MAX_NAME_LENGTH = 60;
const MAX_ARGUMENTS_LENGTH = 300;

/** The outcomes of a call of the open batch, in the order of the list: what needs attention is first. */
export const CALL_GROUPS = ["failed", "waiting", "running", "done"] as const;
export type CallGroup = (typeof CALL_GROUPS)[number];

/** A call of the open batch. */
export type ParallelCall = {
  readonly id: string;
  /** Its place in the batch. */
  readonly index: number;
  readonly name: string;
  /** The arguments as JSON on one line, cut. */
  readonly arguments: string;
  readonly group: CallGroup;
  /** The state that its card in the conversation shows too, such as "running", "success" or "denied". */
  readonly state: string;
  readonly attempt: number;
  /** Since when it is in this state, epoch ms. */
  readonly since: number;
};

/** The calls of the open batch in a context: failed ones first, then waiting, running and done ones. */
export function parallelCalls(context: JsonObject | undefined): readonly ParallelCall[] {
  const calls = context?.["calls"];
  if (!Array.isArray(calls)) return [];
  const all = calls.flatMap((record: Json, index) =>
    callRecords([record]).map((each) => toCall(each, index)),
  );
  return CALL_GROUPS.flatMap((group) => all.filter((call) => call.group === group));
}

/** Returns the number of calls in each group; groups without calls are left out. */
export function countCalls(calls: readonly ParallelCall[]): readonly (readonly [CallGroup, number])[] {
  return CALL_GROUPS.flatMap((group) => {
    const count = calls.filter((call) => call.group === group).length;
    return count > 0 ? [[group, count] as const] : [];
  });
}

/** Returns the time that a call has taken, or has been in its state until `now`, ms; undefined if it never ran. */
export function callTime(
  { group, since, index }: ParallelCall,
  starts: ReadonlyMap<number, number>,
  now: number,
): number | undefined {
  if (group === "running" || group === "waiting") return Math.max(0, now - since);
  const start = starts.get(index);
  return start === undefined ? undefined : Math.max(0, since - start);
}

function toCall({ call, status, since, attempt, result, asks }: CallRecord, index: number): ParallelCall {
  const isDone = status === "done" || status === "denied";
  const outcome = isObject(result) ? headOf(result.state) : headOf(status);
  const isSuccess = outcome === "success";
  return {
    id: headOf(call.id),
    index,
    name: cut(safeText(headOf(call.name)), MAX_NAME_LENGTH),
    arguments: cut(safeText(argumentsText(call.input)), MAX_ARGUMENTS_LENGTH),
    group: isDone ? (isSuccess ? "done" : "failed") : status === "running" ? "running" : "waiting",
    state: isDone ? outcome : asks === undefined ? headOf(status) : "pending",
    attempt,
    since,
  };
}

/** Returns the text for the state of a call: one that was approved has not run yet, or waits to be tried again. */
export function callStateText(state: string, attempt: number, isDecided = false): string {
  if (state !== "approved" || (isDecided && attempt === 0)) return t(state);
  return attempt > 0 ? t("retrying") : t("not run yet");
}

const argumentsText = (input: Json): string =>
  JSON.stringify(input, (_, value: Json) => (isBlob(value) ? `${value.head}…` : value));
