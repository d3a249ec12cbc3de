// Faults of tools in other frameworks, each of which is not a fault here.
import { expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  createToolkit,
  defineTool,
  suspend,
  type AgentConfig,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolResultBlock,
} from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toChatMessages } from "../../../src/core/model/openai/index.ts";
import { eventsOf, outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";

/** What a turn with these calls, all in one message, leaves as results. */
async function resultsFor(
  calls: readonly { readonly name: string; readonly input?: JsonObject }[],
  tools: readonly Tool[],
  config: Partial<AgentConfig> = {},
): Promise<ToolResultBlock[]> {
  const { agent, model } = scripted([{ calls }, "done"], { tools, ...config });
  expect((await agent.call("go")).text).toBe("done");
  expect(historyProblem(model.requests[1]!.messages)).toBeUndefined();
  return resultsOf(await agent.messages());
}

test("S5 results of parallel calls stand in call order, whichever ends first", async () => {
  const ended: string[] = [];
  const ends = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const waitsFor = [2, undefined, 1];
  const tool = toolOf("t", async ({ n }) => {
    await ends[waitsFor[Number(n)] ?? -1]?.promise;
    ended.push(String(n));
    ends[Number(n)]!.resolve();
    return `r${String(n)}`;
  });
  const calls = ends.map((_, n) => ({ name: "t", input: { n } }));
  expect((await resultsFor(calls, [tool], { parallelToolCalls: true })).map(outputOf)).toEqual([
    "r0",
    "r1",
    "r2",
  ]);
  expect(ended).toEqual(["1", "2", "0"]);
});

test.each<[string, () => never]>([
  [
    "itself",
    () => {
      throw suspend("later");
    },
  ],
  [
    "as a cause",
    () => {
      throw new Error("failed", { cause: new Error("wrapped", { cause: suspend("later") }) });
    },
  ],
])("S6 a suspension that is thrown %s suspends, from a plain and from an async tool", async (_, raise) => {
  const tools = [toolOf("sync", raise), toolOf("async", async () => raise())];
  const { agent } = scripted([{ calls: [{ name: "sync" }, { name: "async" }] }], { tools });
  const reply = await agent.call("go");
  expect(reply.pending.map(({ name, waitsFor, reason }) => [name, waitsFor, reason])).toEqual([
    ["sync", "externalResult", "later"],
    ["async", "externalResult", "later"],
  ]);
});

test("S10 an unknown tool is a result the model reads, and its siblings run", async () => {
  const results = await resultsFor([{ name: "nope" }, { name: "ok" }], [toolOf("ok", () => "fine")]);
  expect(results.map((result) => [result.code, outputOf(result)])).toEqual([
    ["tool/unknown", "Error: Tool not found: nope"],
    [undefined, "fine"],
  ]);
});

test.each<[string, Tool]>([
  [
    "throws",
    toolOf("t", () => {
      throw new Error("boom");
    }),
  ],
  ["rejects with nothing", toolOf("t", () => Promise.reject())],
  ["runs out of time", toolOf("t", () => new Promise<string>(() => {}), { execution: { timeoutMs: 5 } })],
  ["returns what is not JSON", toolOf("t", (() => 1n) as never)],
])("S12 a tool that %s ends with an error result, and the session goes on", async (_, tool) => {
  const { agent } = scripted([{ calls: [{ name: "t" }] }, "sorry", "next"], { tools: [tool] });
  expect((await agent.call("go")).text).toBe("sorry");
  expect(resultsOf(await agent.messages())).toMatchObject([{ name: "t", state: "error" }]);
  expect((await agent.call("and?")).text).toBe("next");
});

test("S14 a call without a name is answered, and can go back over the wire", async () => {
  const nameless: ScriptedTurn = [
    { type: "tool.delta", key: 0, id: "c1", args: "{}" },
    { type: "finish", reason: "tool_calls" },
  ];
  const { agent } = scripted([nameless, "done"]);
  expect((await agent.call("go")).text).toBe("done");
  const messages = await agent.messages();
  expect(resultsOf(messages)).toMatchObject([{ id: "c1", code: "tool/unknown" }]);
  expect(toChatMessages(messages)[1]).toMatchObject({
    tool_calls: [{ id: "c1", function: { name: "unknown" } }],
  });
});

test("S19 presets win over the model, and the model does not see them", async () => {
  const seen: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "pays",
    input: z.object({ amount: z.number(), account: z.string() }),
    preset: { account: "mine" },
    execute: (input) => `paid ${seen.push(input)}`,
  });
  const { agent, model } = scripted(
    [{ calls: [{ name: "pay", input: { amount: 1, account: "theirs" } }] }, "done"],
    { tools: [pay] },
  );
  await agent.call("go");
  expect(seen).toEqual([{ amount: 1, account: "mine" }]);
  expect(JSON.stringify(model.requests[0]?.tools)).not.toContain("account");
  expect(model.requests[0]?.tools[0]?.inputSchema).toMatchObject({ required: ["amount"] });
});

test("S20 an explicit null for an optional field counts as not given, also inside objects and lists", async () => {
  const seen: unknown[] = [];
  const Item = z.object({ id: z.number(), note: z.string().optional() });
  const tool = defineTool({
    name: "t",
    description: "",
    input: z.object({ limit: z.number().optional(), items: z.array(Item), keep: z.null() }),
    execute: (input) => `ok ${seen.push(input)}`,
  });
  const [result] = await resultsFor(
    [{ name: "t", input: { limit: null, items: [{ id: 1, note: null }], keep: null } }],
    [tool],
  );
  expect([result?.state, seen]).toEqual(["success", [{ items: [{ id: 1 }], keep: null }]]);
});

test("S21 references inside a schema are followed when arguments are checked and pruned", async () => {
  const seen: unknown[] = [];
  const node = {
    type: "object",
    properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } },
    required: ["name"],
  } as const;
  const tool = defineTool({
    name: "t",
    description: "",
    input: {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      required: ["root"],
      $defs: { node },
    },
    execute: (input) => `ok ${seen.push(input)}`,
  });
  const call = (root: JsonObject) => ({ name: "t", input: { root } });
  const results = await resultsFor(
    [call({ name: "a", next: { name: "b", next: null } }), call({ name: "a", next: { name: 5 } })],
    [tool],
  );
  expect(results.map(({ code }) => code)).toEqual([undefined, "tool/bad-input"]);
  expect(seen).toEqual([{ root: { name: "a", next: { name: "b" } } }]);
  const { model, agent } = scripted(["x"], { tools: [tool] });
  await agent.call("go");
  expect(model.requests[0]?.tools[0]?.inputSchema["$defs"]).toEqual({ node });
});

test("S27 a tool that returns nothing gets a result that says so, and its siblings keep theirs", async () => {
  const empty = toolOf("empty", (() => undefined) as never);
  const results = await resultsFor(
    [{ name: "ok" }, { name: "empty" }, { name: "ok" }],
    [toolOf("ok", () => "fine"), empty],
  );
  expect(results.map((result) => [result.state, result.code])).toEqual([
    ["success", undefined],
    ["error", "tool/no-result"],
    ["success", undefined],
  ]);
});

test("S28 the result of a call that ran out of time keeps its id and name", async () => {
  const deaf = toolOf("deaf", () => new Promise<string>(() => {}), { execution: { timeoutMs: 5 } });
  const { agent } = scripted(
    [
      {
        calls: [
          { id: "a", name: "ok" },
          { id: "b", name: "deaf" },
        ],
      },
      "done",
    ],
    {
      tools: [toolOf("ok", () => "fine"), deaf],
      parallelToolCalls: true,
    },
  );
  await agent.call("go");
  expect(resultsOf(await agent.messages()).map(({ id, name, code }) => [id, name, code])).toEqual([
    ["a", "ok", undefined],
    ["b", "deaf", "tool/timeout"],
  ]);
});

test("S32 a failed call is distinguished from a successful one whose text reads like a failure", async () => {
  const liar = toolOf("liar", () => "Error: Tool execution failed: boom");
  const boom = toolOf("boom", () => {
    throw new Error("boom");
  });
  const results = await resultsFor([{ name: "liar" }, { name: "boom" }], [liar, boom]);
  expect(results.map(outputOf)).toEqual(
    Array.from({ length: 2 }, () => "Error: Tool execution failed: boom"),
  );
  expect(results.map(({ state, code }) => [state, code])).toEqual([
    ["success", undefined],
    ["error", "tool/failed"],
  ]);
});

test("S47 the context of a call reaches tools, permissions and hooks, those for chunks too", async () => {
  type Ctx = { readonly user: string };
  const seen: string[] = [];
  const note =
    (where: string) =>
    (e: { readonly context: Ctx }): void =>
      void seen.push(`${where} ${e.context.user}`);
  const tool = defineTool({
    name: "t",
    description: "",
    input: { type: "object" },
    permission: (_, ctx: unknown) => (note("permission")({ context: ctx as Ctx }), "allow"),
    execute: async (_, ctx: ToolContext) => {
      await Promise.resolve();
      note("tool")({ context: ctx.context as Ctx });
      ctx.emit("half");
      return "done";
    },
  });
  const agent = createAgent<Ctx>({
    name: "bot",
    model: scriptedModel([{ text: "let me", calls: [{ name: "t" }] }, "done"]),
    tools: [tool as Tool<Ctx>],
    hooks: [
      {
        name: "h",
        preReasoning: note("preReasoning"),
        reasoningChunk: note("reasoningChunk"),
        actingChunk: note("actingChunk"),
      },
    ],
    context: { user: "nobody" },
  });
  await agent.call("go", { context: { user: "ann" } });
  expect(new Set(seen)).toEqual(
    new Set(
      ["preReasoning", "reasoningChunk", "permission", "tool", "actingChunk"].map((where) => `${where} ann`),
    ),
  );
});

const grouped = (active: readonly string[]) =>
  createToolkit({
    groups: ["maps", "mail"].map((name) => ({ name, active: active.includes(name) })),
    tools: [
      toolOf("find", () => "here", { groups: ["maps"] }),
      toolOf("send", () => "sent", { groups: ["mail"] }),
    ],
    metaTool: true,
  });
const choose = (on: string[], off: string[]) => ({
  calls: [{ name: "reset_equipped_tools", input: { to_activate: on, to_deactivate: off } }],
});

test("py5 the meta tool turns groups off as well as on", async () => {
  const { agent, model } = scripted([choose(["mail"], ["maps"]), choose([], ["mail"]), "done"], {
    toolkit: grouped(["maps"]),
  });
  await agent.call("go");
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["find", "reset_equipped_tools"],
    ["send", "reset_equipped_tools"],
    ["reset_equipped_tools"],
  ]);
});

test("F9 what a hook made of the arguments is what is validated and executed", async () => {
  const seen: unknown[] = [];
  const tool = defineTool({
    name: "t",
    description: "",
    input: z.object({ n: z.number() }),
    execute: ({ n }) => `ok ${seen.push(n)}`,
  });
  const rewrite = (input: JsonObject) => ({ hooks: [{ name: "h", preActing: () => ({ input }) }] });
  const good = await resultsFor([{ name: "t", input: { n: "no number" } }], [tool], rewrite({ n: 2 }));
  const bad = await resultsFor([{ name: "t", input: { n: 1 } }], [tool], rewrite({ n: "no number" }));
  expect([good[0]?.state, bad[0]?.code, seen]).toEqual(["success", "tool/bad-input", [2]]);
});

test("F9 what no JSON could be made of is not validated as something else", async () => {
  const cut: ScriptedTurn = [
    { type: "tool.delta", key: 0, id: "c1", name: "t", args: '{"n": ' },
    { type: "finish", reason: "tool_calls" },
  ];
  const { agent } = scripted([cut, "done"], { tools: [toolOf("t", () => "ran")] });
  await agent.call("go");
  expect(resultsOf(await agent.messages())).toMatchObject([{ code: "tool/bad-input" }]);
});

test("F18 a restored session has the groups it had, and no others", async () => {
  const { agent } = scripted([choose(["mail"], ["maps"]), "done"], { toolkit: grouped(["maps"]) });
  await agent.call("go");
  const next = scripted(["x"], {
    toolkit: grouped(["maps"]),
    sessionOptions: { snapshot: agent.snapshot() },
  });
  expect(next.agent.toolkit.activeGroups()).toEqual(["mail"]);
  await next.agent.call("again");
  expect(next.model.requests[0]?.tools.map(({ name }) => name)).toEqual(["send", "reset_equipped_tools"]);
});

test("F20 tools are offered in the order they were added, whatever happens to the others", async () => {
  const names = ["z", "a", "m", "b"];
  const { agent, model } = scripted(["1", "2"], { tools: names.map((name) => toolOf(name, () => "ok")) });
  await agent.call("go");
  agent.toolkit.remove("a");
  agent.toolkit.add(toolOf("a", () => "ok"));
  agent.toolkit.setPreset("m", { x: 1 });
  await agent.call("again");
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    names,
    ["z", "m", "b", "a"],
  ]);
});

test("F23 one call without a value does not spoil the others of its batch, run at once", async () => {
  const empty = toolOf("empty", (async () => undefined) as never);
  const tools = [toolOf("ok", () => "fine"), empty];
  const results = await resultsFor([{ name: "empty" }, { name: "ok" }, { name: "empty" }], tools, {
    parallelToolCalls: true,
  });
  expect(results.map(({ code }) => code)).toEqual(["tool/no-result", undefined, "tool/no-result"]);
});

test("S31 the end of a call says what is stored, and comes before it is stored", async () => {
  const { agent } = scripted(
    [
      {
        calls: [
          { id: "a", name: "ok" },
          { id: "b", name: "boom" },
        ],
      },
      "done",
    ],
    {
      tools: [
        toolOf("ok", () => "fine"),
        toolOf("boom", () => {
          throw new Error("boom");
        }),
      ],
    },
  );
  const events = await eventsOf(agent.stream("go"));
  const ends = events.flatMap((event, at) =>
    event.type === "tool.end" ? [{ at, result: event.result }] : [],
  );
  const stored = events.flatMap((event, at) =>
    event.type === "message" && event.message.role === "tool"
      ? [{ at, result: resultsOf([event.message])[0] }]
      : [],
  );
  expect(ends.map(({ result }) => result.state)).toEqual(["success", "error"]);
  expect(stored.map(({ result }) => result)).toEqual(ends.map(({ result }) => result));
  expect(stored.every(({ at }, index) => at > ends[index]!.at)).toBe(true);
});
