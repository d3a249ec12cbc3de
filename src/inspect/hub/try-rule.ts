import { parsedJson, isObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { problemOf } from "../../core/base/options.ts";
import { RuleTrial, type TrialFinding, type TriedRule } from "../../core/tool/rules/trial.ts";
import { applyPatch } from "../protocol/patch.ts";
import type { RunLog } from "./run-log.ts";

const names = s.listOf(s.nonEmpty());
const schema = s.lazily(() =>
  s.options<TriedRule>({
    kind: s.oneOf("before", "never", "atMost", "sum", "approvedBy"),
    then: names,
    first: s.optional(names),
    per: s.optional(s.nonEmpty()),
    max: s.optional(s.atLeast(0)),
    amount: s.optional(s.nonEmpty()),
    people: s.optional(names),
    withinMs: s.optional(s.atLeast(1)),
    scope: s.oneOf("session", "turn"),
  }),
);
/** The longest rule that is read, in characters. */
const MAX_LENGTH = 4_000;

/** Reads a rule that a page sends; returns what is wrong with it as a text. */
export function readTriedRule(text: string | undefined): TriedRule | string {
  if (text === undefined || text.length > MAX_LENGTH)
    return `\`rule\` must be a rule as JSON, of at most ${MAX_LENGTH} characters.`;
  const value = parsedJson(text);
  if (value === undefined) return "`rule` is not JSON.";
  if (!isObject(value)) return "`rule` must be an object.";
  return problemOf(schema(), value) ?? (value as unknown as TriedRule);
}

/** Tries a rule on the steps of a run that are left of it. */
export function tryRule(log: RunLog, rule: TriedRule): readonly TrialFinding[] {
  const trial = new RuleTrial(rule);
  let context = log.contextAt(log.first - 1) ?? {};
  for (const { q, p } of log.steps()) {
    if (p) context = applyPatch(context, p);
    trial.add(q, context);
  }
  return trial.findings;
}
