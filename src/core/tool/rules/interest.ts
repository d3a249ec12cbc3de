import { isCounted, isJudged, perName, type RuleData } from "./law.ts";

/** The rules that have to do with the calls of one tool, in their order. */
export type Interest = {
  /** Those that may stop such a call. */
  readonly binding: readonly RuleData[];
  /** Those that only note what they would have done with it. */
  readonly shadow: readonly RuleData[];
  /** Those that remember what such a call came to. */
  readonly counting: readonly RuleData[];
};

/** Returns the rules that have to do with the calls of a tool. The others cost such a call nothing. */
export const interestIn = perName((rules: readonly RuleData[], tool): Interest => {
  const judging = rules.filter(({ law }) => isJudged(law, tool));
  return {
    binding: judging.filter(({ mode }) => mode === "enforce"),
    shadow: judging.filter(({ mode }) => mode === "shadow"),
    counting: rules.filter(({ law }) => isCounted(law, tool)),
  };
});
