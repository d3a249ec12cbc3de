// Structured answers, by a tool and by models that take schemas.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool, type AgentConfig, type JsonObject } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { show } from "../../support/trace.ts";

const Weather = z.object({ city: z.string(), degrees: z.number().max(60) });
const give = (response: unknown, id = "g1"): ScriptedTurn => ({
  calls: [{ id, name: "generate_response", input: { response } as never }],
});
const sun = { city: "Rome", degrees: 30 };

const setup = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}, native = false) => {
  const model = scriptedModel(turns, { capabilities: { structuredOutput: native } });
  return { model, agent: createAgent({ name: "bot", model, ...config }) };
};

describe("structured output by the generate_response tool", () => {
  test("a structured output is typed, leaves one message of JSON, and its tool exists for one call", async () => {
    const { agent, model } = setup([
      { ...(give(sun) as object), usage: { inputTokens: 9, outputTokens: 3 } },
      "plain",
    ]);
    const reply = await agent.call("weather?", { output: Weather });
    const city: string = reply.output.city;
    expect([city, reply.reason, reply.usage]).toMatchObject([
      "Rome",
      "STRUCTURED_OUTPUT",
      { inputTokens: 9, outputTokens: 3 },
    ]);
    expect((await agent.messages()).map(show)).toEqual(["U[weather?]", `A[${JSON.stringify(sun)}]`]);
    await agent.call("thanks");
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ["generate_response"],
      [],
    ]);
  });

  test("a model that answers with text is reminded and forced to use the tool, and the reminder is not stored (S25)", async () => {
    const { agent, model } = setup(["I will help", give(sun)], {
      maxIters: 1,
      generateOptions: { temperature: 0.5 },
    });
    expect((await agent.call("weather?", { output: Weather })).output).toEqual(sun);
    expect(model.requests[0]?.options).toEqual({ temperature: 0.5 });
    expect(model.requests[1]?.options).toEqual({
      temperature: 0.5,
      toolChoice: { name: "generate_response" },
    });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", name: "system" });
    expect((await agent.messages()).map(show)).toEqual([
      "U[weather?]",
      "A[I will help]",
      `A[${JSON.stringify(sun)}]`,
    ]);
  });

  test("structuredReminder PROMPT reminds the model without forcing the tool", async () => {
    const { agent, model } = setup(["hm", give(sun)], { modelOptions: { structuredReminder: "PROMPT" } });
    await agent.call("weather?", { output: Weather });
    expect(model.requests[1]?.options.toolChoice).toBeUndefined();
  });

  test("a structured output that does not match the schema or its refinements is an error result, which the model corrects", async () => {
    const { agent, model } = setup([
      give({ city: "Rome" }),
      give({ ...sun, degrees: 99 }, "g2"),
      give(sun, "g3"),
    ]);
    expect((await agent.call("weather?", { output: Weather })).output).toEqual(sun);
    model.done();
    expect(await agent.messages()).toHaveLength(2);
  });

  test("a structured output that the model never produces fails with output/missing and leaves a valid history", async () => {
    const { agent, model } = setup(["1", "2", "3", "4", "later"]);
    await expect(agent.call("weather?", { output: Weather })).rejects.toMatchObject({
      code: "output/missing",
    });
    expect((await agent.messages()).map(show)).toEqual(["U[weather?]", "A[1]", "A[2]", "A[3]", "A[4]"]);
    expect((await agent.call("and now?")).text).toBe("later");
    model.done();
  });

  test("a structured output that never matches its schema fails with output/missing, which says why", async () => {
    const { agent } = setup([give({ city: "Rome", degrees: 99 }), "1", "2", "3", "4"]);
    const error: unknown = await agent
      .call("weather?", { output: Weather })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "output/missing",
      message: expect.stringMatching(
        /\(reminded 3 times\)\. Its last try: Error: Parameter validation failed for tool 'generate_response': .*60/,
      ),
    });
  });

  test("other calls in the message of a structured output run and are kept (F14)", async () => {
    const look = defineTool({
      name: "look",
      description: "",
      input: { type: "object" },
      execute: () => "seen",
    });
    const { agent } = setup(
      [
        {
          calls: [
            { id: "l", name: "look" },
            { id: "g", name: "generate_response", input: { response: sun } },
          ],
        },
      ],
      { tools: [look] },
    );
    expect((await agent.call("weather?", { output: Weather })).output).toEqual(sun);
    expect((await agent.messages()).map(show)).toEqual([
      "U[weather?]",
      "A[l]",
      "T(l)",
      `A[${JSON.stringify(sun)}]`,
    ]);
  });

  test("two agents on one toolkit do not share the tool for structured output (S15)", async () => {
    const { agent } = setup([give(sun)]);
    await agent.call("weather?", { output: Weather });
    expect(agent.toolkit.names()).toEqual([]);
  });
});

const A = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
const Refs: { readonly [what: string]: JsonObject } = {
  "a property": { type: "object", properties: { a: A, b: { $ref: "#/properties/a" } } },
  definitions: { type: "object", properties: { b: { $ref: "#/definitions/A" } }, definitions: { A } },
  $defs: { type: "object", properties: { b: { $ref: "#/$defs/A" } }, $defs: { A } },
  "definitions of definitions": {
    properties: { b: { $ref: "#/definitions/B" } },
    definitions: { A, B: { anyOf: [{ $ref: "#/definitions/A" }] } },
  },
  "its own id": {
    $id: "https://x.test/s",
    properties: { b: { $ref: "https://x.test/s#/$defs/A" }, c: { $ref: "#" } },
    $defs: { A },
  },
  "a part with an id": {
    properties: { b: { $id: "https://x.test/p", $ref: "#/$defs/A", $defs: { A } } },
  },
  "an anchor": { properties: { b: { $ref: "#a" } }, $defs: { A: { $anchor: "a", ...A } } },
  "a part of $defs": {
    properties: { b: { $ref: "#/$defs/C/properties/a" } },
    $defs: { C: { properties: { a: A } } },
  },
};

test.each([false, true])("an output schema can refer to its own definitions (native: %s)", async (native) => {
  for (const [what, schema] of Object.entries(Refs)) {
    const answer = (value: JsonObject, id: string) => (native ? JSON.stringify(value) : give(value, id));
    const { agent, model } = setup([answer({ b: {} }, "g1"), answer({ b: { n: 1 } }, "g2")], {}, native);
    expect((await agent.call("go", { output: schema })).output, what).toEqual({ b: { n: 1 } });
    model.done();
  }
});

test.each([
  { type: 5 },
  { type: [] },
  { $ref: "#/nope" },
  { $ref: "#" },
  { $ref: "https://elsewhere.test/schema.json" },
  { properties: { a: { type: "text" } } },
  { properties: [] },
  { items: { pattern: "(" } },
  { anyOf: { type: "string" } },
  { additionalProperties: 5 },
  { required: "a" },
  { $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } },
])("an output schema that cannot be used is refused before any model is asked: %j", async (output) => {
  const { agent, model } = setup(["fine"]);
  const refused = { code: "config/invalid", message: expect.stringContaining("`output` cannot be used") };
  await expect(agent.call("go", { output: output as JsonObject })).rejects.toMatchObject(refused);
  expect([model.requests, await agent.messages()]).toEqual([[], []]);
  expect((await agent.call("go")).text).toBe("fine");
});

describe("structured output of a model with native support of schemas", () => {
  test("a native model is asked with response_format, and its answer is parsed", async () => {
    const { agent, model } = setup([JSON.stringify(sun)], {}, true);
    expect((await agent.call("weather?", { output: Weather })).output).toEqual(sun);
    expect(model.requests[0]?.output?.schema).toMatchObject({ required: ["city", "degrees"] });
    expect(model.requests[0]?.tools).toEqual([]);
  });

  test("a native model is reminded after an answer that does not match the schema", async () => {
    const { agent } = setup(["it is warm", JSON.stringify(sun)], {}, true);
    const reply = await agent.call("weather?", { output: { type: "object", required: ["city"] } });
    expect([reply.output, reply.reason]).toEqual([sun, "STRUCTURED_OUTPUT"]);
  });
});
