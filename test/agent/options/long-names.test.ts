// Errors show long names in part.
import { describe, expect, test } from "vitest";
import { createToolkit, toolResultMsg, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../../support/agents.ts";

const LONG = "x".repeat(100_000);
const MAX_MESSAGE = 2_000;

async function messageOf(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(
    () => new Error("It was not refused."),
    (thrown: unknown) => thrown as Error,
  );
  expect(error.message).toContain("xxx…");
  return error.message;
}

/** An agent that waits for the result of the call `c1`. */
async function waiting(): Promise<Agent> {
  const { agent } = scripted([{ calls: [{ id: "c1", name: "clerk" }] }], { tools: [toolOf("clerk")] });
  await agent.call("go");
  return agent;
}

describe("an error shows only the beginning of a long", () => {
  test("id of a call that is decided about", async () => {
    const agent = await waiting();
    expect((await messageOf(agent.decide(LONG, "approve"))).length).toBeLessThan(MAX_MESSAGE);
  });

  test("id of a result that no call asks for, once or twice", async () => {
    const agent = await waiting();
    const result = { callId: LONG, name: "clerk", text: "yes" };
    for (const results of [[result], [result, result]])
      expect((await messageOf(agent.call(toolResultMsg(results)))).length).toBeLessThan(MAX_MESSAGE);
  });

  test("key of a session that is not there", async () => {
    const { agent } = scripted([]);
    expect((await messageOf(agent.loadFrom(memoryStore(), LONG.slice(0, 250)))).length).toBeLessThan(300);
  });

  test("name of a tool that is not there", () => {
    expect(() => createToolkit().setPreset(LONG, {})).toThrow(/^.{0,300}…'\.$/u);
  });

  test("name of a tool that the model asks for", async () => {
    const { agent, model } = scripted([{ calls: [{ id: "c1", name: LONG }] }, "Sorry."]);
    await agent.call("go");
    const result = model.requests[1]!.messages.at(-1)!.content[0];
    expect(result).toMatchObject({ type: "tool_result", state: "error" });
    expect(JSON.stringify((result as { output: unknown }).output).length).toBeLessThan(MAX_MESSAGE);
  });
});
