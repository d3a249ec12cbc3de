import { isObject } from "../message/is-object.ts";
import { AgentError } from "../error/error.ts";
import { frozenCopy, isTooDeep } from "../message/frozen.ts";
import { outputProblem } from "../message/validate.ts";
import { jsonSchemaOf } from "../tool/schema.ts";
import { schemaProblem } from "../tool/schema-problem.ts";
import type { Schema } from "../tool/types.ts";
import type { Limits } from "../turn/context.ts";
import type { Decision } from "../turn/pending.ts";
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
  for (const [name, limit] of Object.entries(limits)) {
    if (!Object.hasOwn(LIMITS, name)) throw invalid(`${from}: \`${name}\` is no limit.`);
    if (limit !== undefined && !isAbove0(limit))
      throw invalid(`${from}: \`${name}\` is ${String(limit)}; expected a number above 0.`);
  }
}

/** Throws `config/invalid` that names the first option of a call that makes no sense. */
export function checkCallOptions(options: CallOptions<unknown, never>): void {
  if (!isObject(options as unknown)) throw invalid("call: the options must be an object.");
  const { output, timeoutMs, whenBusy, idempotencyKey, signal, fallbackReply } = options;
  const problems: { readonly [name in keyof CallOptions]?: boolean } = {
    output: output !== undefined && !isObject(output) && typeof output !== "function",
    timeoutMs: timeoutMs !== undefined && (typeof timeoutMs !== "number" || Number.isNaN(timeoutMs)),
    whenBusy: whenBusy !== undefined && whenBusy !== "refuse" && whenBusy !== "queue",
    idempotencyKey:
      idempotencyKey !== undefined && (typeof idempotencyKey !== "string" || idempotencyKey === ""),
    signal: signal !== undefined && typeof signal?.addEventListener !== "function",
    fallbackReply: fallbackReply !== undefined && typeof fallbackReply !== "string",
  };
  const wrong = Object.entries(problems).find(([, isWrong]) => isWrong)?.[0];
  if (wrong !== undefined) throw invalid(`call: the option \`${wrong}\` has a value that makes no sense.`);
  const problem = output === undefined ? undefined : schemaProblem(jsonSchemaOf(output as Schema));
  if (problem !== undefined) throw invalid(`call: the schema \`output\` cannot be used: ${problem}.`);
}
