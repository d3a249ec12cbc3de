// src/kit/rules/dogwood reads policies of the language Dogwood, a superset of Cedar, as rules.
import { AgentError } from "../../../core/base/error.ts";
import type { Json, JsonObject } from "../../../core/base/json.ts";
import * as s from "../../../core/base/option-schema.ts";
import { check } from "../../../core/base/options.ts";
import type { Rule } from "../../../core/tool/rules/rule.ts";
import { atMost, before, never, onlyIf } from "../build.ts";
import { anyOf } from "../combine.ts";
import type { AboutOptions, Per, RuleOptions } from "../options.ts";
import { PolicyParser } from "./parser.ts";
import type { Condition, Past, Pattern, Policy } from "./policy.ts";
import { wrongAt } from "./tokens.ts";

/** Options of {@link rulesOfDogwood}. */
export type DogwoodOptions = {
  /** The name of the file, for errors; default `policy`. */
  readonly from?: string | undefined;
  /** Returns the tool of an action; default: the tool has the action's id. */
  readonly tool?: ((action: string) => string) | undefined;
  /** `ran`: `::request` is read as `::response`. Default: it is refused, because rules count calls that ran, and not those that were asked for. */
  readonly requests?: "ran" | undefined;
};

const schema = s.lazily(() =>
  s.options<DogwoodOptions>({
    from: s.optional(s.nonEmpty()),
    tool: s.optional(s.func<(action: string) => string>()),
    requests: s.optional(s.oneOf("ran")),
  }),
);

/** A function whose text is what it demands: the id of a rule is made of it. */
function told<Given extends (...given: never[]) => unknown>(act: Given, text: unknown): Given {
  return Object.defineProperty(act, "toString", { value: () => JSON.stringify(text) });
}

function valueAt(input: JsonObject, path: readonly string[]): Json {
  let value: Json = input;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      throw new Error(`there is no argument ${path.join(".")}`);
    value = (value as JsonObject)[name]!;
  }
  return value;
}

const numberAt = (input: JsonObject, path: readonly string[]): number => {
  const value = valueAt(input, path);
  if (typeof value !== "number") throw new Error(`the argument ${path.join(".")} is not a number`);
  return value;
};

function holds(condition: Condition, input: JsonObject): boolean {
  switch (condition.kind) {
    case "and":
      return condition.of.every((each) => holds(each, input));
    case "or":
      return condition.of.some((each) => holds(each, input));
    case "not":
      return !holds(condition.of, input);
    case "compare": {
      const { path, by, value } = condition;
      if (by === "==") return valueAt(input, path) === value;
      if (by === "!=") return valueAt(input, path) !== value;
      const [one, other] = [numberAt(input, path), Number(value)];
      if (by === "<") return one < other;
      if (by === "<=") return one <= other;
      return by === ">" ? one > other : one >= other;
    }
  }
}

const predicateOf = (condition: Condition): ((input: JsonObject) => boolean) =>
  told((input: JsonObject) => holds(condition, input), condition);

/** Makes rules of policies. */
class RuleMaker {
  readonly #text: string;
  readonly #from: string;
  readonly #options: DogwoodOptions;
  readonly #names = new Set<string>();

  constructor(text: string, { from = "policy", ...options }: DogwoodOptions) {
    this.#text = text;
    this.#from = from;
    this.#options = options;
  }

  #wrong(at: number, problem: string): AgentError {
    return wrongAt(this.#text, at, this.#from, problem);
  }

  #toolsOf({ actions }: Policy): readonly string[] {
    return actions ? actions.map((each) => this.#tool(each)) : ["*"];
  }

  #tool(action: string): string {
    return this.#options.tool?.(action) ?? action;
  }

  /** The rules of all policies: those of the permits of a tool together, since one of them is enough. */
  rules(policies: readonly Policy[]): readonly Rule[] {
    const forbids = policies.filter(({ effect }) => effect === "forbid");
    const permits = policies.filter(({ effect }) => effect === "permit");
    const groups = Map.groupBy(permits, (policy) => JSON.stringify(this.#toolsOf(policy).toSorted()));
    const isFree = (policy: Policy): boolean => policy.conditions.length + policy.past.length === 0;
    return [
      ...forbids.flatMap((policy) => this.#forbid(policy)),
      ...[...groups.values()].flatMap((group) => (group.some(isFree) ? [] : this.#permit(group))),
    ];
  }

  #forbid(policy: Policy): readonly Rule[] {
    const { conditions, past, at } = policy;
    const then = this.#toolsOf(policy);
    const condition: Condition | undefined =
      conditions.length > 0 ? { kind: "and", of: conditions } : undefined;
    const [only, ...more] = past;
    if (more.length > 0)
      throw this.#wrong(
        at,
        "a forbid with several conditions about the past is not read: it would need all of them together",
      );
    if (only) {
      const when = condition && predicateOf(condition);
      return [this.#about(policy, then, { ...only, isNot: !only.isNot }, when && { when })];
    }
    if (!condition) return [atMost(0, then, this.#named(policy))];
    return then.map((tool) => onlyIf(tool, predicateOf({ kind: "not", of: condition }), this.#named(policy)));
  }

  #permit(group: readonly Policy[]): readonly Rule[] {
    const each = group.map((policy) => {
      const then = this.#toolsOf(policy);
      return [
        ...policy.conditions.flatMap((condition) =>
          then.map((tool) => onlyIf(tool, predicateOf(condition), this.#named(policy))),
        ),
        ...policy.past.map((past) => this.#about(policy, then, past)),
      ];
    });
    if (each.length === 1) return each[0]!;
    const wrong = group.find((_, place) => each[place]!.length > 1);
    if (wrong)
      throw this.#wrong(
        wrong.at,
        "one of several permits of an action has more than one condition: write it as a forbid",
      );
    const [first, second, ...rest] = each.flat();
    return [anyOf([first!, second!, ...rest], this.#named(group[0]!, " or other"))];
  }

  /** Options of a rule: the name and the words of its policy. */
  #named({ id, description }: Policy, more = ""): RuleOptions {
    const base = `${(id ?? "policy").replaceAll(/[^\w .:-]/gu, " ").slice(0, 60)}${more}`;
    let name = base;
    for (let count = 2; this.#names.has(name); count++) name = `${base} ${count}`;
    this.#names.add(name);
    return { name, ...(description !== undefined && description !== "" && { says: description }) };
  }

  /** The rule that demands a condition about the past. */
  #about(
    policy: Policy,
    then: readonly string[],
    { pattern, within, isNot, count, at }: Past,
    more: Pick<AboutOptions, "when"> = {},
  ): Rule {
    const tool = this.#tool(pattern.action);
    if (pattern.event !== "response" && !(pattern.event === "request" && this.#options.requests === "ran"))
      throw this.#wrong(
        pattern.at,
        `\`::${pattern.event}\` is not read: rules count calls that ran, which is \`::response\``,
      );
    const per = this.#per(pattern, tool);
    const options: AboutOptions = {
      ...this.#named(policy),
      within,
      ...more,
      ...(per !== undefined && { per }),
    };
    if (count) return this.#limit(then, tool, pattern, { ...count, isNot, at }, options);
    const only = pattern.is.length === 0 ? {} : { if: this.#matches(pattern) };
    if (isNot) return never(then).after(tool, { ...options, ...only });
    return before(tool, then, { ...options, ...only });
  }

  #limit(
    then: readonly string[],
    tool: string,
    { is }: Pattern,
    {
      by,
      than,
      isNot,
      at,
    }: { readonly by: string; readonly than: number; readonly isNot: boolean; readonly at: number },
    options: AboutOptions,
  ): Rule {
    if (then.length !== 1 || then[0] !== tool || is.length > 0)
      throw this.#wrong(
        at,
        "a count is read of the calls of the action itself, all of them: rules limit what they count",
      );
    // so many calls before this one are allowed
    const isUpper = isNot ? by === ">" || by === ">=" : by === "<" || by === "<=";
    if (!isUpper) throw this.#wrong(at, "a count is read as an upper bound");
    const max = by === "<" || by === ">=" ? than : than + 1;
    return atMost(max, tool, options);
  }

  #per({ same }: Pattern, tool: string): Per | undefined {
    if (same.length === 0) return undefined;
    const [[past, now]] = same as [Pattern["same"][number]];
    if (same.length === 1 && past.length === 1 && past[0] === now[0] && now.length === 1) return past[0]!;
    const read = (input: JsonObject, name: string): string =>
      JSON.stringify(same.map(([one, other]) => valueAt(input, name === tool ? one : other)));
    return told(read, [same, tool]);
  }

  #matches({ is }: Pattern): (input: JsonObject) => boolean {
    return told((input: JsonObject) => is.every(([path, value]) => valueAt(input, path) === value), is);
  }
}

/**
 * Returns the rules of policies in Dogwood, and so in Cedar, as far as rules can say the same. Actions are tools, `context.input` are
 * arguments, `formerly within` looks for a success, and counts of the action itself are upper bounds. The policies of permits are what a tool
 * needs to run; that nothing else runs is not demanded of tools without a policy. Throws `config/invalid` with line and column for anything
 * else, such as principals, results, guardrails, `since`, `previous`, sums and macros.
 *
 * @example
 * ```ts
 * import { rulesOfDogwood } from "agentchart/rules";
 *
 * export const rules = rulesOfDogwood(`
 *   forbid (principal, action == Desk::Action::"refund", resource)
 *   unless temporal { formerly within 1h Desk::Action::"verify"::response{ input.id: context.input.id } };
 * `);
 * ```
 */
export function rulesOfDogwood(text: string, options: DogwoodOptions = {}): readonly Rule[] {
  check(s.string(), text, "rulesOfDogwood", "The policy");
  check(schema(), options, "rulesOfDogwood");
  const policies = new PolicyParser(text, options.from ?? "policy").policies();
  return new RuleMaker(text, options).rules(policies);
}
