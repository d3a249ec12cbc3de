// Real agents under random rules never do what the check calls impossible.
import { checkRules } from "agentchart/check";
import { anyOf, approvedBy, atMost, before, never, onlyIf, sum, within, type Rule } from "agentchart/rules";
import { expect, test } from "vitest";
import fc from "../../support/fast-check.ts";
import { deskOf, listening } from "./desk.ts";
import { NAMES, runOf, type Desk, type Draw } from "./hostile-run.ts";

const CASES = process.env["SOAK"] === "1" ? 1_000 : 15;
/** The runs of one agent. */
const RUNS = 3;

const options = fc.record({
  per: fc.constantFrom(undefined, "id"),
  onBreak: fc.constantFrom("deny" as const, "ask" as const, "end" as const),
});

const rule: fc.Arbitrary<Rule> = fc.oneof(
  options.map((each) => before("verify", "refund", each)),
  options.map((each) => before("refund", "look", { ...each, when: ({ cents }) => Number(cents) > 60 })),
  options.map((each) => never("refund").after("look", each)),
  options.map((each) => never("verify").after("refund", { ...each, within: "1h" })),
  fc.tuple(fc.constantFrom(1, 2), options).map(([most, each]) => atMost(most, "refund", each)),
  options.map((each) => sum("refund", ({ cents }) => Number(cents), { ...each, max: 100 })),
  options.map((each) => sum("look", ({ cents }) => Number(cents), { ...each, max: 200, within: "1h" })),
  fc
    .constantFrom(undefined, ({ cents }: Record<string, unknown>) => Number(cents) > 60)
    .map((when) => approvedBy("ana", "refund", when)),
  fc.constantFrom(
    onlyIf("refund", ({ cents }, done) => done.has("verify") || Number(cents) < 60, { knows: ["verify"] }),
    within("1h", before("verify", "refund", { name: "verified within the hour" })),
    anyOf([before("verify", "refund"), approvedBy("ana", "refund")]),
    anyOf([atMost(1, "refund"), before("look", "refund")]),
  ),
);

const desks: fc.Arbitrary<Desk> = fc.record({
  rules: fc.uniqueArray(rule, { minLength: 1, maxLength: 3, selector: ({ data }) => data.name }),
  isParallel: fc.boolean(),
  points: fc.subarray(["preActing", "postActing"]),
  onRestart: fc.constantFrom("ask" as const, "retry" as const, "fail" as const),
});

const drawOf = (random: fc.GeneratorValue): Draw => {
  const below = (count: number): number => random(fc.nat, { max: count - 1 });
  return {
    below,
    chance: (of) => below(1_000) < of * 1_000,
    pick: (from) => from[below(from.length)]!,
  };
};

test(
  "no run of the real agent breaks a rule of which the check says that nothing does",
  { timeout: 7_200_000 },
  async () => {
    const totals = {
      sets: 0,
      holds: 0,
      idle: 0,
      refused: 0,
      sessions: 0,
      runs: 0,
      deaths: 0,
      decisions: 0,
      denied: 0,
      withoutRules: 0,
    };
    await fc.assert(
      fc.asyncProperty(desks, fc.gen(), async (desk, random) => {
        const { rules, points, isParallel } = desk;
        const hooks = points.length > 0 ? [listening(...points)] : [];
        const config = deskOf(NAMES, { rules, hooks: hooks as never, parallelToolCalls: isParallel });
        totals.sets++;
        const report = await checkRules(config, {
          ...{ iterations: 1, batch: 1, disturbances: 1, threads: 0, timeLimitMs: 60_000 },
        }).catch((error: Error) => error);
        if (report instanceof Error) {
          expect(report.message).toContain("contradict");
          totals.refused++;
          return;
        }
        for (const each of report.rules) {
          expect(each.bypass).toBeUndefined();
          if (each.result === "holds" || each.result === "idle") totals[each.result]++;
        }
        const draw = drawOf(random);
        const unguarded = await runOf({ ...desk, isUnguarded: true }, draw);
        totals.withoutRules += unguarded.violations.length;
        for (let run = 0; run < RUNS; run++) {
          const { violations, counts } = await runOf(desk, draw);
          expect(violations).toEqual([]);
          totals.sessions++;
          for (const [name, count] of Object.entries(counts)) totals[name as keyof typeof counts] += count;
        }
      }),
      { numRuns: CASES, endOnFailure: true },
    );
    console.log(JSON.stringify(totals));
    expect(
      Math.min(
        totals.holds,
        totals.runs,
        totals.deaths,
        totals.decisions,
        totals.denied,
        totals.withoutRules,
      ),
    ).toBeGreaterThan(CASES / 4);
  },
);
