// A process of a crash test that was aborted.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Life } from "../../../src/testing/crash/life.ts";

test("a process that begins after the abort, as the next one of a run that it has killed, is killed too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-life-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const of = (name: string): string => join(folder, name);
  const life = new Life(
    {
      file: of("agents.js"),
      scenarioFile: of("agents.js"),
      store: `file:${of("store")}`,
      sessionId: "s",
      folder: of("run"),
      ledger: of("ledger.jsonl"),
      tape: of("tape.jsonl"),
      life: 2,
      isRecording: false,
      waitMs: 1,
    },
    30_000,
    AbortSignal.abort(),
  );
  expect(await life.ended).toMatchObject({ how: "killed" });
});
