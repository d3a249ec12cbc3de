import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { NOT_KILLED_IN_CALLING, restores } from "../support/agentchart-resume.ts";
import { toolOf } from "../support/agents.ts";

test("in the resume mode a turn is carried by a new agent after every step", async () => {
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([{ calls: [{ name: "ok" }, { name: "ok" }] }, "sum"]),
    tools: [toolOf("ok", () => "done")],
    hooks: [{ name: "h", postActing: () => {} }],
    maxIters: 1,
  });
  expect((await agent.call("go")).text).toBe("sum");
  expect(Object.fromEntries(restores)).toEqual({
    "reasoning.preHooks": 1,
    "reasoning.calling": 1,
    "acting.preHooks": 1,
    "acting.reviewing": 1,
    "acting.postHooks": 2,
    "summarizing.preHooks": 1,
    "summarizing.calling": 1,
    stopped: 1,
  });
});

test("what is named as not killed in calling is a file or a test of the agent suite", () => {
  const folder = join(import.meta.dirname, "../agent");
  const files = readdirSync(folder);
  const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join();
  const gone = Object.keys(NOT_KILLED_IN_CALLING).filter(
    (name) => !files.includes(name) && !text.includes(`"${name}"`),
  );
  expect(gone).toEqual([]);
});
