// No host refuses a request of random sessions.
import fc from "../../support/fast-check.ts";
import type { ModelRequest } from "agentchart";
import { expect, test } from "vitest";
import { refusalsOf } from "../../support/every-host.ts";
import { play } from "../properties/play.ts";
import { scenario } from "../properties/scenario.ts";

/** More sessions: SOAK=1 npx vitest run --project plain test/laws/hosts */
const RUNS = process.env["SOAK"] === "1" ? 3_000 : 40;

test(
  "no host refuses a request of a session, whatever models, tools, hooks and people do in it",
  { timeout: 600_000 + RUNS * 2_000 },
  async () => {
    let sent = 0;
    const property = fc.asyncProperty(scenario, async (each) => {
      const requests: ModelRequest[] = [];
      await play(each, { onRequest: (request) => void requests.push(request) });
      sent += requests.length;
      expect(await refusalsOf(requests)).toEqual([]);
    });
    await fc.assert(property, { numRuns: RUNS, seed: 20_261_127 });
    expect(sent).toBeGreaterThan(RUNS);
  },
);
