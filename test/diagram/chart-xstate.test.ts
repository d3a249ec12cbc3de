// The module that `chart --format xstate` writes: it type-checks alone, and is the same machine.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { agentMachine, chartJson, chartXState, sessionMachine } from "agentchart/machines";
import type { AnyStateMachine } from "xstate";
import { afterAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
// in the project, so that it finds xstate
const folder = mkdtempSync(join(ROOT, "node_modules/.chart-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["agent", agentMachine],
  ["session", sessionMachine],
])("chartXState of the machine of %s type-checks alone and is the same chart", async (name, machine) => {
  const file = join(folder, `${name}.machine.ts`);
  const text = chartXState(machine as AnyStateMachine);
  expect(text).not.toContain("agentchart");
  writeFileSync(file, text);
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"];
  await promisify(execFile)(join(ROOT, "node_modules/.bin/tsc"), [...options, "--ignoreConfig", file], {
    cwd: folder,
  });
  const written = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    readonly machine: AnyStateMachine;
  };
  expect(chartJson(written.machine)).toEqual(chartJson(machine as AnyStateMachine));
});

test("the configuration of the agent's machine is complete and bounded", () => {
  const { config } = agentMachine;
  const guarded = JSON.stringify(config).match(/"guard":/gu)!.length;
  expect(guarded).toBe(chartJson(agentMachine).edges.filter(({ guard }) => guard).length);
  expect(JSON.stringify(agentMachine.toJSON()).length).toBeLessThan(125_000);
  expect(config).not.toHaveProperty("meta");
});
