// The crash test finds nothing in the desk of the examples.
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { crashTest } from "agentchart/testing";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { isSoak } from "../../laws/kill/live.ts";

const DESK = join(import.meta.dirname, "agents/desk.ts");
const server = await startPostgres();
if (server) vi.stubEnv("DESK_CRASH_URL", server.connectionString);
afterAll(async () => {
  vi.unstubAllEnvs();
  await server?.stop();
});
if (!server) test.skip(`crashTest of the desk (${NO_POSTGRES})`, () => {});

/** A kill after the refund was paid; with SOAK=1 all points. */
const AT = ["kill:tool:refund:1:after"];

test.runIf(server)(
  "crashTest finds nothing in the desk of the examples",
  { timeout: 3_600_000 },
  async () => {
    const options = isSoak ? { timeLimitMs: 3_600_000 } : { at: AT };
    const report = await crashTest(DESK, { lifeLimitMs: 120_000, ...options });
    expect(report).toMatchObject({ state: "sound", findings: [] });
    expect(report.points).toMatchObject({ unreached: 0, run: report.points.total });
  },
);
