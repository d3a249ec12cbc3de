// Files that are reports of evaluations and experiments, and files that are none.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readReportFile } from "../../../src/inspect/hub/report-files.ts";
import { scratch } from "../../store/scratch.ts";

const evaluation = { name: "desk", results: [{ case: "a", repeat: 1, state: "passed" }] };
const experiment = { rows: [{ sessionId: "s", state: "same" }], clusters: [] };

test.each<[what: string, text: string, kind: "evaluation" | "experiment" | undefined, report?: object]>([
  ["an evaluation", JSON.stringify(evaluation), "evaluation", evaluation],
  ["an experiment", JSON.stringify(experiment), "experiment", experiment],
  [
    "what the command prints",
    JSON.stringify({ report: evaluation, comparison: {} }),
    "evaluation",
    evaluation,
  ],
  ["one behind a mark of the byte order", `\uFEFF${JSON.stringify(evaluation)}`, "evaluation", evaluation],
  ["one with results that are none", JSON.stringify({ name: "desk", results: [5] }), undefined],
  ["one without a name", JSON.stringify({ results: [] }), undefined],
  ["a list", "[]", undefined],
  ["nothing", "", undefined],
  ["one that is cut off", JSON.stringify(evaluation).slice(0, -3), undefined],
])("%s is told for what it is", async (_, text, kind, report) => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const path = join(dir, "report.json");
  writeFileSync(path, text);
  expect(await readReportFile(path)).toEqual(kind && { file: "report.json", kind, report });
  expect(await readReportFile(join(dir, "nothing.json"))).toBeUndefined();
});
