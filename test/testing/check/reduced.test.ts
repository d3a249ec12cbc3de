// Walks that merge states find what whole walks find.
import {
  anyOf,
  approvedBy,
  atMost,
  before,
  inTurn,
  never,
  onlyIf,
  shadow,
  sum,
  within,
  type Rule,
} from "agentchart/rules";
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { ruleEngine } from "../../../src/kit/rules/engine.ts";
import { agentUnderCheck } from "../../../src/testing/check/agent-under-check.ts";
import { walkRule } from "../../../src/testing/check/walk-rule.ts";
import { worldFor, type Extent } from "../../../src/testing/check/worlds.ts";
import type { RuleEngine } from "../../../machines/agent/rule-engine.ts";
import { deskOf, listening } from "./desk.ts";

const SOAK = process.env["SOAK"] === "1";
const CASES = SOAK ? 200 : 25;

const about = fc.constantFrom({}, { per: "id" });

const rules: fc.Arbitrary<Rule> = fc.oneof(
  fc
    .record({ per: about, answers: fc.boolean() })
    .map(({ per, answers }) => before("verify", "refund", { ...per, answers })),
  about.map((per) => before("verify", "refund", { ...per, onBreak: "ask" })),
  about.map((per) => never("refund").after("verify", { ...per, onBreak: "end" })),
  fc.tuple(fc.constantFrom(1, 2), about).map(([most, per]) => atMost(most, "refund", per)),
  fc.constant(sum("refund", ({ cents }) => Number(cents), { max: 100 })),
  fc
    .constantFrom(undefined, ({ cents }: Record<string, unknown>) => Number(cents) > 1)
    .map((when) => approvedBy("ana", "refund", when)),
  fc.constantFrom(
    onlyIf("refund", (_, done) => done.has("verify"), { knows: ["verify"] }),
    within("1h", before("verify", "refund")),
    inTurn(before("verify", "refund")),
    anyOf([before("verify", "refund"), approvedBy("ana", "refund")]),
  ),
);

const extents = fc.constantFrom<Extent>(
  { turns: 1, iterations: 2, batch: 1, disturbances: 0, resumptions: 1 },
  { turns: 1, iterations: 1, batch: 1, disturbances: 1, resumptions: 1 },
  { turns: 2, iterations: 1, batch: 1, disturbances: 0, resumptions: 0 },
  { turns: 1, iterations: 1, batch: 2, disturbances: 0, resumptions: 1 },
);

const OTHER = approvedBy(["ana", "ben"], "refund", undefined, { name: "other" });

/** The engine as it is, and with faults. */
const ENGINES: readonly (readonly [string, Partial<RuleEngine>])[] = [
  ["as it is", {}],
  ["without a guard", { mayStart: () => true, breaksRules: () => false }],
  ["that remembers nothing", { remembering: (_, change) => change }],
  [
    "that does not look at calls beside",
    { mayStart: (context, record) => ruleEngine.mayStart(context, record, new Set()) },
  ],
];

test(
  "a walk that merges states finds a bypass if one that tells all of them apart does, and none that is longer",
  { timeout: 3_600_000 },
  () => {
    let merged = 0;
    const found = { yes: 0, no: 0 };
    const desks = fc.record({
      rule: rules,
      isClaim: fc.boolean(),
      hasOther: fc.boolean(),
      points: fc.constantFrom([], ["postActing"], ["preCall", "preActing"], ["postReasoning"]),
      extent: extents,
      fault: fc.constantFrom(...ENGINES),
    });
    fc.assert(
      fc.property(desks, ({ rule, isClaim, hasOther, points, extent, fault: [, faults] }) => {
        const proved = isClaim ? shadow(rule) : rule;
        const others = hasOther && rule.data.law.kind !== "approved" ? [OTHER] : [];
        const hooks = points.length > 0 ? [listening(...points)] : [];
        const config = deskOf(["verify", "refund", "look"], {
          rules: [proved, ...others],
          hooks: hooks as never,
        });
        const ruled = worldFor(agentUnderCheck(config as never), proved, extent);
        const engine = { ...ruleEngine, ...faults };
        const reduced = walkRule(ruled, extent, { engine });
        const whole = walkRule(ruled, extent, { engine, isReduced: false });
        expect(reduced.bypass?.path.length).toBe(whole.bypass?.path.length);
        expect(reduced.states).toBeLessThanOrEqual(whole.states);
        merged += whole.states - reduced.states;
        found[whole.bypass ? "yes" : "no"]++;
      }),
      { numRuns: CASES },
    );
    expect(merged).toBeGreaterThan(0);
    expect(Math.min(found.yes, found.no)).toBeGreaterThan(0);
  },
);
