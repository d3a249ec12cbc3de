// Arguments that a person edits are checked by the schema of the tool, and refused to the person.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, type JsonObject, type Schema, type Tool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { foreignSchema } from "../../../src/core/tool/foreign-schema.ts";

const json: JsonObject = {
  type: "object",
  properties: {
    order: { type: "object", properties: { euros: { type: "number", minimum: 1 } }, required: ["euros"] },
  },
  required: ["order"],
};

/** The same arguments in each kind of schema. */
const SCHEMAS: { readonly [kind: string]: Schema } = {
  zod: z.object({ order: z.object({ euros: z.number().min(1) }) }),
  "zod with an asynchronous rule": z.object({
    order: z.object({ euros: z.number().refine(async (euros) => euros >= 1) }),
  }),
  "JSON Schema": json,
  "the schema of an MCP server": foreignSchema(json),
};

describe.each(Object.entries(SCHEMAS))("an edit of arguments of %s", (_, input) => {
  const waiting = async () => {
    const ran: unknown[] = [];
    const pay = defineTool({
      name: "pay",
      description: "",
      input,
      permission: "ask",
      execute: (value) => `paid ${ran.push(value)}`,
    }) as unknown as Tool;
    const model = scriptedModel([
      { calls: [{ id: "c", name: "pay", input: { order: { euros: 9 } } }] },
      "done",
    ]);
    const agent = createAgent({ name: "a", model, tools: [pay] });
    await agent.call("go");
    return { agent, ran };
  };

  test.each([
    [{ order: { euros: 0 } }, "order/euros"],
    [{ order: { euros: "5" } }, "order/euros"],
    [{ order: 5 }, "order"],
  ] as const)(
    "that does not fit is refused to the person, and the call still waits: %j",
    async (edit, path) => {
      const { agent, ran } = await waiting();
      await expect(agent.decide("c", { edit })).rejects.toMatchObject({
        code: "run/bad-decision",
        message: expect.stringContaining(path) as unknown,
        data: { callId: "c" },
      });
      expect(agent.status().pending).toMatchObject([
        { callId: "c", waitsFor: "approval", input: { order: { euros: 9 } } },
      ]);
      expect(agent.status().pending[0]).not.toHaveProperty("decided");
      await agent.decide("c", { edit: { order: { euros: 5 } } });
      expect((await agent.call()).text).toBe("done");
      expect(ran).toEqual([{ order: { euros: 5 } }]);
    },
  );

  test("is refused by the chart for what the chart refuses", async () => {
    const { agent } = await waiting();
    const edit = { order: 5 };
    await expect(agent.decide("other", { edit })).rejects.toMatchObject({ code: "run/bad-results" });
    await expect(agent.decide("c", { edit }, { argsHash: "x" })).rejects.toMatchObject({
      code: "run/stale-decision",
    });
  });
});
