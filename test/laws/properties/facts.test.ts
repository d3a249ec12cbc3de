// Folding the facts of a run gives its session again, whatever models, tools, hooks and people do. A long search: SOAK=1 FC_MS=60000
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { stepsOf } from "../../../src/agent/steps.ts";
import { factsProblem } from "../../support/facts-problem.ts";
import { play } from "./play.ts";
import { scenario } from "./scenario.ts";

const { FC_MS = "60000", SOAK } = process.env;
/** The same number of scenarios on any machine; with SOAK=1 as many as the time allows. */
const extent = SOAK === "1" ? { numRuns: 100_000, interruptAfterTimeLimit: Number(FC_MS) } : { numRuns: 40 };

test(
  "the facts of each step make the session after it of the session before it",
  { timeout: 2 * Number(FC_MS) + 600_000 },
  async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        const problems: string[] = [];
        await play(each, {
          onAgent: (agent) => {
            const steps = stepsOf(agent);
            let { context } = steps.current();
            steps.subscribe((step) => {
              const problem = factsProblem(context, step.facts, step.context);
              if (problem !== undefined) problems.push(`${step.event.type}: ${problem}`);
              context = step.context;
              checked++;
            });
          },
        });
        expect(problems).toEqual([]);
      }),
      extent,
    );
    expect(checked).toBeGreaterThan(20);
  },
);
