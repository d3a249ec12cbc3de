import { isObject } from "../../../src/base/is-object.ts";
import type { Step } from "../wire/step.ts";
import type { CallRecord, Json, JsonObject } from "../wire/types.ts";
import { safeText } from "./format.ts";
import { headOf } from "./step-notes.ts";
import { detailOf, outcomeOfResult, toolOf, type Work } from "./work.ts";

type Outcome = Pick<Work, "state" | "detail">;

/** What hooks did, or what the check of permissions came to, as the payload of the step says; `calls` are those before it. */
export function outcomeOfService(step: Step, kind: Work["kind"], calls: readonly CallRecord[]): Outcome {
  const { event, payload } = step;
  if (event.startsWith("xstate.error")) {
    const error = isObject(payload) ? payload["error"] : undefined;
    return { state: "failed", detail: isObject(error) ? detailOf(error["message"]) : "" };
  }
  const output = isObject(payload) ? payload["output"] : undefined;
  if (!isObject(output)) return { state: "done", detail: "" };
  if (kind === "review") return outcomeOfReview(output, calls);
  return { state: "done", detail: kind === "hooks" ? textOfHooks(output, calls) : "" };
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value.filter(isObject) as readonly JsonObject[]) : [];

function nameIn(calls: readonly CallRecord[], id: Json | undefined): string {
  const record = calls.find(({ call }) => call.id === id);
  return record ? toolOf(record) : "a call";
}

/** Calls that may not run, or were answered without being run, each with why. */
function outcomeOfReview(
  { verdicts }: { readonly [key: string]: Json },
  calls: readonly CallRecord[],
): Outcome {
  const refused = listOf(verdicts).flatMap(({ callId, action, result }) => {
    const outcome = outcomeOfResult(result);
    if (action === "allow" || action === "ask" || outcome.state === "done") return [];
    return [`${nameIn(calls, callId)}: ${outcome.detail}`];
  });
  return refused.length === 0
    ? { state: "done", detail: "" }
    : { state: "failed", detail: refused.join("; ") };
}

/** The calls that hooks have denied or changed in a step, each with what they did. */
export function hooksOnCalls({
  event,
  payload,
}: Step): readonly { readonly callId: string; readonly text: string }[] {
  if (event !== "xstate.done.actor.runHooks" || !isObject(payload) || !isObject(payload["output"])) return [];
  return listOf(payload["output"]["calls"]).flatMap(({ callId, deny, input, by }) => {
    if (typeof callId !== "string" || (deny === undefined && input === undefined)) return [];
    const did = deny === undefined ? "its arguments were changed" : "denied";
    return [
      { callId, text: by === undefined ? `${did} by a hook` : `${did} by the hook ${safeText(headOf(by))}` },
    ];
  });
}

const PARTS: { readonly [key: string]: string } = {
  system: "the system prompt",
  pieces: "the messages",
  input: "the input",
  options: "the options",
  tools: "the tools",
};

/** What hooks changed, each with its name. */
function textOfHooks(output: { readonly [key: string]: Json }, calls: readonly CallRecord[]): string {
  const onCalls = listOf(output["calls"]).flatMap(({ callId, deny, input, by }) => {
    const hook = by === undefined ? "a hook" : safeText(headOf(by));
    if (deny !== undefined) return [`${hook} denied ${nameIn(calls, callId)}: ${detailOf(deny)}`];
    return input === undefined ? [] : [`${hook} changed the arguments of ${nameIn(calls, callId)}`];
  });
  const onPrompts = [...listOf(output["entered"]), ...listOf(output["edits"])].map(
    (edit) =>
      `${safeText(headOf(edit["hook"] ?? "a hook"))} changed ${Object.keys(edit)
        .flatMap((key) => PARTS[key] ?? [])
        .join(" and ")}`,
  );
  const asks = [
    ...(output["stop"] === true ? ["a hook stopped the turn"] : []),
    ...(output["goto"] === undefined ? [] : ["a hook asked the model once more"]),
  ];
  return [...onCalls, ...onPrompts, ...asks].join("; ");
}
