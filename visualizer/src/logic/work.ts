import { isObject } from "../../../src/core/base/json.ts";
import { cutOff, readAccount } from "./call-account.ts";
import type { Step } from "../wire/step.ts";
import type { CallRecord, Json, JsonObject } from "../wire/types.ts";
import { safeText } from "./format.ts";
import { cut } from "./json-rows.ts";
import { callRecords } from "./message-shape.ts";
import { headOf, UNKNOWN_STEPS } from "./step-notes.ts";
import { t } from "../words/t.ts";

/** The kind of work that takes time in a run: a turn, a request to the model, hooks, one attempt of a call, a wait for somebody. */
export type WorkKind = "turn" | "model" | "hooks" | "tool" | "wait" | "review" | "store" | "rest";

/** Something that took time, or still does. */
export type Work = {
  /** Its place in the run. */
  readonly id: number;
  readonly kind: WorkKind;
  /** The name of the work, in a word or two: "model", the name of a tool, the point of hooks. */
  name: string;
  /** The call of a tool. */
  readonly callId?: string;
  /** The arguments of the call on one line. */
  readonly input?: string;
  /** Counts the attempts of a call, from 1. */
  readonly attempt: number;
  /** The step that began it, and the one that ended it; undefined while it lasts. */
  readonly from: number;
  to?: number;
  /** Since the observation began, ms. */
  readonly begin: number;
  end?: number;
  /** "failed" with the first line of why in `detail`. */
  state: "running" | "done" | "failed" | "stopped";
  detail: string;
  /** An attempt of a call that ended with a question: the call has no result yet, and goes on with the answer. */
  asks?: boolean;
};

/** The name of the work of a model that sums up the conversation. */
export const SUMMARY = t("summary of the conversation");

/** The services of the agent's chart. */
const SERVICES: { readonly [service: string]: Extract<WorkKind, "model" | "hooks" | "review" | "store"> } = {
  callModel: "model",
  runHooks: "hooks",
  reviewCalls: "review",
  commit: "store",
};

/** The kind of the work of a service; undefined for one that is not of the agent's chart. */
export const kindOfService = (service: string): WorkKind | undefined =>
  Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;

const MAX_INPUT = 160;
const MAX_DETAIL = 300;

/** The first line of what a failure says, cut. */
export const detailOf = (text: Json | undefined): string =>
  text === undefined ? "" : cut(safeText(headOf(text).trim().split("\n")[0]!), MAX_DETAIL);

/** Returns the outcome of the attempt that a step ended. */
export function outcomeOfAttempt(
  { event, account }: Step,
  record: CallRecord | undefined,
  attempt: number,
): Pick<Work, "state" | "detail"> {
  if (event === "timer.due" && !isFinished(record)) return { state: "failed", detail: t("ran out of time") };
  if (event === "run.interrupt") return { state: "stopped", detail: "interrupted" };
  if (record?.status === "unknown")
    return { state: "stopped", detail: t("its process ended, and its outcome is unknown") };
  const why = cutOff(readAccount(record?.account), attempt);
  if (why !== undefined) return { state: "failed", detail: detailOf(why) };
  const { result } = account ?? {};
  return outcomeOfResult(
    result ? { state: result.state, output: [{ type: "text", text: result.text }] } : record?.result,
  );
}

const isFinished = (record: CallRecord | undefined): boolean => record?.result !== undefined;

/** Returns the outcome of a result. */
export function outcomeOfResult(result: Json | undefined): Pick<Work, "state" | "detail"> {
  if (!isObject(result)) return { state: "done", detail: "" };
  const { state, output } = result;
  if (state === "success") return { state: "done", detail: textOfOutput(output) };
  if (state === "interrupted") return { state: "stopped", detail: "interrupted" };
  return { state: state === "error" ? "failed" : "stopped", detail: textOfOutput(output) };
}

const textOfOutput = (output: Json | undefined): string => {
  const text = Array.isArray(output) ? output.find((part) => isObject(part) && "text" in part) : undefined;
  return isObject(text) ? detailOf(text["text"]) : "";
};

/** Returns the outcome of a request to the model that a step ended. */
export function outcomeOfModel({ event, account }: Step): Pick<Work, "state" | "detail"> {
  const { error } = account ?? {};
  if (error?.code === "model/timeout" && error.message === "")
    return { state: "failed", detail: t("ran out of time") };
  if (error) return { state: "failed", detail: `${error.code ?? ""} ${detailOf(error.message)}`.trim() };
  if (event === UNKNOWN_STEPS) return { state: "done", detail: t("its outcome is not known") };
  return event.startsWith("xstate.done")
    ? { state: "done", detail: "" }
    : { state: "stopped", detail: "stopped" };
}

/** The calls of a context, by the place of the record. */
export const callsOf = (context: JsonObject): readonly CallRecord[] => callRecords(context["calls"]);

/** The name of a call's tool, safe to display. */
export const toolOf = ({ call }: CallRecord): string => cut(safeText(headOf(call.name)), 60);

/** The arguments of a call on one line, cut. */
export const inputOf = ({ call }: CallRecord): string =>
  cut(safeText(JSON.stringify(call.input) ?? ""), MAX_INPUT);
