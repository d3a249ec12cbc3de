// A replayed call runs with its recorded result, also when the agent had to give it another id.
import { expect, test } from "vitest";
import { createAgent, type ToolContext } from "agentchart";
import { replayOf } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";

test.each<[string, string, object, number]>([
  ["its own", "b", { n: 2 }, 0],
  ["another, by its input", "ours", { n: 2 }, 0],
  ["another, with an input that no recorded call has", "ours", { n: 9 }, 1],
])("a replayed call whose id is %s", async (_, callId, input, ran) => {
  const store = memoryStore();
  let runs = 0;
  const pay = toolOf("pay", () => `paid ${++runs}`, {
    input: { type: "object", properties: { n: { type: "integer" } } },
  });
  const calls = [
    { id: "a", name: "pay", input: { n: 1 } },
    { id: "b", name: "pay", input: { n: 2 } },
  ];
  const config = { name: "bot", tools: [pay], store, sessionId: "s" };
  const agent = createAgent({ ...config, model: scriptedModel([{ calls }, "Done."]) });
  await agent.call("Pay both.");
  const asked = (await agent.messages()).slice(0, 1);
  await agent.close();
  runs = 0;

  const replayed = await replayOf(store, "s", { model: scriptedModel(["live"]), tools: [pay] });
  for await (const _part of replayed.model.stream({ messages: asked } as never, {} as never));
  const outcome = await replayed.tools[0]!.execute!(input as never, { callId } as ToolContext as never);
  expect(runs).toBe(ran);
  if (ran === 0) expect(outcome).toMatchObject({ output: [{ text: "paid 2" }] });
});
