import type { CallTerms } from "../../../machines/agent/call-record.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";
import type { Letter } from "../../core/tool/rules/law.ts";
import { toolUse } from "./messages.ts";

/** The values that the rules may read in the arguments of one call, by the name of the rule. */
export type Letters = { readonly [rule: string]: Letter };

/** A tool of a desk, or one that stands for several which no rule tells apart. */
export type DeskTool = {
  readonly name: string;
  readonly terms: CallTerms;
  /** The values that may be read in its arguments: a review reads one of them. */
  readonly letters: readonly Letters[];
  /** The values that rules read which may stop the call beside the one that is proved: the same of them for all calls of a review. */
  readonly others: readonly Letters[];
  /** True if a permission may ask a person about a call. */
  readonly mayAsk: boolean;
  /** True if calls of the tool may run whatever their arguments are, so that no review sees them. */
  readonly isFree: boolean;
  /** True for a tool without `execute`, which suspends the turn. */
  readonly isExternal: boolean;
  /** The calls that an agent inside of it may make; absent for a tool without an agent. */
  readonly inner?: readonly { readonly name: string; readonly letters: readonly Letters[] }[];
};

/** The calls that a model may ask for, and what people and clocks may do about them. */
export type Desk = {
  readonly tools: readonly DeskTool[];
  /** The most calls in one answer of the model. */
  readonly batch: number;
  /** The people who may decide; "" for somebody without a name. */
  readonly people: readonly string[];
  /** Lengths of time that may pass at once, ms: each is longer than the window of a rule. */
  readonly jumps: readonly number[];
};

/** A decision of a review about one call that was judged by a gate. */
export type Gate = (seen: Seen) => boolean;

/** All that a gate may read. It is a part of the key of a state, so that two states which a gate tells apart are never one. */
export type Seen = {
  /** The tool that is asked for. */
  readonly tool: string;
  /** The tools of the batch, in order. */
  readonly batch: readonly string[];
  /** The results of the conversation so far, in order. */
  readonly results: readonly { readonly tool: string; readonly state: string }[];
};

/** Returns all batches of at most so many calls of some tools, in each order. */
export function batchesOf(names: readonly string[], most: number): readonly (readonly string[])[] {
  let longest: readonly (readonly string[])[] = [[]];
  const all: (readonly string[])[] = [];
  for (let length = 1; length <= most; length++) {
    longest = longest.flatMap((batch) => names.map((name) => [...batch, name]));
    all.push(...longest);
  }
  return all;
}

/** Names a batch in a path. */
export const namesOf = (batch: readonly string[]): string => batch.join(" and ");

/** Returns the calls of a batch that is asked for in a step. */
export const callsOf = (batch: readonly string[], step: number): readonly ToolUseBlock[] =>
  batch.map((name, index) => ({ ...toolUse(`c${step}.${index + 1}`), name }));

/** Says what was read in the arguments of a call, for paths. */
export function lettersText(letters: Letters): string {
  const parts = Object.entries(letters).map(([, letter]) => letterText(letter));
  const said = [...new Set(parts)].filter((part) => part !== "");
  return said.length > 0 ? ` (${said.join("; ")})` : "";
}

function letterText({ key, amount, isOther, isVoid, table, problem, of }: Letter): string {
  if (of) return of.map(letterText).join("/");
  if (problem !== undefined) return "unreadable";
  return [
    ...(isOther ? ["not meant"] : []),
    ...(isVoid ? ["does not count"] : []),
    ...(key === undefined ? [] : [`about ${key}`]),
    ...(amount === undefined ? [] : [`amount ${amount}`]),
    ...(table === undefined ? [] : [`predicate ${table.toString(2)}`]),
  ].join(" ");
}
