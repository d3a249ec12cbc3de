// Random sessions keep the invariants.
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { play, type Problem } from "./play.ts";
import { scenario } from "./scenario.ts";

/** A long search for other scenarios each time: SOAK=1 FC_MS=60000 npx vitest run --project exhaustive test/laws/properties */
const { FC_MS = "60000", SOAK } = process.env;
/** The same number of scenarios on any machine; with SOAK=1 as many as the time allows. */
const extent = SOAK === "1" ? { numRuns: 100_000, interruptAfterTimeLimit: Number(FC_MS) } : { numRuns: 60 };

const LAWS: { readonly [kind in Problem["kind"]]: string } = {
  history: "every history is provider-valid whenever the model is asked and at rest",
  end: "every call ends, and the session comes to rest",
  events: "every start has its end among the events",
  again: "every result that was recorded is kept: its call does not run again",
  json: "every snapshot and every message survives JSON",
  error: "every failure of a call is an AgentError",
};

test(
  `whatever models, tools, hooks and people do, ${Object.values(LAWS).join("; ")}`,
  { timeout: 2 * Number(FC_MS) + 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        const problems = await play(each);
        expect(problems.map(({ kind, text }) => `${LAWS[kind]}: ${text}`)).toEqual([]);
      }),
      extent,
    );
  },
);
