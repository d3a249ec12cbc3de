// The example that compares two prompts.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../project/source-files.ts";

test("examples/evaluate-prompts.ts compares two prompts on twenty questions, as its page says", () => {
  const example = join(ROOT, "examples/evaluate-prompts.ts");
  const printed = execFileSync(process.execPath, ["--conditions=agentchart-source", example], {
    encoding: "utf8",
  });
  expect(printed).toBe("12 of 20, then 20 of 20\n8 better, 0 worse, p = 0.0078\n");
  const code = readFileSync(example, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("//"));
  expect(code.length).toBeLessThanOrEqual(30);
});
