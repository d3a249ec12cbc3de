// The table of states and events, and what each state refuses.
import { describe, expect, it, test } from "vitest";
import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import { EdgeCoverage } from "../../laws/explorer/edge-coverage.ts";
import { contextOf, outcomeOf, titleOf } from "./at.ts";
import { ACTING } from "./tables/acting.ts";
import { branchTaken, edgeTaken } from "./tables/branch.ts";
import { CALL } from "./tables/call.ts";
import { COMPACTION, COMPACTION_REFUSED } from "./tables/compaction.ts";
import { DECISIONS } from "./tables/decisions.ts";
import { EXECUTING } from "./tables/executing.ts";
import { REASONING } from "./tables/reasoning.ts";
import { REFUSED } from "./tables/refused.ts";
import { NOTED, REST } from "./tables/rest.ts";
import { SUMMARIZING } from "./tables/summarizing.ts";

const TRANSITIONS = {
  doCall: CALL,
  reasoning: REASONING,
  acting: [...ACTING, ...EXECUTING],
  summarizing: SUMMARIZING,
  "suspended and stopped": REST,
  compaction: COMPACTION,
  "any state": NOTED,
};

describe.each(Object.entries(TRANSITIONS))("%s, one event at a time", (_name, rows) => {
  it.each(rows.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => {
    const [from, , given, event, to, reason] = row;
    expect(agentResolver.refusal(from, contextOf(given), event)).toBeUndefined();
    expect(outcomeOf(row)).toEqual([to, reason]);
  });
});

describe("an event that a state does not take", () => {
  it.each([...REFUSED, ...COMPACTION_REFUSED])("%s: %s is refused", (from, _what, given, event, code) => {
    const context = contextOf(given);
    const step = agentResolver.next(from, context, event);
    expect(step).toMatchObject({ path: from, context, effects: [], refused: { code } });
    expect(agentResolver.refusal(from, context, event)).toEqual(step!.refused);
  });
});

describe.each(Object.entries(DECISIONS))("the decision %s", (decision, branches) => {
  it.each(branches.map((row) => [row[0], row] as const))("%s", (_what, [, given, ...taken]) => {
    expect(branchTaken(decision, given)).toEqual(taken);
  });
});

test("every edge of the chart, and so every branch of every choice and decision, has a row", () => {
  const coverage = new EdgeCoverage();
  for (const [from, , given, event] of [
    ...Object.values(TRANSITIONS).flat(),
    ...REFUSED,
    ...COMPACTION_REFUSED,
  ])
    coverage.take(agentResolver.next(from, contextOf(given), event)!.edges[0]!);
  for (const [decision, branches] of Object.entries(DECISIONS))
    for (const [, given] of branches) coverage.take(edgeTaken(decision, given));
  expect(coverage.untaken).toEqual([]);
});
