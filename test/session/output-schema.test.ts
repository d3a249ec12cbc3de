import { expect, test } from "vitest";
import { createAgent, defineTool, toolResultMsg, type AgentConfig } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
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

/** A turn with a structured answer that waits for a result, restored in another process. */
async function restored(turns: readonly ScriptedTurn[], schema: object) {
  const first = make([{ calls: [{ id: "1", name: "x" }] }]);
  await first.call("q", { output: schema as typeof output });
  return make(turns, { snapshot: JSON.parse(JSON.stringify(first.snapshot())) });
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
