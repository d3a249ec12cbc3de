// The scenarios of the conformance suite.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adapter } from "./adapter.ts";
import deviations from "./deviations.json" with { type: "json" };
import { runScenario } from "./runner/runner.mjs";

/** The features that are complete. `CONFORMANCE=all` runs every file, `CONFORMANCE_DIR` every file of another folder. */
const FEATURES = [
  "01-loop",
  "02-pending",
  "03-tool-errors",
  "04-parallel",
  "05-suspend",
  "06-hitl",
  "07-goto",
  "08-maxiters",
  "09-interrupt",
  "10-hooks",
  "11-streaming",
  "12-structured",
  "13-options",
  "14-toolkit",
  "15-timeout-retry",
  "16-plan",
  "17-memory",
  "18-session",
  "19-msghub",
  "20-pipeline",
  "21-ltm",
  "22-rag",
  "23-formatter",
];

type Scenario = { readonly id: string; readonly title: string };
type ScenarioFile = { readonly feature: string; readonly scenarios: readonly Scenario[] };

const { CONFORMANCE, CONFORMANCE_DIR } = process.env;
const folder = CONFORMANCE_DIR ?? join(import.meta.dirname, "scenarios");
const isWanted = (name: string): boolean =>
  CONFORMANCE === "all" || CONFORMANCE_DIR !== undefined || FEATURES.includes(name);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length))
  .filter(isWanted)
  .toSorted();
const reasons = new Map<string, string>(Object.entries(deviations));

/** A busy machine may take twice the time that a scenario allows; what it must not wait for takes longer still. */
const patient = (key: string, value: unknown): unknown =>
  key === "maxMs" && typeof value === "number" ? 2 * value : value;

describe.each(names)("%s", (name) => {
  const file = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"), patient) as ScenarioFile;
  for (const scenario of file.scenarios) {
    const reason = reasons.get(scenario.id);
    const title = `${scenario.id} ${scenario.title}${reason ? ` [deviates on purpose: ${reason}]` : ""}`;
    test(title, async (context) => {
      const { status, failures } = await runScenario(scenario, adapter);
      if (status === "skipped" || status === "quirk-failed") {
        return context.skip(`${status}: ${failures.join("\n")}`);
      }
      if (reason === undefined) return expect(failures).toEqual([]);
      expect(status, "a listed deviation passes: take it off deviations.json").toBe("failed");
    });
  }
});
