// Structured answers of workers.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, textOf } from "agentchart";
import { openSession } from "agentchart/session";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { bench, ofType } from "./kit.ts";

const output = z.object({ n: z.number().refine((n) => n > 1, "must be above 1") });
const given = (n: number) => ({ calls: [{ name: "generate_response", input: { response: { n } } }] });
const ask = defineTool({ name: "ask", description: "Asks.", input: { type: "object" } });

describe("a worker's agent with `output`", () => {
  test("goes on with a turn that another process began with a schema that cannot be stored", async () => {
    const model = scriptedModel([given(1), given(2)]);
    const agents = { count: () => ({ name: "count", model, tools: [ask], output }) };
    const { dispatcher, store, worker } = await bench({ agents });
    const begun = scriptedModel([{ calls: [{ id: "c1", name: "ask" }] }]);
    const meta = { agent: "count" };
    const agent = createAgent({ name: "count", model: begun, tools: [ask], store, sessionId: "s", meta });
    await agent.call("How many?", { output });
    await agent.close();
    await dispatcher.answer("s", "c1", "Two.");
    await expect.poll(() => worker.stats().turns).toBe(1);
    expect(await dispatcher.status("s")).toMatchObject({ phase: "stopped", reason: "STRUCTURED_OUTPUT" });
    const { messages } = await (await openSession(store, "s")).at();
    expect(textOf(messages.at(-1)!)).toBe('{"n":2}');
    expect(JSON.stringify(model.requests.at(-1))).toContain("must be above 1");
  });

  test("asks for it in each turn", async () => {
    const agents = { count: () => ({ name: "count", model: scriptedModel([given(3)]), output }) };
    const { dispatcher, worker } = await bench({ agents });
    await dispatcher.dispatch("s", "How many?", { agent: "count" });
    await expect.poll(() => worker.stats().turns).toBe(1);
    expect(await dispatcher.status("s")).toMatchObject({ phase: "stopped", reason: "STRUCTURED_OUTPUT" });
  });

  test("is not made if the schema cannot be used, and its input is refused", async () => {
    const unusable = z.object({ at: z.date() });
    const agents = { count: () => ({ name: "count", model: scriptedModel([]), output: unusable }) };
    const found = await bench({ agents });
    await found.dispatcher.dispatch("s", "How many?", { agent: "count" });
    await expect
      .poll(() => ofType(found, "input.refused").at(0))
      .toMatchObject({ error: { code: "config/invalid" } });
    expect(await found.dispatcher.status("s")).toMatchObject({ inputs: 0 });
  });
});
