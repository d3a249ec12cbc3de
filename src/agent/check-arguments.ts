import { AgentError } from "../base/error.ts";
import { check, isRight } from "../base/options.ts";
import { frozenCopy } from "../base/freeze.ts";
import { jsonSchemaOf } from "../tool/schema.ts";
import { schemaProblem } from "../tool/schema-problem.ts";
import { decisionSchema } from "../tool/decision-schema.ts";
import type { Schema } from "../tool/types.ts";
import { limitsSchema } from "../../machines/agent/limits-schema.ts";
import type { Decision } from "../tool/pending.ts";
import { callSchema } from "./call-schema.ts";
import type { CallOptions } from "./types.ts";

/** Returns a frozen copy of a decision. Throws `config/invalid` for any other value. */
export function checkDecision(decision: unknown): Decision {
  check(decisionSchema(), decision, "decide", "The decision");
  return frozenCopy(decision) as Decision;
}

/** Throws `config/invalid` unless these are limits, each a number above 0; `from` is what the message begins with. */
export function checkLimits(limits: unknown, from: string): void {
  check(limitsSchema(), limits, from);
}

/** Throws `config/invalid` that names the first option of a call that makes no sense. */
export function checkCallOptions(options: CallOptions<unknown, never>): void {
  if (!isRight(callSchema(), options as CallOptions<unknown>))
    check(callSchema(), options, "call", "The argument `options`");
  const { output } = options;
  const problem = output === undefined ? undefined : schemaProblem(jsonSchemaOf(output as Schema));
  if (problem !== undefined)
    throw new AgentError("config/invalid", `call: the schema \`output\` cannot be used: ${problem}.`);
}
