// The memory that sessions at rest take.
import { createAgent, defineTool, type Agent, type ChatModel, type SessionStore } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { expect, test } from "vitest";
import { heapBytes } from "../support/heap-bytes.ts";

const model: ChatModel = {
  name: "brief",
  async *stream() {
    yield { type: "text.delta", delta: "Done" };
    yield { type: "finish", reason: "stop" };
  },
};
const tools = [defineTool({ name: "work", description: "", input: { type: "object" }, execute: () => "" })];

let sessions = 0;

async function rested(count: number, store: SessionStore | undefined): Promise<Agent[]> {
  const stored = () => store && { store, sessionId: `s${++sessions}` };
  const agents = Array.from(
    { length: count },
    () => createAgent({ name: "bench", model, tools, ...stored() }) as Agent,
  );
  for (const agent of agents) await agent.call("Hi");
  return agents;
}

test.each([
  ["without a store", undefined],
  ["with a store in SQLite", sqliteStore({ path: ":memory:" })],
])("an idle agent %s after a turn takes at most 6.25 KB of heap, and holds no timer", async (_, store) => {
  const COUNT = 2_000;
  await rested(200, store);
  const before = await heapBytes();
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const agents = await rested(COUNT, store);
  const bytes = (await heapBytes()) - before;
  expect(bytes / COUNT).toBeLessThan(6.25 * 1024);
  expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBeLessThan(
    timers + 10,
  );
  for (const agent of agents) await agent.close();
  await store?.close();
});
