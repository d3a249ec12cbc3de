import type { ElicitResult, InputRequest } from "@modelcontextprotocol/server";
import { isObject, type Json, type JsonObject } from "../core/base/json.ts";
import { redactSecrets } from "../core/base/secrets.ts";
import { typedValue, type Decision, type PendingCall } from "../core/tool/pending.ts";

const MAX_TEXT = 2_000;
const PRIMITIVES = new Set(["string", "number", "integer", "boolean"]);
const CHOICES = {
  approval: ["approve", "deny"],
  stopRequested: ["approve", "deny"],
  unknownOutcome: ["retry", "deny"],
} as const;
/** Names what a person is asked for where the schema is not a form. */
const ANSWER = "answer";

/** True for an object of primitive values, which hosts can show as a form. */
function isForm(schema: JsonObject | undefined): boolean {
  const properties = schema?.["type"] === "object" ? schema["properties"] : undefined;
  return (
    isObject(properties) &&
    Object.values(properties).every((each) => isObject(each) && PRIMITIVES.has(String(each["type"])))
  );
}

const choicesOf = ({ waitsFor }: PendingCall): readonly string[] | undefined =>
  (CHOICES as { readonly [waitsFor in PendingCall["waitsFor"]]?: readonly string[] })[waitsFor];

function messageOf(agent: string, { name, input, reason, waitsFor, path = [] }: PendingCall): string {
  const call = `${[...path, name].join(" > ")} ${JSON.stringify(redactSecrets(input))}`;
  const about = reason === undefined || reason === "" ? "" : `\n${reason}`;
  const what = {
    approval: "wants to run",
    stopRequested: "was stopped before it runs",
    unknownOutcome: "does not know whether this has run:",
    answer: "asks, for",
    externalResult: "needs the result of",
  }[waitsFor];
  return `Agent '${agent}' ${what} ${call}${about}`.slice(0, MAX_TEXT).toWellFormed();
}

/** Returns the question that the person at the host is asked about an open call. */
export function questionOf(agent: string, call: PendingCall): InputRequest {
  const message = messageOf(agent, call);
  if (call.ask?.kind === "url" && call.ask.url !== undefined)
    return {
      method: "elicitation/create",
      params: { mode: "url", message, url: call.ask.url },
    } as InputRequest;
  const choices = choicesOf(call);
  const decision = { type: "string", enum: choices, title: "Decision" };
  const note = { type: "string", title: "Reason", maxLength: MAX_TEXT };
  const requestedSchema = choices
    ? { type: "object", properties: { decision, reason: note }, required: ["decision"] }
    : isForm(call.answerSchema)
      ? call.answerSchema
      : { type: "object", properties: { [ANSWER]: { type: "string" } }, required: [ANSWER] };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } } as InputRequest;
}

function refusal({ waitsFor }: PendingCall, reason: unknown): Decision {
  if (waitsFor === "answer") return { decline: true };
  return typeof reason === "string" && reason !== ""
    ? { deny: reason.slice(0, MAX_TEXT).toWellFormed() }
    : "deny";
}

/** The decision in what the host returned; undefined if the person decided nothing. */
export function decisionOf(call: PendingCall, result: unknown): Decision | undefined {
  const { action, content = {} } = (isObject(result) ? result : {}) as Partial<ElicitResult>;
  if (action === "decline") return refusal(call, undefined);
  if (action !== "accept") return undefined;
  const { decision, reason, [ANSWER]: answer } = content;
  const choices = choicesOf(call);
  if (choices) {
    if (decision === "deny") return refusal(call, reason);
    if (decision !== choices[0]) return undefined;
    return call.waitsFor === "unknownOutcome" ? "retry" : "approve";
  }
  if (call.ask?.kind === "url") return { respond: null };
  if (isForm(call.answerSchema))
    return call.waitsFor === "answer" ? { respond: content as Json } : { answer: JSON.stringify(content) };
  if (typeof answer !== "string") return undefined;
  return call.waitsFor === "answer" ? { respond: typedValue(answer, call.answerSchema) } : { answer };
}
