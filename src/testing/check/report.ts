import type { Extent } from "./worlds.ts";

/** One walk for a rule. */
export type WalkReport = Extent & {
  readonly states: number;
  readonly transitions: number;
  readonly seconds: number;
  /** False if the time was over first. */
  readonly isWhole: boolean;
  /** The number of situations that the rule and the chart can tell apart. */
  readonly situations: number;
};

/** A shortest way round a rule. */
export type Bypass = {
  /** The call that begins although the rule forbids it, and the reason. */
  readonly message: string;
  /** The steps that lead there, in plain English. */
  readonly story: readonly string[];
  /** The same steps as the walk names them; `bypassRun` makes a run of them. */
  readonly path: readonly string[];
  /** The functions of rules whose results the path assumes. It is impossible if they can never give those together. */
  readonly assumes: readonly string[];
  readonly extent: Extent;
};

/** The finding about one rule. */
export type RuleReport = {
  readonly rule: string;
  readonly says: string;
  /** `claim` for a rule that is not enforced: a shadow rule, or a question. */
  readonly kind: "enforced" | "claim";
  /** The result. The rule holds within the bounds, it is broken, the time was over before all was walked (`unknown`), or it holds also
   *  without being enforced (`idle`): no call within the bounds can break it. */
  readonly result: "holds" | "broken" | "unknown" | "idle";
  /** The largest bounds that were walked whole; absent if none were. */
  readonly within?: Extent | undefined;
  /** The walks, with rising bounds. */
  readonly walks: readonly WalkReport[];
  /** True if the last walk met no situation that the one before had not met. */
  readonly isSaturated: boolean;
  /** The steps of the bypass that was planted to see that the walk finds one: the same rule without its guard. */
  readonly planted?: number | undefined;
  readonly bypass?: Bypass | undefined;
};

/** The findings about an agent. */
export type RulesReport = {
  readonly agent: string;
  /** The worst of the results. */
  readonly result: RuleReport["result"];
  readonly rules: readonly RuleReport[];
  /** The tools that no walk has seen run, of those that a rule is about. */
  readonly unreachableTools: readonly string[];
  /** The states of the chart in which no walk has waited, and the edges that none has taken. */
  readonly unreachableStates: readonly string[];
  readonly untakenEdges: readonly string[];
  /** The steps of the longest run that was met, without anything from outside. */
  readonly longestRun: number;
  /** The parts of the agent that no walk follows. */
  readonly leftOut: readonly string[];
  /** The names that functions of rules read, and of which the caller has said that they never change. */
  readonly assumed: readonly string[];
  readonly seconds: number;
};
