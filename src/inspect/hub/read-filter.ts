import { OUTCOME_NAMES, type RunFilter } from "../protocol/outcomes.ts";

/** Returns the filter of runs that the query of a request names, or what is wrong with it. */
export function readFilter(query: Readonly<Record<string, string>>): RunFilter | string {
  const { outcome, since, minCost } = query;
  const runOutcome = OUTCOME_NAMES.find((each) => each === outcome);
  if (outcome !== undefined && !runOutcome) return `\`outcome\` must be one of ${OUTCOME_NAMES.join(", ")}.`;
  if ([since, minCost].some((text) => text !== undefined && !/^\d{1,15}(\.\d{1,15})?$/.test(text)))
    return "`since` and `minCost` must be numbers of at least 0.";
  const texts = ["q", "agent", "tool", "suspicion", "label"].flatMap((key) =>
    query[key] === undefined ? [] : [[key, query[key]]],
  );
  return {
    ...(Object.fromEntries(texts) as RunFilter),
    ...(runOutcome && { outcome: runOutcome }),
    ...(since !== undefined && { since: Number(since) }),
    ...(minCost !== undefined && { minCost: Number(minCost) }),
  };
}
