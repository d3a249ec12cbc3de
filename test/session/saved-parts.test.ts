// The parts of a snapshot that can be left out.
import { expect, test } from "vitest";
import { createToolkit } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";

const toolkit = createToolkit({
  groups: [{ name: "web", active: false }],
  tools: [toolOf("search", () => "found", { groups: ["web"] }), toolOf("clerk")],
});

test("tool groups that are not to be saved are not in what is saved", async () => {
  const store = memoryStore();
  const { agent } = scripted(["hi"], { toolkit });
  agent.toolkit.setGroups({ activate: ["web"] });
  await agent.call("go");
  await agent.saveTo(store, "key", { toolkit: false });
  const { agent: other } = scripted([], { toolkit });
  await other.loadFrom(store, "key");
  expect(await other.messages()).toHaveLength(2);
  expect(other.toolkit.activeGroups()).toEqual([]);
});

test("without its memory a suspended agent is saved as one that waits for nothing", async () => {
  const store = memoryStore();
  const { agent } = scripted([{ calls: [{ id: "c1", name: "clerk" }] }], { toolkit });
  await agent.call("go");
  await agent.saveTo(store, "key", { memory: false });
  const { sessions } = await store.list();
  expect(sessions).toMatchObject([{ sessionId: "key", phase: "stopped", waitsFor: [] }]);
  const { agent: other } = scripted([], { toolkit });
  await other.loadFrom(store, "key");
  expect([other.status().phase, await other.messages()]).toEqual(["stopped", []]);
});

test("a suspended session that is loaded announces its pending calls, whatever the agent did before", async () => {
  const store = memoryStore();
  const { agent } = scripted([{ calls: [{ id: "c1", name: "clerk" }] }], { toolkit });
  await agent.call("go");
  await agent.saveTo(store, "key");
  const { agent: other } = scripted([{ calls: [{ id: "c9", name: "clerk" }] }], { toolkit });
  await other.call("go");
  const announced: string[][] = [];
  other.subscribe((event) => {
    if (event.type === "pending") announced.push(event.calls.map(({ callId }) => callId));
  });
  await other.loadFrom(store, "key");
  expect(announced).toEqual([["c1"]]);
});
