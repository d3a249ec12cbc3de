import type { JsonObject } from "../../base/json.ts";
import type { Law, Letter, RuleData } from "./law.ts";

/** Reads what a law wants to know of the arguments of a call. */
export type ReadLetter = (name: string, input: JsonObject) => Letter;

/** The values that a law wants to know of the arguments of a call. */
export type Wants = {
  readonly key?: true;
  readonly amount?: true;
  /** Whether it is about the call at all, and whether its success counts. */
  readonly isOther?: true;
  readonly isVoid?: true;
  readonly table?: true;
  /** Of `any`: of each part. */
  readonly of?: readonly Wants[];
};

/** The parts of a rule, before it has a name. */
export type RuleParts = {
  readonly law: Law;
  /** The demand of the law, as words that begin a sentence. */
  readonly says: string;
  /** Absent if the arguments do not matter. */
  readonly read?: ReadLetter;
  /** The values that it wants to know of the arguments, for a walk that tries all of them; absent if it wants none. */
  readonly wants?: Wants;
  /** The name of the argument that says what a call is about, for the id of the rule; absent if a function says it, or nothing does. */
  readonly subject?: string;
  /** The functions that read arguments, for the id of the rule. */
  readonly functions: readonly ((...given: never[]) => unknown)[];
};

/** A rule about the calls of an agent, made by one of the functions of `agentchart/rules`. */
export type Rule = {
  /** The demand of the rule, as data. */
  readonly data: RuleData;
  /** True for a rule that may name tools that are not there yet. */
  readonly optional: boolean;
  /** The parts of which it is made. */
  readonly parts: RuleParts;
  /** The engine that enforces it: it comes with the rule, so that agents without rules load nothing of it. */
  readonly engine: object;
};

/** True for what the functions of `agentchart/rules` make. */
export function isRule(value: unknown): value is Rule {
  const { data, parts, engine } = (typeof value === "object" && value !== null ? value : {}) as Partial<Rule>;
  return typeof data === "object" && typeof parts === "object" && typeof engine === "object";
}
