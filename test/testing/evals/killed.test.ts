// An evaluation that is killed comes to the same results.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { EvalReport } from "agentchart/evals";
import fc from "../../support/fast-check.ts";

const PROGRAM = join(import.meta.dirname, "killed-evaluation.ts");

/** Runs the evaluation, and kills it after so many steps; returns the report of one that was not killed, and its steps. */
async function runUntil(steps: number, folder: string): Promise<{ report?: EvalReport; steps: number }> {
  const args = ["--conditions=agentchart-source", PROGRAM, join(folder, "s.db"), join(folder, "ledger")];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let seen = 0;
  let report: EvalReport | undefined;
  for await (const line of createInterface(child.stdout!)) {
    if (line !== "step") report = JSON.parse(line) as EvalReport;
    else if (++seen === steps) child.kill("SIGKILL");
  }
  return { steps: seen, ...(report && { report }) };
}

const outcomes = ({ results, counts, passAll }: EvalReport) => ({
  counts,
  passAll,
  results: results.map(({ sessionId, state, verdicts, tokens }) => ({
    sessionId,
    state,
    tokens,
    verdicts: verdicts.map(({ judge, pass }) => ({ judge, pass })),
  })),
});

/** The steps after which each life ends: all of them together are less than an evaluation has. */
const LIVES = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 10, maxLength: 10 });

test("an evaluation that is killed at ten random instants ends with the same results", async () => {
  const [lives = []] = fc.sample(LIVES, { numRuns: 1 });
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), "agentchart-killed-eval-")));
  onTestFinished(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  const [quiet = "", killed = ""] = folders;
  const { report: whole, steps } = await runUntil(Infinity, quiet);
  expect(whole!.counts).toEqual({ passed: 12, failed: 0, error: 0, skipped: 0 });
  for (const after of lives)
    expect((await runUntil(after, killed)).report, `lives ${lives.join()}`).toBeUndefined();
  const { report } = await runUntil(Infinity, killed);
  expect(outcomes(report!)).toEqual(outcomes(whole!));
  expect(steps).toBeGreaterThan(lives.length * 5);
  // an effect whose result was not stored is done again under the same key, and no other is
  const keys = readFileSync(join(killed, "ledger"), "utf8").trim().split("\n");
  expect(new Set(keys).size).toBe(24);
  expect(keys.length).toBeLessThanOrEqual(24 + 2 * lives.length);
});
