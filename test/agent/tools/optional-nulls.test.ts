// A null for an optional field counts as missing.
import { describe, expect, test } from "vitest";
import { defineTool, type JsonObject, type Tool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { outputOf, resultsOf, scripted } from "../../support/agents.ts";

const named = z.object({ name: z.string().optional() });
const Tree = z.object({
  name: z.string().optional(),
  get child() {
    return Tree.optional();
  },
});

describe("a null for an optional field counts as missing", () => {
  const cases: { readonly [where: string]: readonly [z.ZodType, JsonObject, JsonObject] } = {
    "in a schema that holds itself": [Tree, { name: null, child: { name: null } }, { child: {} }],
    "in an object that may itself be null": [
      z.object({ who: named.nullable() }),
      { who: { name: null } },
      { who: {} },
    ],
    "in the values of a record": [
      z.object({ by: z.record(z.string(), named) }),
      { by: { a: { name: null } } },
      { by: { a: {} } },
    ],
    "in one of several kinds, told apart by a constant": [
      z.object({
        by: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("card"), note: z.string().optional() }),
          z.object({ kind: z.literal("bank"), iban: z.string().optional() }),
        ]),
      }),
      { by: { kind: "bank", iban: null } },
      { by: { kind: "bank" } },
    ],
    "in one of several kinds, told apart by what they need": [
      z.object({
        by: z.union([
          z.string(),
          z.object({ card: z.string(), note: z.string().optional() }),
          z.object({ iban: z.string(), note: z.string().optional() }),
        ]),
      }),
      { by: { iban: "DE1", note: null } },
      { by: { iban: "DE1" } },
    ],
    "in a tuple": [z.object({ pair: z.tuple([named]) }), { pair: [{ name: null }] }, { pair: [{}] }],
  };
  test.each(Object.entries(cases))("%s", async (_, [input, given, taken]) => {
    const tool = defineTool({
      name: "t",
      description: "",
      input,
      execute: (value) => JSON.stringify(value),
    }) as Tool;
    const { agent } = scripted([{ calls: [{ id: "c1", name: "t", input: given }] }, "end"], {
      tools: [tool],
    });
    await agent.call("go");
    expect(JSON.parse(outputOf(resultsOf(await agent.messages())[0]))).toEqual(taken);
  });

  test("a null for a field that is not optional is kept", async () => {
    const input = z.object({ who: named.nullable(), at: z.union([z.string(), z.number()]).nullable() });
    const tool = defineTool({ name: "t", description: "", input, execute: (value) => JSON.stringify(value) });
    const given = { who: null, at: null };
    const { agent } = scripted([{ calls: [{ id: "c1", name: "t", input: given }] }, "end"], {
      tools: [tool as Tool],
    });
    await agent.call("go");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"who":null,"at":null}');
  });

  test("a null for a field that is optional in only one matching variant of a union is kept", async () => {
    const input = z.object({
      by: z.union([
        z.object({ a: z.null() }),
        z.object({ a: z.null().optional(), b: z.number().optional() }),
      ]),
    });
    const tool = defineTool({ name: "t", description: "", input, execute: (value) => JSON.stringify(value) });
    const { agent } = scripted([{ calls: [{ name: "t", input: { by: { a: null } } }] }, "end"], {
      tools: [tool as Tool],
    });
    await agent.call("go");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"by":{"a":null}}');
  });

  const output = z.object({ a: z.string(), note: z.string().optional(), kind: z.string().default("plain") });
  const given = { a: "x", note: null, kind: null };

  test("a null for an optional field counts as missing in a structured output", async () => {
    const { agent } = scripted([
      { calls: [{ id: "g", name: "generate_response", input: { response: given } }] },
    ]);
    const reply = await agent.call("go", { output });
    expect(reply.output).toEqual({ a: "x", kind: "plain" });
    expect(JSON.parse(reply.text)).toEqual({ a: "x" });
  });

  test("a null for an optional field counts as missing in the answer of a native model", async () => {
    const model = scriptedModel([JSON.stringify(given)], { capabilities: { structuredOutput: true } });
    const { agent } = scripted([], { model });
    expect((await agent.call("go", { output })).output).toEqual({ a: "x", kind: "plain" });
  });
});
