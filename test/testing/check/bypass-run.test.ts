// A bypass as a run for the inspector.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bypassRun, checkRules } from "agentchart/check";
import { atMost, before, shadow } from "agentchart/rules";
import { expect, test } from "vitest";
import { openFile } from "../../../src/inspect/hub/file-run.ts";
import { deskOf, listening } from "./desk.ts";

const BOUNDS = { threads: 0, disturbances: 0, timeLimitMs: 60_000 } as const;

test("a bypass opens in the inspector as a run, with each step and the context at it", async () => {
  const rules = [shadow(before("verify", "refund")), atMost(1, "refund")];
  const config = deskOf(["verify", "refund"], { rules, hooks: [listening("postActing")] as never });
  const report = (await checkRules(config, { ...BOUNDS, iterations: 1 })).rules[0]!;
  const file = join(await mkdtemp(join(tmpdir(), "bypass-")), "run.jsonl");
  await writeFile(file, bypassRun(config, report));
  const { run } = await openFile(file);
  expect(run.row).toMatchObject({ agent: "desk", source: "file" });
  expect(run.row.notice).toBeUndefined();
  const { items } = run.log.page(1, run.log.last);
  expect(items.length).toBe(report.bypass!.path.length + 1);
  expect(items.map(({ e }) => e)).toContain("xstate.done.actor.callModel");
  expect(items.at(-1)!.x.length).toBeGreaterThan(0);
});

test("a report without a bypass has no run", async () => {
  const config = deskOf(["verify", "refund"], { rules: [before("verify", "refund")] });
  const { rules } = await checkRules(config, { ...BOUNDS, iterations: 1, batch: 1 });
  expect(() => bypassRun(config, rules[0]!)).toThrow("expected the report of a broken rule");
});
