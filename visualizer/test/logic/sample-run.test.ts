// The sample run that the empty page offers: its chart is known without a hub of its release.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentChart } from "../../../machines/agent/known-chart.ts";

test("the sample run is of the chart of this release (npm run docs:sample)", () => {
  const sample = readFileSync(join(import.meta.dirname, "../../public/sample-run.ndjson"), "utf8");
  expect(sample.includes(agentChart().hash)).toBe(true);
});
