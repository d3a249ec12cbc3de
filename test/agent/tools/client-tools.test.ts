// Tools that a client declares for one turn.
import { describe, expect, test } from "vitest";
import { createAgent, defineSlot, type AgentConfig, type ClientTool } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { outputOf, resultsOf, toolOf } from "../../support/agents.ts";

const pick: ClientTool = {
  name: "pick",
  description: "Lets the user pick a color.",
  inputSchema: { type: "object", properties: { color: { enum: ["red", "blue"] } }, required: ["color"] },
};
const other: ClientTool = { ...pick, name: "other" };
const picks = (color: unknown = "red"): ScriptedTurn => ({
  calls: [{ id: "c1", name: "pick", input: { color } as never }],
});

function open(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) {
  const model = scriptedModel(turns);
  const agent = createAgent({
    name: "bot",
    model,
    ...config,
    toolOptions: { clientTools: ["pick"], ...config.toolOptions },
  });
  return { agent, model, offered: () => model.requests.map(({ tools }) => tools.map(({ name }) => name)) };
}

test("a listed tool of the client is offered for one turn, and a call of it waits for the answer", async () => {
  const { agent, model, offered } = open([picks(), "You like red.", "Nothing to pick."], {
    tools: [toolOf("pay", () => "paid")],
  });
  const asked = await agent.call("Ask me.", { clientTools: [other, pick] });
  expect(asked.reason).toBe("TOOL_SUSPENDED");
  expect(asked.pending).toMatchObject([{ callId: "c1", name: "pick", waitsFor: "externalResult" }]);
  expect(model.requests[0]!.tools[1]).toEqual(pick);
  await agent.decide("c1", { answer: "red, really" });
  expect((await agent.call()).text).toBe("You like red.");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("red, really");
  await agent.call("And now?");
  expect(offered()).toEqual([["pay", "pick"], ["pay", "pick"], ["pay"]]);
});

test("the arguments of a call are checked as the client has declared them", async () => {
  const { agent } = open([picks("green"), "No such color."]);
  expect((await agent.call("Ask me.", { clientTools: [pick] })).text).toBe("No such color.");
  expect(resultsOf(await agent.messages())).toMatchObject([{ id: "c1", state: "error" }]);
});

test("a session that another agent opens has the tools that were declared, unless it no longer lists them", async () => {
  const store = memoryStore();
  const first = open([picks()], { store, sessionId: "s" });
  await first.agent.call("Ask me.", { clientTools: [pick] });
  await first.agent.close();
  const second = open([picks("blue")], { store, sessionId: "s" });
  await second.agent.decide("c1", { answer: "red" });
  expect((await second.agent.call()).reason).toBe("TOOL_SUSPENDED");
  expect(second.offered()).toEqual([["pick"]]);
  await second.agent.close();
  const third = open(["Done."], { store, sessionId: "s", toolOptions: { clientTools: [] } });
  const { callId } =
    third.agent.status().pending[0] ?? (await third.agent.open(), third.agent.status().pending[0]!);
  await third.agent.decide(callId, { answer: "blue" });
  expect((await third.agent.call()).text).toBe("Done.");
  expect(third.offered()).toEqual([[]]);
  await third.agent.close();
});

describe("a declaration that cannot be used is refused, and nothing has changed", () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
  const WRONG: { readonly [what: string]: readonly unknown[] } = {
    "65 tools": Array.from({ length: 65 }, (_, index) => ({ ...pick, name: `t${index}` })),
    "more than 48 KiB": [{ ...pick, description: "x".repeat(49 * 1024) }],
    "one name twice": [pick, pick],
    "no schema": [{ name: "pick", description: "" }],
    "a schema that is none": [{ ...pick, inputSchema: { type: "object", properties: { color: 7 } } }],
    "the schema of a string": [{ ...pick, inputSchema: { type: "string" } }],
    "an expression that is none": [{ ...pick, inputSchema: { properties: { color: { pattern: "(" } } } }],
    "an unknown field": [{ ...pick, execute: "rm" }],
    "a schema without end": [{ ...pick, inputSchema: deep(600) }],
    "no object": ["pick"],
  };
  test.each(Object.entries(WRONG))("%s", async (_, clientTools) => {
    const { agent, model } = open(["Hello."]);
    const call = agent.call("Ask me.", { clientTools: clientTools as readonly ClientTool[] });
    await expect(call).rejects.toMatchObject({ code: "message/invalid" });
    expect(await agent.messages()).toEqual([]);
    expect(model.requests).toEqual([]);
    expect((await agent.call("Hi.")).text).toBe("Hello.");
  });
});

test("a tool of the agent cannot be shadowed: a name that it has cannot be listed", () => {
  const pay = toolOf("pay", () => "paid");
  expect(() => open([], { tools: [pay], toolOptions: { clientTools: ["pay"] } })).toThrow(
    /`toolOptions.clientTools` has 'pay'/,
  );
  expect(() => open([], { toolOptions: { clientTools: ["generate_response"] } })).toThrow(
    /`toolOptions.clientTools` has/,
  );
  expect(() => open([], { toolOptions: { clientTools: ["a b"] } })).toThrow(/clientTools/);
  const slots = [defineSlot<readonly ClientTool[]>({ name: "tools.client", initial: [pick] })];
  expect(() => open([], { sessionOptions: { slots } })).toThrow(/a slot of its own/);
});

test("a listed tool that the agent gets later is its own", async () => {
  const { agent, model } = open([picks(), "Done."]);
  agent.toolkit.add(toolOf("pick", () => "picked by the agent"));
  expect((await agent.call("Ask me.", { clientTools: [pick] })).text).toBe("Done.");
  expect(model.requests[0]!.tools).toMatchObject([{ name: "pick", description: "pick" }]);
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("picked by the agent");
});

test("rules of the agent hold for tools of the client", async () => {
  const rules = [{ tool: "pick", action: "deny" as const, reason: "no colors" }];
  const { agent } = open([picks(), "Denied."], { permissions: { rules } });
  expect((await agent.call("Ask me.", { clientTools: [pick] })).text).toBe("Denied.");
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain("no colors");
});

test("a hostile schema does not make the check of the arguments long", async () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `a${at}`,
      { allOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] },
    ]),
  );
  const inputSchema = {
    type: "object",
    $defs: { ...$defs, a60: {} },
    allOf: [{ $ref: "#/$defs/a0" }, { $ref: "#" }],
    properties: { color: { type: "string", pattern: "^(a+)+$" } },
  };
  const { agent, model } = open([picks(`${"a".repeat(60)}!`), picks(7), "It is not text."]);
  const asked = await agent.call("Ask me.", { clientTools: [{ ...pick, inputSchema }] });
  expect(asked.reason).toBe("TOOL_SUSPENDED"); // the page checks the pattern
  expect(model.requests[0]!.tools[0]!.inputSchema).toEqual(inputSchema);
  await agent.decide("c1", { answer: "red" });
  expect((await agent.call()).text).toBe("It is not text."); // what takes bounded time is checked here
});
