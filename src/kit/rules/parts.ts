import { type AgentError, configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { truth } from "../../core/base/wrong-answer.ts";
import { isCounted, isJudged, type Law, type Letter, type RuleData } from "../../core/tool/rules/law.ts";
import type { ReadLetter, Rule, RuleParts, Wants } from "../../core/tool/rules/rule.ts";
import { ruleEngine } from "./engine.ts";
import { idOf } from "./letters.ts";
import { msOf, type AboutOptions, type Duration, type Per, type RuleOptions } from "./options.ts";

/** A tool by its name, in which `*` stands for any characters and `?` for one; of several each is meant. */
export type Tools = string | readonly string[];

/** The most tools that `onlyIf` may know of: its predicate is asked once for each set of them. */
export const MAX_KNOWN = 4;

/** An error of the function `from`. */
export function refused(from: string, problem: string): AgentError {
  return configError(`${from}: ${problem}`);
}

/** The names of tools or people. Throws `config/invalid` for something else. */
export function namesOf(from: string, what: string, tools: Tools): readonly string[] {
  const names = typeof tools === "string" ? [tools] : tools;
  const isRight =
    Array.isArray(names) &&
    names.length > 0 &&
    names.every((name) => typeof name === "string" && name !== "");
  if (!isRight) throw refused(from, `expected ${what} as the name of a tool or a list of names.`);
  return Object.freeze([...names]);
}

/** Names of tools as words. */
export const listed = (names: readonly string[], word = "or"): string =>
  names.map((name) => `\`${name}\``).join(` ${word} `);

/** A window as words. */
export const timeOf = (within: Duration | undefined): string =>
  within === undefined ? "" : ` within ${typeof within === "number" ? `${within} ms` : within}`;

/** Returns the subject of calls, as words. */
export const perOf = (per: Per | undefined): string => {
  if (per === undefined) return "";
  return typeof per === "string" ? ` per ${per}` : " for the same matter";
};

/** Reads what a call is about. */
function keyIn(per: Per, name: string, input: JsonObject): string {
  const value: unknown = typeof per === "function" ? per(input, name) : input[per];
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new TypeError(
    typeof per === "string"
      ? `its argument '${per}' is not a text, a number or a boolean`
      : "`per` gave no text and no finite number",
  );
}

/** The functions of rules of a tool: a call that the law is not about is not read further. */
export function reader(
  law: Law,
  {
    per,
    when,
    counts,
    amount,
  }: {
    readonly per?: Per | undefined;
    readonly when?: AboutOptions["when"] | undefined;
    readonly counts?: AboutOptions["when"] | undefined;
    readonly amount?: ((input: JsonObject) => number) | undefined;
  },
): Pick<RuleParts, "read" | "functions" | "wants" | "subject"> {
  const functions = [per, when, counts, amount].filter((each) => typeof each === "function");
  if (functions.length === 0 && per === undefined) return { functions };
  const read: ReadLetter = (name, input): Letter => {
    const letter: { -readonly [Key in keyof Letter]: Letter[Key] } = {};
    const [judged, counted] = [isJudged(law, name), isCounted(law, name)];
    if (judged && when !== undefined && !truth("`when`", when(input))) letter.isOther = true;
    if (counted && counts !== undefined && !truth("`if`", counts(input))) letter.isVoid = true;
    const matters = (judged && !letter.isOther) || (counted && !letter.isVoid && law.kind !== "limit");
    if (matters && per !== undefined) letter.key = keyIn(per, name, input);
    if (matters && amount) letter.amount = amountOf(amount(input));
    return letter;
  };
  const wants: Wants = {
    ...(per !== undefined && { key: true }),
    ...(amount && { amount: true }),
    ...(when && { isOther: true }),
    ...(counts && { isVoid: true }),
  };
  return {
    read,
    wants,
    functions: functions as RuleParts["functions"],
    ...(typeof per === "string" && { subject: per }),
  };
}

function amountOf(value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new TypeError(`the amount is ${String(value)}; expected a number of at least 0`);
}

/** Returns the demand of a rule as a sentence, for one that is not given another. */
export const sentenceOf = ({ says }: RuleParts, scope: RuleData["scope"]): string =>
  `${says}, in ${scope === "turn" ? "one turn" : "a session"}.`;

/** Returns a rule of its parts, named so unless its options say otherwise. */
export function ruleOf(
  parts: RuleParts,
  named: string,
  {
    name = named,
    says,
    scope = "session",
    onBreak = "deny",
    mode = "enforce",
    optional = false,
  }: RuleOptions,
): Rule {
  const data: RuleData = {
    name,
    says: says ?? sentenceOf(parts, scope),
    id: idOf(parts, scope),
    scope,
    onBreak,
    mode,
    reads: parts.read !== undefined,
    law: parts.law,
  };
  return Object.freeze({ data: Object.freeze(data), optional, parts, engine: ruleEngine });
}

/** A window as the law has it. */
export const withinOf = (within: Duration | undefined): { readonly within?: number } =>
  within === undefined ? {} : { within: msOf(within)! };
