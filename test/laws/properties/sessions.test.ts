// Random sessions keep the invariants.
import fc from "../../support/fast-check.ts";
import { beforeAll, expect, test } from "vitest";
import { play, type Problem } from "./play.ts";
import { scenario } from "./scenario.ts";

/** A long search for other scenarios each time: SOAK=1 FC_MS=60000 npx vitest run --project exhaustive test/laws/properties */
const { FC_MS = "1800", SOAK } = process.env;
const numRuns = SOAK === "1" ? 100_000 : 150;

/** The first session of a process takes long on a busy machine: longer than all may take that are to be played. */
beforeAll(async () => {
  for (const each of fc.sample(scenario, { numRuns: 3, seed: 1 })) await play(each);
}, 60_000);

test.each<[string, Problem["kind"]]>([
  ["history is provider-valid whenever the model is asked and at rest", "history"],
  ["call ends, and the session comes to rest", "end"],
  ["start has its end among the events", "events"],
  ["result that was recorded is kept: its call does not run again", "again"],
  ["snapshot and every message survives JSON", "json"],
  ["failure of a call is an AgentError", "error"],
])(
  "whatever models, tools, hooks and people do, every %s",
  { timeout: 2 * Number(FC_MS) + 60_000 },
  async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        const problems = await play(each);
        expect(problems.filter((problem) => problem.kind === kind)).toEqual([]);
      }),
      { numRuns, interruptAfterTimeLimit: Number(FC_MS) },
    );
  },
);
