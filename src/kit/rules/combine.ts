import { check } from "../../core/base/options.ts";
import type { Law } from "../../core/tool/rules/law.ts";
import { isRule, type ReadLetter, type Rule } from "../../core/tool/rules/rule.ts";
import { msOf, ruleSchema, type Duration, type RuleOptions } from "./options.ts";
import { refused, ruleOf, sentenceOf, timeOf } from "./parts.ts";

/**
 * Demands that one of several rules holds; how they are enforced is said here and not there. Throws `config/invalid` for fewer than two,
 * and for rules of different scopes.
 *
 * @example
 * ```ts
 * import { anyOf, atMost, before } from "agentchart/rules";
 *
 * export const rule = anyOf([before("verify", "refund"), atMost(1, "refund")]);
 * ```
 */
export function anyOf(rules: readonly [Rule, Rule, ...Rule[]], options: RuleOptions = {}): Rule {
  check(ruleSchema(), options, "anyOf");
  if (!Array.isArray(rules) || rules.length < 2 || !rules.every(isRule))
    throw refused("anyOf", "expected at least two rules.");
  const [{ data }] = rules as readonly [Rule];
  if (rules.some((rule) => rule.data.scope !== data.scope))
    throw refused("anyOf", "expected rules of one scope: all about a session, or all about one turn.");
  const law: Law = { kind: "any", of: rules.map((rule) => rule.data.law) };
  const parts = rules.map((rule) => rule.parts);
  const read: ReadLetter | undefined = parts.some((part) => part.read)
    ? (name, input) => ({ of: parts.map((part) => part.read?.(name, input) ?? {}) })
    : undefined;
  const says = rules.map((rule) => ownWords(rule)?.replace(/\.$/u, "") ?? rule.parts.says).join(", or ");
  const functions = parts.flatMap((part) => part.functions);
  const name = rules.map((rule) => rule.data.name).join(" or ");
  const wants = { of: parts.map((part) => part.wants ?? {}) };
  const subjects = parts.map(({ subject }) => subject ?? "");
  const about = subjects.some((subject) => subject !== "") && { subject: JSON.stringify(subjects) };
  return ruleOf({ law, says, functions, ...about, ...(read && { read, wants }) }, name, {
    scope: data.scope,
    optional: rules.some(({ optional }) => optional),
    ...options,
  });
}

/**
 * Returns the rule with a window: what happened earlier does not count any more. Throws `config/invalid` for a rule without a past, and
 * for one that has a window.
 *
 * @example
 * ```ts
 * import { before, within } from "agentchart/rules";
 *
 * export const rule = within("1h", before("verify", "refund"));
 * ```
 */
export function within(duration: Duration, rule: Rule): Rule {
  const { data, parts } = checked("within", rule);
  const ms = msOf(duration);
  if (ms === undefined) throw refused("within", 'expected a length of time, such as "1h".');
  const { kind } = data.law;
  if (kind !== "before" && kind !== "never" && kind !== "limit")
    throw refused(
      "within",
      `the rule '${data.name}' looks at no past; expected before, never, atMost or sum.`,
    );
  if (data.law.within !== undefined)
    throw refused("within", `the rule '${data.name}' has a window already; expected one without.`);
  const law: Law = { ...data.law, within: ms };
  return ruleOf({ ...parts, law, says: `${parts.says}${timeOf(duration)}` }, data.name, given(rule));
}

/**
 * Returns the rule about what happens within one turn.
 *
 * @example
 * ```ts
 * import { atMost, inTurn } from "agentchart/rules";
 *
 * export const rule = inTurn(atMost(3, "search"));
 * ```
 */
export function inTurn(rule: Rule): Rule {
  const { data, parts } = checked("inTurn", rule);
  return ruleOf(parts, data.name, { ...given(rule), scope: "turn" });
}

/**
 * Returns the rule so that it only notes what it would have done.
 *
 * @example
 * ```ts
 * import { never, shadow } from "agentchart/rules";
 *
 * export const rule = shadow(never("send_mail").after("read_secret"));
 * ```
 */
export function shadow(rule: Rule): Rule {
  const { data, parts } = checked("shadow", rule);
  return ruleOf(parts, data.name, { ...given(rule), mode: "shadow" });
}

function checked(from: string, rule: Rule): Rule {
  if (!isRule(rule)) throw refused(from, "expected a rule, such as before(…) returns.");
  return rule;
}

/** The sentence that the options of a rule have given it; undefined if it has none of its own. */
const ownWords = ({ data, parts }: Rule): string | undefined =>
  data.says === sentenceOf(parts, data.scope) ? undefined : data.says;

function given(rule: Rule): RuleOptions {
  const { name, scope, onBreak, mode } = rule.data;
  return { name, scope, onBreak, mode, optional: rule.optional, says: ownWords(rule) };
}
