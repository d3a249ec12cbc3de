// Schemas of structured answers over a restore.
import { expect, test } from "vitest";
import { createAgent, defineTool, toolResultMsg, type AgentConfig } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { memoryStore } from "agentchart/store/memory";
import { z } from "zod";

const output = z.object({
  n: z
    .number()
    .refine((n) => n > 1, "must be above 1")
    .transform((n) => n * 10),
});
const given = (n: number) => ({ calls: [{ name: "generate_response", input: { response: { n } } }] });
const result = toolResultMsg([{ callId: "1", name: "x", text: "ok" }]);

const make = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) =>
  createAgent({
    name: "a",
    model: scriptedModel(turns),
    tools: [defineTool({ name: "x", description: "", input: { type: "object" } })],
    ...config,
  });

const clerk = { calls: [{ id: "1", name: "x" }] };

/** A turn with a structured answer that waits for a result, restored in another process. */
async function restored(turns: readonly ScriptedTurn[], schema: object) {
  const first = make([clerk]);
  await first.call("q", { output: schema as typeof output });
  return make(turns, { sessionOptions: { snapshot: JSON.parse(JSON.stringify(first.snapshot())) } });
}

test("a restored turn with a schema that cannot be stored waits for the schema", async () => {
  const agent = await restored([given(1), given(2)], output);
  await expect(agent.call(result)).rejects.toMatchObject({ code: "run/output-schema-missing" });
  expect(agent.status()).toMatchObject({ phase: "suspended", pending: [{ callId: "1" }] });
  expect((await agent.call(result, { output })).output).toEqual({ n: 20 });
});

test("a restored turn with a JSON Schema goes on without it", async () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const agent = await restored([given(1)], schema);
  expect(await agent.call(result)).toMatchObject({ reason: "STRUCTURED_OUTPUT" });
});

test("a restored turn waits for its schema also after the agent was passive", async () => {
  const store = memoryStore();
  const first = make([clerk], { store, sessionId: "s" });
  await first.call("q", { output });
  await first.shutdown();
  const agent = make([given(2)], { store, sessionId: "s" });
  await agent.open();
  await agent.passivate();
  await expect(agent.call(result)).rejects.toMatchObject({ code: "run/output-schema-missing" });
  expect((await agent.call(result, { output })).output).toEqual({ n: 20 });
});

test("a passive agent keeps the schema that a call gave", async () => {
  const agent = make([clerk, given(2)], { store: memoryStore(), sessionId: "s" });
  await agent.call("q", { output });
  await agent.passivate();
  expect((await agent.call(result)).output).toEqual({ n: 20 });
});

test("a turn that is loaded over another one waits for its own schema", async () => {
  const store = memoryStore();
  const first = make([clerk]);
  await first.call("q", { output });
  await first.saveTo(store, "saved");
  const agent = make([clerk, given(2)]);
  await agent.call("other", { output: z.object({ other: z.string() }) });
  await agent.loadFrom(store, "saved");
  await expect(agent.call(result)).rejects.toMatchObject({ code: "run/output-schema-missing" });
  expect((await agent.call(result, { output })).output).toEqual({ n: 20 });
});
