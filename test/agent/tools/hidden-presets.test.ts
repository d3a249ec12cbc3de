// Presets of arguments that the model does not see.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { scripted, outputOf, resultsOf, toolOf } from "../../support/agents.ts";

const account = { type: "object", properties: { sum: {}, tenant: {} }, required: ["sum", "tenant"] };
const card = z.object({ kind: z.literal("card"), tenant: z.string(), note: z.string().optional() });
const bank = z.object({ kind: z.literal("bank"), tenant: z.string() });

describe("a preset is hidden from the model and overrides its input", () => {
  const shapes = {
    "in a schema that refers to its definition": { $ref: "#/$defs/Account", $defs: { Account: account } },
    "in a definition of an older draft": {
      $ref: "#/definitions/Account",
      definitions: { Account: account },
    },
    "in a part of a schema": { type: "object", allOf: [{ $ref: "#/$defs/A" }], $defs: { A: account } },
    "in kinds that are told apart": z.discriminatedUnion("kind", [card, bank]),
    "in kinds and what they have in common": z.intersection(
      z.object({ a: z.string() }),
      z.union([card, bank]),
    ),
  };
  const given = { sum: 5, kind: "card", a: "x", tenant: "theirs" };

  test.each(Object.entries(shapes))("%s", async (_, input) => {
    const pay = toolOf("pay", ({ tenant }) => String(tenant), {
      input: input as never,
      preset: { tenant: "mine" },
    });
    const { agent, model } = scripted([{ calls: [{ name: "pay", input: given }] }, "end"], { tools: [pay] });
    await agent.call("go");
    expect(JSON.stringify(model.requests[0]?.tools)).not.toContain("tenant");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe("mine");
  });
});

test("a schema with hidden presets keeps only the definitions that it refers to", async () => {
  const input = {
    $ref: "#/$defs/Account",
    $defs: {
      Account: { ...account, properties: { ...account.properties, sum: { $ref: "#/$defs/Sum" } } },
      Sum: { type: "number" },
    },
  };
  const pay = toolOf("pay", () => "paid", { input, preset: { tenant: "mine" } });
  const { agent, model } = scripted(["end"], { tools: [pay] });
  await agent.call("go");
  expect(model.requests[0]?.tools[0]?.inputSchema).toEqual({
    type: "object",
    properties: { sum: { $ref: "#/$defs/Sum" } },
    required: ["sum"],
    $defs: { Sum: { type: "number" } },
  });
});

test("a preset of null is passed to the tool", async () => {
  const pay = toolOf("pay", (value) => JSON.stringify(value), {
    input: { type: "object", properties: { note: { type: ["string", "null"] } } },
    preset: { note: null },
  });
  const { agent } = scripted([{ calls: [{ name: "pay" }] }, "end"], { tools: [pay] });
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"note":null}');
});

test("nulls are removed from the matching variant of a union with preset fields", async () => {
  const pay = toolOf("pay", (value) => JSON.stringify(value), {
    input: z.discriminatedUnion("kind", [card, bank]),
    preset: { tenant: "mine" },
  });
  const input = { kind: "card", note: null };
  const { agent } = scripted([{ calls: [{ name: "pay", input }] }, "end"], { tools: [pay] });
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"kind":"card","tenant":"mine"}');
});
