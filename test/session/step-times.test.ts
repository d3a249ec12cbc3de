// The times of steps in a journal.
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readEntries } from "../../src/session/read-entry.ts";
import { toolOf } from "../support/agents.ts";
import { call } from "../support/trace.ts";

test("each append says when its steps were, which entries are theirs, and what the context does not say of them", async () => {
  let time = 1_000;
  const store = memoryStore();
  const agent = createAgent({
    name: "a",
    model: scriptedModel([{ calls: [call("c1", "boom")] }, "sorry"]),
    tools: [toolOf("boom", () => Promise.reject(new Error("it broke\nat a line")))],
    store,
    sessionId: "s",
    sessionOptions: { now: () => (time += 10) },
  });
  await agent.call("Go");
  await agent.shutdown();
  const appends: SessionEntry[][] = [[]];
  for await (const entry of readEntries(store, "s")) {
    appends.at(-1)!.push(entry);
    if (entry.type === "position" && entry.data.state !== undefined) appends.push([]);
  }
  const all = appends.flatMap((entries) => {
    const last = entries.at(-1);
    const steps = last?.type === "position" ? (last.data.steps ?? []) : [];
    const ofSteps = steps.reduce((sum, { facts = Number.NaN }) => sum + facts, 0);
    if (steps.length > 0) expect(ofSteps).toBe(entries.length - 1);
    return steps;
  });
  const times = all.map(({ at }) => at!);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(all.flatMap(({ did }) => (did ? [did] : []))).toEqual([
    { result: { state: "error", text: expect.stringContaining("it broke") as string } },
    { end: { turn: 1, reason: "MODEL_STOP" } },
  ]);
});
