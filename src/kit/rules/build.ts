import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { truth } from "../../core/base/wrong-answer.ts";
import { isJudged, type Law } from "../../core/tool/rules/law.ts";
import type { ReadLetter, Rule } from "../../core/tool/rules/rule.ts";
import {
  aboutSchema,
  beforeSchema,
  onlyIfSchema,
  ruleSchema,
  sumSchema,
  type AboutOptions,
  type RuleOptions,
} from "./options.ts";
import {
  listed,
  MAX_KNOWN,
  namesOf,
  perOf,
  reader,
  refused,
  ruleOf,
  timeOf,
  withinOf,
  type Tools,
} from "./parts.ts";

/**
 * Demands that one of the tools `first` has succeeded before `then` runs. A batch that holds both is put in order. With `per` both
 * must be about the same; `if` says which successes count, and `answers` that a result that somebody gave in the place of an execution
 * counts too. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel, type Tool } from "agentchart";
 * import { atMost, before } from "agentchart/rules";
 *
 * export const deskOf = (model: ChatModel, tools: readonly Tool[]) =>
 *   createAgent({
 *     name: "desk",
 *     model,
 *     tools,
 *     rules: [before("verify", "refund", { per: "customerId" }), atMost(1, "refund", { per: "orderId" })],
 *   });
 * ```
 */
export function before(
  first: Tools,
  then: Tools,
  options: AboutOptions & {
    readonly answers?: boolean | undefined;
    readonly if?: ((input: JsonObject) => boolean) | undefined;
  } = {},
): Rule {
  check(beforeSchema(), options, "before");
  const { per, when, within, answers, if: counts } = options;
  const law: Law = {
    kind: "before",
    first: namesOf("before", "what comes first", first),
    then: namesOf("before", "what comes then", then),
    ...withinOf(within),
    ...(answers === true && { answers }),
  };
  const says = `${listed(law.then)} runs only after ${listed(law.first)} has succeeded${perOf(per)}${timeOf(within)}`;
  const name = `${law.then.join("|")} after ${law.first.join("|")}`;
  return ruleOf({ law, says, ...reader(law, { per, when, counts }) }, name, options);
}

/** The beginning of a rule that forbids. */
export type Never = {
  /** Forbids it once one of these tools has succeeded, or may have. Throws `config/invalid` for wrong options. */
  after(
    tools: Tools,
    options?: AboutOptions & { readonly if?: ((input: JsonObject) => boolean) | undefined },
  ): Rule;
};

/**
 * Forbids a tool once another one has succeeded: `never("send_mail").after("read_secret")`.
 *
 * @example
 * ```ts
 * import { never } from "agentchart/rules";
 *
 * export const rule = never("send_mail").after(["read_secret", "read_mail"]);
 * ```
 */
export function never(then: Tools): Never {
  const forbidden = namesOf("never", "what is forbidden", then);
  return {
    after(tools, options = {}) {
      check(beforeSchema(), options, "never");
      const { per, when, within, if: counts } = options;
      const law: Law = {
        kind: "never",
        after: namesOf("never", "after what", tools),
        then: forbidden,
        ...withinOf(within),
      };
      const says = `${listed(forbidden)} does not run after ${listed(law.after)} has succeeded${perOf(per)}${timeOf(within)}`;
      const name = `no ${forbidden.join("|")} after ${law.after.join("|")}`;
      return ruleOf({ law, says, ...reader(law, { per, when, counts }) }, name, options);
    },
  };
}

/**
 * Allows so many successful calls of a tool, 0 for none: `atMost(1, "payout", { per: "orderId" })`. A call that may have taken effect
 * counts; one that was denied or has failed does not. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { atMost } from "agentchart/rules";
 *
 * export const rule = atMost(1, "payout", { per: "orderId" });
 * ```
 */
export function atMost(max: number, tool: Tools, options: AboutOptions = {}): Rule {
  check(aboutSchema(), options, "atMost");
  check(s.integer(0), max, "atMost", "The number of calls");
  const { per, when, within } = options;
  const law: Law = {
    kind: "limit",
    then: namesOf("atMost", "what is limited", tool),
    max,
    ...withinOf(within),
  };
  const says =
    max === 0
      ? `${listed(law.then)} does not run`
      : `${listed(law.then)} succeeds at most ${max === 1 ? "once" : `${max} times`}${perOf(per)}${timeOf(within)}`;
  const name = `at most ${max} ${law.then.join("|")}${perOf(per)}`;
  return ruleOf({ law, says, ...reader(law, { per, when }) }, name, options);
}

/**
 * Allows successful calls of a tool whose amounts are at most `max` in all: `sum("refund", (c) => c.cents, { max: 50_000 })`. An
 * amount is a number of at least 0, or the call does not run. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { sum } from "agentchart/rules";
 *
 * export const rule = sum("refund", ({ cents }) => Number(cents), { max: 50_000, per: "customer", within: "24h" });
 * ```
 */
export function sum(
  tool: Tools,
  amount: (input: JsonObject) => number,
  options: AboutOptions & { readonly max: number },
): Rule {
  check(sumSchema(), options, "sum");
  check(s.func<typeof amount>(), amount, "sum", "The second argument");
  const { per, when, within, max } = options;
  const law: Law = {
    kind: "limit",
    then: namesOf("sum", "what is summed up", tool),
    max,
    ...withinOf(within),
  };
  const says = `the amounts of ${listed(law.then)} are at most ${max} in all${perOf(per)}${timeOf(within)}`;
  const name = `sum of ${law.then.join("|")}${perOf(per)}`;
  return ruleOf({ law, says, ...reader(law, { per, when, amount }) }, name, options);
}

/**
 * Demands that one of these people has approved each call of a tool, or each one for which `when` is true. The people are identified by the
 * name that `decide` is given as `by`. A call that nobody has approved asks; an approval of somebody else asks again, and a remembered one
 * does not count. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { approvedBy } from "agentchart/rules";
 *
 * export const rule = approvedBy(["ana", "ben"], "refund", ({ cents }) => Number(cents) > 10_000);
 * ```
 */
export function approvedBy(
  people: string | readonly string[],
  tool: Tools,
  when?: (input: JsonObject) => boolean,
  options: RuleOptions = {},
): Rule {
  check(ruleSchema(), options, "approvedBy");
  if (when !== undefined) check(s.func<typeof when>(), when, "approvedBy", "The condition");
  const by = namesOf("approvedBy", "who approves", people);
  const law: Law = { kind: "approved", then: namesOf("approvedBy", "what is approved", tool), by };
  const says = `${listed(law.then)} needs the approval of ${by.join(" or ")}${when ? " in some cases" : ""}`;
  const parts = { law, says, ...reader(law, { when }) };
  return ruleOf(parts, `${law.then.join("|")} approved by ${by.join("|")}`, { onBreak: "ask", ...options });
}

/**
 * Demands that a predicate over the arguments of a call is true. It is also given which of the tools `knows`, at most four, have
 * succeeded, and is asked for each set of them when the call is judged. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { onlyIf } from "agentchart/rules";
 *
 * export const rule = onlyIf("refund", ({ cents }, done) => Number(cents) < 100 || done.has("verify"), {
 *   knows: ["verify"],
 * });
 * ```
 */
export function onlyIf(
  tool: Tools,
  predicate: (input: JsonObject, succeeded: ReadonlySet<string>) => boolean,
  options: RuleOptions & { readonly knows?: readonly string[] | undefined } = {},
): Rule {
  check(onlyIfSchema(), options, "onlyIf");
  check(s.func<typeof predicate>(), predicate, "onlyIf", "The predicate");
  const { knows = [] } = options;
  if (knows.length > MAX_KNOWN)
    throw refused("onlyIf", `\`knows\` has ${knows.length} tools; expected at most ${MAX_KNOWN}.`);
  const law: Law = {
    kind: "if",
    then: namesOf("onlyIf", "what is judged", tool),
    knows: Object.freeze([...knows]),
  };
  const read: ReadLetter = (name, input) => {
    if (!isJudged(law, name)) return {};
    let table = 0;
    for (let bits = 0; bits < 1 << knows.length; bits++) {
      const succeeded = new Set(knows.filter((_, index) => (bits & (1 << index)) !== 0));
      if (truth("`onlyIf`", predicate(input, succeeded))) table |= 1 << bits;
    }
    return { table };
  };
  const says = `${listed(law.then)} runs only if its condition holds`;
  return ruleOf(
    { law, says, read, wants: { table: true }, functions: [predicate as never] },
    `${law.then.join("|")} only if`,
    options,
  );
}
