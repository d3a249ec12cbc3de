import { isObject } from "../base/is-object.ts";
import { AgentError } from "../base/error.ts";
import { shown, strangerIn } from "../base/options.ts";
import { frozenCopy, isTooDeep } from "../base/freeze.ts";
import { outputProblem } from "../message/validate.ts";
import { jsonSchemaOf } from "../tool/schema.ts";
import { schemaProblem } from "../tool/schema-problem.ts";
import type { Schema } from "../tool/types.ts";
import type { Limits } from "../../machines/agent/context.ts";
import type { Decision } from "../tool/pending.ts";
import type { CallOptions } from "./types.ts";

function invalid(problem: string): AgentError {
  return new AgentError("config/invalid", problem);
}

const isAbove0 = (value: unknown): boolean => typeof value === "number" && value > 0;

/** Whether each form of a decision that is no word is one. */
const FORMS: { readonly [part: string]: (value: unknown) => boolean } = {
  approve: (value) => value === true,
  deny: (value) => typeof value === "string",
  edit: (value) => isObject(value) && !isTooDeep(value),
  answer: (value) => typeof value === "string" || outputProblem(value) === undefined,
};

/** The same decision, which nobody can change. Throws `config/invalid` for what is none. */
export function checkDecision(decision: unknown): Decision {
  if (decision === "approve" || decision === "deny" || decision === "retry") return decision;
  const { remember, ...parts } = isObject(decision) ? decision : {};
  const [first, ...more] = Object.entries(parts);
  const form = first?.[0] ?? "";
  const isForm = more.length === 0 && Object.hasOwn(FORMS, form) && FORMS[form]!(first?.[1]);
  const fits =
    remember === undefined || (form === "approve" && (remember === "tool" || remember === "input"));
  if (isForm && fits) return frozenCopy(decision) as Decision;
  throw invalid(
    'decide: a decision is "approve", "deny", "retry", { approve: true, remember? }, { deny: text }, { edit: arguments } or { answer }.',
  );
}

const LIMITS: { readonly [limit in keyof Limits]-?: true } = {
  modelCalls: true,
  toolCalls: true,
  inputTokens: true,
  outputTokens: true,
  totalTokens: true,
  cost: true,
  wallMs: true,
};

/** Throws `config/invalid` unless these are limits, each a number above 0; `from` is what the message names. */
export function checkLimits(limits: unknown, from: string): void {
  if (!isObject(limits)) throw invalid(`${from}: expected an object of limits.`);
  const stranger = strangerIn(limits, Object.keys(LIMITS), "limit");
  if (stranger !== undefined) throw invalid(`${from}: ${stranger}`);
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== undefined && !isAbove0(limit))
      throw invalid(`${from}: \`${name}\` is ${shown(limit)}; expected a number above 0.`);
  }
}

const isText = (value: unknown): boolean => typeof value === "string";

/** Each option of a call: what it must be, and whether a value is that. */
const OPTIONS: {
  readonly [name in keyof CallOptions | "cumulative"]-?: readonly [string, (value: unknown) => boolean];
} = {
  output: ["a schema", (value) => isObject(value) || typeof value === "function"],
  context: ["anything", () => true],
  timeoutMs: ["a number of ms", (value) => typeof value === "number" && !Number.isNaN(value)],
  fallbackReply: ["a text", isText],
  whenBusy: ['"refuse" or "queue"', (value) => value === "refuse" || value === "queue"],
  idempotencyKey: ["a text of at least 1 character", (value) => isText(value) && value !== ""],
  signal: [
    "an AbortSignal",
    (value) => typeof (value as AbortSignal | null)?.addEventListener === "function",
  ],
  cumulative: ["true or false", (value) => typeof value === "boolean"],
};

/** Throws `config/invalid` that names the first option of a call that makes no sense. */
export function checkCallOptions(options: CallOptions<unknown, never>): void {
  if (!isObject(options as unknown)) throw invalid("call: the options must be an object.");
  const stranger = strangerIn(options, Object.keys(OPTIONS), "option");
  if (stranger !== undefined) throw invalid(`call: ${stranger}`);
  for (const [name, [kind, isRight]] of Object.entries(OPTIONS)) {
    const value: unknown = options[name as keyof CallOptions];
    if (value !== undefined && !isRight(value))
      throw invalid(`call: \`${name}\` is ${shown(value)}; expected ${kind}.`);
  }
  const { output } = options;
  const problem = output === undefined ? undefined : schemaProblem(jsonSchemaOf(output as Schema));
  if (problem !== undefined) throw invalid(`call: the schema \`output\` cannot be used: ${problem}.`);
}
