// The size of journals.
import { expect, test } from "vitest";
import { createAgent, type ChatModel } from "agentchart";
import type { JournalEntry } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { toolOf } from "../support/agents.ts";

/** Asks for a call in each of `rounds` answers, then ends. */
function asking(rounds: number): ChatModel {
  let asked = 0;
  return {
    name: "asking",
    async *stream() {
      asked++;
      if (asked > rounds) yield { type: "text.delta", delta: "Done" };
      else yield { type: "tool.delta", key: 0, name: "work", args: `{"n":${asked}}` };
      yield { type: "usage", usage: { inputTokens: 100 + asked, outputTokens: 20 } };
      yield { type: "finish", reason: asked > rounds ? "stop" : "tool_calls" };
    },
  };
}

async function journalOf(rounds: number): Promise<readonly JournalEntry[]> {
  const store = memoryStore();
  const tools = [toolOf("work", () => "r".repeat(190))];
  const agent = createAgent({
    name: "bench",
    model: asking(rounds),
    tools,
    maxIters: rounds + 1,
    store,
    sessionId: "s",
  });
  await agent.call("Go");
  await agent.shutdown();
  const entries: JournalEntry[] = [];
  for await (const entry of store.read("s")) entries.push(entry);
  return entries;
}

const bytesOf = (entries: readonly JournalEntry[]): number => JSON.stringify(entries).length;

test("a journal of 300 rounds with results of 190 bytes has at most 500 kB, and grows by the round", async () => {
  const [short, long] = [bytesOf(await journalOf(30)), bytesOf(await journalOf(300))];
  expect(long).toBeLessThan(500_000);
  expect(long / short).toBeLessThan(10.3); // numbers become longer
});

test("an append says each thing once: a call by its message, counters and positions as differences", async () => {
  const entries = await journalOf(3);
  const calls = entries.filter(({ type }) => type === "call");
  expect(calls).toHaveLength(3);
  expect(calls.flatMap(({ data }) => Object.keys(data))).not.toContain("call");
  const [first, ...later] = entries.flatMap(({ type, data }) =>
    type === "position" && data["state"] === "reasoning.calling"
      ? [(data["progress"] as { stats: object }).stats]
      : [],
  );
  expect(Object.keys(first!)).toContain("startedAt");
  for (const stats of later) expect(Object.keys(stats)).toEqual(["iterations", "modelCalls"]);
});
