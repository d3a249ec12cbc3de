// Transcripts that were rewritten at the same length are stored.
import { expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { memoryStore } from "agentchart/store/memory";

test("S24 a message that a structured answer replaced is stored as replaced, though the length stays the same", async () => {
  const store = memoryStore();
  const config = { name: "bot", store, sessionId: "s" };
  const calls = [{ id: "g", name: "generate_response", input: { response: { n: 1 } } }];
  const first = createAgent({ ...config, model: scriptedModel([{ calls }]) });
  await first.call("How many?", { output: { type: "object", required: ["n"] } });
  const messages = await first.messages();
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  await first.close();

  const stored: unknown[] = [];
  for await (const { type, data } of store.read("s")) {
    if (type === "messages") stored.push([data["from"], JSON.stringify(data).includes("generate_response")]);
  }
  expect(stored.slice(-2)).toEqual([
    [1, true],
    [1, false],
  ]);
  const second = createAgent({ ...config, model: scriptedModel([]) });
  await second.open();
  expect(await second.messages()).toEqual(messages);
  await second.close();
});
