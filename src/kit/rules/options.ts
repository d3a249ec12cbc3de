import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";

/** A length of time: ms, or a number and a unit such as "90s", "30m", "24h" or "7d". */
export type Duration = number | string;

/** The subject of a call: the name of an argument, or a function of the arguments and the name of the tool. */
export type Per = string | ((input: JsonObject, tool: string) => string | number);

/** Options of every rule. */
export type RuleOptions = {
  /** Names the rule in results, stores and reports; default: made of its tools. */
  readonly name?: string | undefined;
  /** The demand of the rule, as the model and people read it; default: a sentence that is made of the rule. */
  readonly says?: string | undefined;
  /** Whether what has happened counts for the whole session (default) or for one turn. */
  readonly scope?: "session" | "turn" | undefined;
  /** The handling of a call that breaks the rule. It gets a result of the state `denied` (default), a person is asked, or it is denied and
   *  the turn ends. */
  readonly onBreak?: "deny" | "ask" | "end" | undefined;
  /** `shadow` only notes what the rule would have done; default `enforce`. */
  readonly mode?: "enforce" | "shadow" | undefined;
  /** True for a rule about tools that the agent may not have yet; default false. */
  readonly optional?: boolean | undefined;
};

/** Options of rules about some of the calls of a tool. */
export type AboutOptions = RuleOptions & {
  /** Calls that are about the same belong together, such as `per: "orderId"`; default: all do. An argument must be a text, a number or
   *  a boolean, or the call does not run. */
  readonly per?: Per | undefined;
  /** The calls that the rule is about; default: all. One that throws, or says something else each time, denies the call. */
  readonly when?: ((input: JsonObject) => boolean) | undefined;
  /** The time for which what has happened counts; default: for ever. */
  readonly within?: Duration | undefined;
};

const UNITS: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns a length of time in ms; undefined for any other value. */
export function msOf(duration: Duration): number | undefined {
  if (typeof duration === "number") return Number.isFinite(duration) && duration > 0 ? duration : undefined;
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/u.exec(duration) ?? [];
  const ms = count === undefined ? 0 : Number(count) * UNITS[unit!]!;
  return ms > 0 ? ms : undefined;
}

const duration = s.value<Duration>(
  (given) => (typeof given === "number" || typeof given === "string") && msOf(given) !== undefined,
  'a length of time: ms, or a text such as "30m" or "24h"',
);
const per = s.value<Per>(
  (given) => typeof given === "function" || (typeof given === "string" && given !== ""),
  "the name of an argument, or a function of the arguments",
);

const common = {
  name: s.optional(s.matching(/^[\w .:-]{1,80}$/u, 'a name of 1 to 80 letters, digits, spaces or "_.:-"')),
  says: s.optional(s.nonEmpty()),
  scope: s.optional(s.oneOf("session", "turn")),
  onBreak: s.optional(s.oneOf("deny", "ask", "end")),
  mode: s.optional(s.oneOf("enforce", "shadow")),
  optional: s.optional(s.boolean()),
};
const about = {
  ...common,
  per: s.optional(per),
  when: s.optional(s.func<NonNullable<AboutOptions["when"]>>()),
  within: s.optional(duration),
};

/** The schema of {@link RuleOptions}. */
export const ruleSchema = s.lazily(() => s.options<RuleOptions>(common));
/** The schema of {@link AboutOptions}. */
export const aboutSchema = s.lazily(() => s.options<AboutOptions>(about));
/** The schema of the options of `before`. */
export const beforeSchema = s.lazily(() =>
  s.options<
    AboutOptions & {
      readonly answers?: boolean | undefined;
      readonly if?: ((input: JsonObject) => boolean) | undefined;
    }
  >({
    ...about,
    answers: s.optional(s.boolean()),
    if: s.optional(s.func<(input: JsonObject) => boolean>()),
  }),
);
/** The schema of the options of `sum`. */
export const sumSchema = s.lazily(() =>
  s.options<AboutOptions & { readonly max: number }>({ ...about, max: s.atLeast(0) }),
);
/** The schema of the options of `onlyIf`. */
export const onlyIfSchema = s.lazily(() =>
  s.options<RuleOptions & { readonly knows?: readonly string[] | undefined }>({
    ...common,
    knows: s.optional(s.listOf(s.nonEmpty())),
  }),
);
