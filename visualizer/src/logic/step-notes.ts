import type { Step } from "../wire/step.ts";
import type { Json, JsonObject, Msg, PatchOp, Usage } from "../wire/types.ts";
import { bytes } from "./format.ts";
import { cut, isBlob } from "./json-rows.ts";
import { isMessage } from "./message-shape.ts";
import { isObject } from "../../../src/base/is-object.ts";

/** The messages that a step added to the transcript. */
export function messagesOf(step: Step): readonly Msg[] {
  return step.patch.flatMap((op) => {
    if (op[1][0] !== "messages") return [];
    if (op[0] === "+" && op[1].length === 1) return op[2].filter(isMessage);
    if (op[0] !== "=") return [];
    const set = op[1].length === 1 && Array.isArray(op[2]) ? op[2] : op[1].length === 2 ? [op[2]] : [];
    return set.filter(isMessage);
  });
}

/** The value that a step set for a key of the context; undefined if it did not set it. */
export function setBy(step: Step, key: string): Json | undefined {
  const op = step.patch.find(([kind, path]) => kind === "=" && path.length === 1 && path[0] === key);
  return (op as Extract<PatchOp, readonly ["=", ...unknown[]]> | undefined)?.[2];
}

/**
 * The usage that a step added, counted once: with the model's answer, or with the message if there was no
 * answer.
 */
export function usageOf(step: Step): Usage | undefined {
  const draft = setBy(step, "draft");
  if (isObject(draft) && isMessage(draft["message"])) return draft["message"].usage;
  if (draft === null) return undefined;
  return messagesOf(step).find(({ role, usage }) => role === "assistant" && usage)?.usage;
}

/** True if a step recorded a failure, or an attempt failed in it. */
export function isFailure(step: Step): boolean {
  const failure = failureOf(step);
  if ((failure && failure["code"] !== "run/shutdown") || step.event.startsWith("xstate.error")) return true;
  if (step.event.startsWith("xstate.done.actor.tool.")) return resultOf(step)?.["state"] === "error";
  if (step.event === "timer.due") return endsCall(step);
  return messagesOf(step).some(({ content }) =>
    content.some((block) => block.type === "tool_result" && block.state === "error"),
  );
}

/**
 * What failed in a step: what it left in the context, or else the attempt that it ended. The context of the step does not show an
 * attempt that is answered at once, by the fallback model or by a summary that says what failed.
 */
function failureOf(step: Step): JsonObject | undefined {
  const failure = setBy(step, "failure");
  if (isObject(failure)) return failure;
  const output = isObject(step.payload) ? step.payload["output"] : undefined;
  const error = isObject(output) ? output["error"] : undefined;
  if (isObject(error)) return error;
  return endsTimeout(step) ? { code: "model/timeout" } : undefined;
}

/** The result of the attempt that a step ended, as its payload says. */
function resultOf({ payload }: Step): JsonObject | undefined {
  const output = isObject(payload) ? payload["output"] : undefined;
  const result = isObject(output) ? output["result"] : undefined;
  return isObject(result) ? (result as JsonObject) : undefined;
}

/** True if a call ran out of time in a step: it has no deadline any more. */
const endsCall = ({ patch }: Step): boolean =>
  patch.some(
    ([kind, [key, index, field]]) =>
      kind === "d" &&
      key === "calls" &&
      typeof index === "number" &&
      (field === undefined || field === "deadlineAt"),
  );

/** True if a step ended an attempt that had timed out. */
function endsTimeout({ patch }: Step): boolean {
  return patch.some(
    ([kind, [key, field], value]) =>
      kind === "=" && key === "request" && field === "timedOut" && value === false,
  );
}

const COMMAND_NOTES: { readonly [event: string]: string } = {
  "run.interrupt": "interrupted",
  "run.steer": "steered",
  "run.shutdown": "paused",
  "budget.extend": "budget extended",
  "session.compact": "summed up",
  "session.edit": "messages edited",
  "session.resume": "resumed",
};
const DECISION_NOTES: { readonly [decision: string]: string } = {
  approve: "approved",
  deny: "denied",
  edit: "edited",
  answer: "answered",
  retry: "run again",
};
/** What a command did of which only the type is stored. */
const STORED_NOTES: { readonly [event: string]: string } = {
  ...COMMAND_NOTES,
  call: "called",
  "tool.decide": "decided",
};

/**
 * What a command of the inspector did: "approved in the inspector", or who has decided: "approved by maria"; "" for other steps of
 * the program. A stored position has the edges of the command, and not its payload: "decided in the inspector".
 */
export function commandNote({ by, event, payload, edges }: Step): string {
  const name = deciderOf(event, payload);
  if (event === "call" && name !== undefined) return `decided by ${name}`;
  if (event === "tool.decide" && name !== undefined && name !== by)
    return `${decisionNote(payload)} by ${name}`;
  if (by === undefined) return "";
  if (event === "position") {
    const commands = edges.map((id) => id.split("|")[1]!).filter((each) => Object.hasOwn(STORED_NOTES, each));
    return `${STORED_NOTES[commands.at(-1) ?? ""] ?? "changed"} in the ${by}`;
  }
  const details = isObject(payload) ? payload : {};
  const { input } = details;
  const call = Array.isArray(input) && input.length > 0 ? "sent" : "resumed";
  return `${event === "tool.decide" ? decisionNote(payload) : (COMMAND_NOTES[event] ?? call)} in the ${by}`;
}

function decisionNote(payload: Step["payload"]): string {
  const { decision = "" } = isObject(payload) ? payload : {};
  const kind = isObject(decision) ? Object.keys(decision)[0]! : String(decision);
  return DECISION_NOTES[kind] ?? "decided";
}

/** Who has decided, as a decision or the record of a decided call says. */
function deciderOf(event: string, payload: Step["payload"]): string | undefined {
  if (!isObject(payload)) return undefined;
  const { set } = payload;
  const { decidedBy } = event === "call" && isObject(set) ? set : payload;
  return typeof decidedBy === "string" ? decidedBy : undefined;
}

/** Describes a step in a few words; "" if nothing stands out. */
export function noteOf(step: Step): string {
  return [commandNote(step), noteOfChange(step)].filter((note) => note !== "").join(" · ");
}

function noteOfChange(step: Step): string {
  const message = messagesOf(step).at(-1);
  if (message) return noteOfMessage(message);
  const draft = setBy(step, "draft");
  if (isObject(draft) && isMessage(draft["message"])) return noteOfMessage(draft["message"]);
  const failure = failureOf(step);
  if (failure) return `${String(failure["code"])} ${cut(headOf(failure["message"] ?? ""), 90)}`.trimEnd();
  const view = setBy(step, "view");
  if (isObject(view) && isMessage(view["summary"])) return noteOfMessage(view["summary"]);
  const outcome = setBy(step, "outcome");
  if (isObject(outcome)) return String(outcome["reason"]);
  return noteOfCalls(step);
}

function noteOfCalls(step: Step): string {
  const calls = setBy(step, "calls");
  const records = Array.isArray(calls) ? calls.filter(isObject) : [];
  const running = records.filter(({ status }) => status === "running");
  if (running.length > 0) return `running ${running.map(({ call }) => nameOf(call)).join(", ")}`;
  const needApproval = records.filter(({ asks }) => asks !== undefined);
  return needApproval.length > 0
    ? `needs approval: ${needApproval.map(({ call }) => nameOf(call)).join(", ")}`
    : "";
}

const nameOf = (call: Json | undefined): string => (isObject(call) ? headOf(call["name"] ?? "") : "a call");

function noteOfMessage({ role, content }: Msg): string {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [headOf(block.name)] : []));
  if (calls.length > 0) return `→ ${calls.join(", ")}`;
  const result = content.find((block) => block.type === "tool_result");
  if (result?.type === "tool_result") {
    const length = result.output.reduce((sum, part) => sum + ("text" in part ? lengthOf(part.text) : 0), 0);
    return `${headOf(result.name)} ${result.state === "success" ? "returned" : result.state} ${bytes(length)}`;
  }
  const text = content.find((block) => block.type === "text");
  return text?.type === "text" ? `${role}: ${cut(headOf(text.text).replaceAll(/\s+/g, " "), 90)}` : role;
}

/** The text, or the beginning of a blob. */
export const headOf = (text: Json): string => (isBlob(text) ? text.head : String(text));
const lengthOf = (text: Json): number => (isBlob(text) ? text.length : String(text).length);
