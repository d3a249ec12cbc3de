// Wrong input of every public function gives a typed error that says what was expected.
import { describe, expect, test } from "vitest";
import {
  createAgent,
  createToolkit,
  defineTool,
  userMsg,
  type Agent,
  type Hook,
  type JsonObject,
  type Schema,
} from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";

const asks = { rules: [{ tool: "pay", action: "ask" }] } as const;
const pay = (): ReturnType<typeof toolOf> => toolOf("pay", () => "paid");
const call = { calls: [{ id: "c1", name: "pay" }] };
const refused = (code: string) => expect.objectContaining({ code });

const circular: { [key: string]: unknown } = {};
circular["self"] = circular;

test("a frozen schema is accepted", async () => {
  const input = Object.freeze({ type: "object", properties: Object.freeze({ n: { type: "number" } }) });
  const tool = defineTool({ name: "count", description: "", input, execute: () => "counted" });
  const { agent } = scripted([{ calls: [{ name: "count", input: { n: 1 } }] }, "done"], { tools: [tool] });
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("counted");
});

describe("a preset of a parameter that the schema does not have is refused", () => {
  const count = (input: Schema, preset: JsonObject) =>
    defineTool({ name: "count", description: "", input, preset });
  const properties = { year: {}, month: {} };
  const closed: readonly (readonly [string, Schema])[] = [
    ["zod", z.object({ year: z.number(), month: z.number() })],
    ["a strict zod object", z.strictObject({ year: z.number(), month: z.number() })],
    ["JSON Schema", { type: "object", properties }],
    ["JSON Schema without other properties", { properties, additionalProperties: false }],
    ["a reference", { $ref: "#/$defs/Count", $defs: { Count: { type: "object", properties } } }],
    ["parts of a schema", { allOf: [{ properties: { year: {} } }, { properties: { month: {} } }] }],
    ["a union", z.union([z.object({ year: z.number() }), z.object({ month: z.number() })])],
  ];
  test.each(closed)("with %s", (_, input) => {
    const refusal = "Tool 'count' has no parameter 'yaer' to preset (did you mean `year`?).";
    expect(() => count(input, { yaer: 1 })).toThrow(expect.objectContaining({ code: "config/invalid" }));
    expect(() => count(input, { yaer: 1 })).toThrow(refusal);
    expect(() => count(input, { day: 1 })).toThrow("(there are year, month).");
    const toolkit = createToolkit({ tools: [count(input, { year: 1 })] });
    expect(() => toolkit.setPreset("count", { yaer: 1 })).toThrow(refusal);
    expect(() => toolkit.setPreset("count", { month: 1 })).not.toThrow();
  });

  const open: readonly (readonly [string, Schema])[] = [
    ["a loose zod object", z.looseObject({ year: z.number() })],
    ["a zod record", z.record(z.string(), z.number())],
    ["a JSON Schema that names no property", { type: "object" }],
    ["a JSON Schema with a pattern of names", { properties, patternProperties: { "^x": {} } }],
  ];
  test.each(open)("but not with %s, which accepts any name", (_, input) => {
    expect(() => count(input, { yaer: 1 })).not.toThrow();
  });
});

describe("decide() refuses an invalid decision, and the call keeps waiting", () => {
  test.each([
    "banana",
    42,
    null,
    {},
    { approve: false },
    { approve: true, remember: "always" },
    { approve: true, deny: "both" },
    { deny: 3 },
    { edit: "x" },
    { edit: [1] },
    { edit: circular },
    { answer: 7 },
    { answer: [{ type: "text" }] },
  ])("%o", async (decision) => {
    const { agent } = scripted([call, "done"], { tools: [pay()], permissions: asks });
    await agent.call("go");
    const before = agent.status();
    await expect(agent.decide("c1", decision as never)).rejects.toEqual(refused("config/invalid"));
    expect(agent.status()).toEqual(before);
    await agent.decide("c1", "approve");
    expect((await agent.call()).text).toBe("done");
  });
});

test.each([null, 5, { modelCalls: -1 }, { modelCalls: Number.NaN }, { modelCalls: "2" }, { models: 1 }])(
  "extendBudget() refuses invalid input, and the turn keeps waiting: %j",
  async (extra) => {
    const { agent } = scripted([call, "done"], { tools: [pay()], budget: { modelCalls: 1 } });
    await agent.call("go");
    await expect(agent.extendBudget(extra as never)).rejects.toEqual(refused("config/invalid"));
    await agent.extendBudget({ modelCalls: 1 });
    expect((await agent.call()).text).toBe("done");
  },
);

test.each([
  { timeoutMs: "soon" },
  { timeoutMs: Number.NaN },
  { whenBusy: "wait" },
  { output: 5 },
  { output: "text" },
  { idempotencyKey: "" },
  { signal: {} },
  { fallbackReply: 1 },
])("call() refuses an invalid option, and the next call is answered: %j", async (options) => {
  const { agent } = scripted(["done"]);
  await expect(agent.call("go", options as never)).rejects.toEqual(refused("config/invalid"));
  expect(await agent.messages()).toEqual([]);
  expect((await agent.call("go")).text).toBe("done");
});

test.each([
  [{ turnOptions: { onTextWhilePending: "drop" } }, "onTextWhilePending"],
  [{ modelOptions: { structuredReminder: "SHOUT" } }, "structuredReminder"],
  [{ budget: { modelcalls: 3 } }, "modelcalls"],
  [{ budget: { onExceeded: "explode" } }, "onExceeded"],
  [{ permissions: { otherwise: "maybe" } }, "otherwise"],
  [{ permissions: { rules: [{ tool: "pay", action: "maybe" }] } }, "maybe"],
  [{ modelOptions: { execution: { timeoutMs: -1 } } }, "modelOptions.execution.timeoutMs"],
  [{ modelOptions: { execution: { idleTimeoutMs: 0 } } }, "modelOptions.execution.idleTimeoutMs"],
  [{ toolOptions: { execution: { initialBackoffMs: -1 } } }, "toolOptions.execution.initialBackoffMs"],
  [{ modelOptions: { execution: { retryOn: "never" } } }, "modelOptions.execution.retryOn"],
  [{ modelOptions: { fallbackModel: {} } }, "fallbackModel"],
  [{ sessionId: "" }, "sessionId"],
  [{ tools: [{ name: "raw" }] }, "defineTool"],
  [{ tools: "pay" }, "tools"],
  [{ hooks: {} }, "hooks"],
  [{ hooks: [{ name: "h", tools: 5 }] }, "tools"],
  [{ hooks: [{ name: "h", tools: [null] }] }, "defineTool"],
  [{ messages: 5 }, "messages"],
  [{ permissions: null }, "permissions"],
  [{ permissions: 5 }, "permissions"],
  [{ sessionOptions: { now: 5 } }, "now"],
  [{ sysPrompt: 5 }, "sysPrompt"],
  [{ sessionId: 5 }, "sessionId"],
  [{ sessionOptions: { newId: 5 } }, "newId"],
  [{ sessionOptions: { redact: 5 } }, "redact"],
  [{ turnOptions: { stopWhen: 5 } }, "stopWhen"],
  [{ generateOptions: 5 }, "generateOptions"],
  [{ meta: 5 }, "meta"],
  [{ modelOptions: { contextWindow: 5 } }, "contextWindow"],
  [{ budget: 5 }, "budget"],
  [{ turnOptions: { recoverOrphans: "no" } }, "recoverOrphans"],
  [{ parallelToolCalls: "yes" }, "parallelToolCalls"],
  [{ modelOptions: { prices: { scripted: { input: "1", output: 1 } } } }, "scripted"],
  [{ modelOptions: { prices: { scripted: {} } }, budget: { cost: 1 } }, "scripted"],
  [
    {
      modelOptions: { prices: { scripted: { input: 1, output: 1 } } },
      budget: { cost: 1 },
      compaction: { model: { name: "small", stream: () => {} } },
    },
    "'small'",
  ],
  [{ permissions: { expiresAfterMs: -1 } }, "permissions.expiresAfterMs"],
  [{ hooks: [{ name: "h", preCall: "x" }] }, "preCall"],
])("createAgent refuses %j and names what is wrong", (wrong, named) => {
  const make = () => createAgent({ name: "x", model: scriptedModel([]), ...(wrong as object) });
  expect(make).toThrow(
    expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(named) }),
  );
});

const nothing = null as never;
test.each<[string, (agent: Agent) => unknown, string]>([
  ["addHook(null)", (agent) => agent.addHook(nothing), "name"],
  ["addHook({ tools: 5 })", (agent) => agent.addHook({ name: "h", tools: 5 as never }), "tools"],
  ["call(null options)", (agent) => agent.call("go", nothing), "options"],
  ["call(5 as options)", (agent) => agent.call("go", 5 as never), "options"],
  ["stream(null options)", (agent) => agent.stream("go", nothing).reply, "options"],
  ["toolkit.add(null)", (agent) => agent.toolkit.add(nothing), "defineTool"],
  ["toolkit.addGroup(null)", (agent) => agent.toolkit.addGroup(nothing), "name"],
  ["toolkit.addGroup({})", (agent) => agent.toolkit.addGroup({} as never), "name"],
  ["toolkit.setGroups(null)", (agent) => agent.toolkit.setGroups(nothing), "object"],
  ["toolkit.setGroups(text)", (agent) => agent.toolkit.setGroups({ activate: "a" as never }), "activate"],
  ["createToolkit(null)", () => createToolkit(nothing), "object"],
  ["createToolkit({ tools: 5 })", () => createToolkit({ tools: 5 as never }), "tools"],
  ["createToolkit({ groups: 5 })", () => createToolkit({ groups: 5 as never }), "groups"],
  ["createToolkit({ tools: [null] })", () => createToolkit({ tools: [nothing] }), "defineTool"],
  ["defineTool(null)", () => defineTool(nothing), "name"],
])("%s is refused, and the next call is answered", async (_, act, named) => {
  const { agent } = scripted(["done"]);
  const expected = { code: "config/invalid", message: expect.stringContaining(named) };
  await expect((async () => act(agent))()).rejects.toMatchObject(expected);
  expect((await agent.call("go")).text).toBe("done");
});

test("addHook adds neither hook nor tools if one of the tools' names is taken", async () => {
  const heard: string[] = [];
  const { agent } = scripted(["done"], { tools: [toolOf("pay")] });
  const add = (...names: string[]): void =>
    agent.addHook({
      name: "h",
      tools: names.map((name) => toolOf(name)),
      preCall: () => void heard.push("h"),
    });
  expect(() => add("new", "pay")).toThrow(refused("tool/duplicate"));
  expect(() => add("twice", "twice")).toThrow(refused("tool/duplicate"));
  expect(agent.toolkit.names()).toEqual(["pay"]);
  await agent.call("go");
  expect(heard).toEqual([]);
  add("new");
  expect(agent.toolkit.names()).toEqual(["pay", "new"]);
});

test("defineTool refuses invalid limits and schemas", () => {
  const define = (fields: object) => () =>
    defineTool({ name: "pay", description: "", input: { type: "object" }, ...fields });
  expect(define({ execution: { timeoutMs: -5 } })).toThrow(refused("config/invalid"));
  expect(define({ input: 5 })).toThrow(refused("config/invalid"));
  expect(define({ input: [] })).toThrow(refused("config/invalid"));
  expect(define({ execute: "run" })).toThrow(refused("config/invalid"));
  expect(define({ description: 5 })).toThrow(refused("config/invalid"));
  expect(define({ preset: "mine" })).toThrow(refused("config/invalid"));
});

test("setPreset refuses a value that is not an object, and invoke returns an error result for arguments that are not an object", async () => {
  const toolkit = createToolkit({ tools: [pay()] });
  for (const preset of [null, "mine", ["mine"]])
    expect(() => toolkit.setPreset("pay", preset as never)).toThrow(refused("config/invalid"));
  for (const input of ["5 euros", ["5"], 5]) {
    expect(await toolkit.invoke("pay", input as never)).toMatchObject({
      state: "error",
      code: "tool/bad-input",
      output: [{ text: expect.stringContaining("Parameter validation failed for tool 'pay'") }],
    });
  }
});

describe("a hook that returns an invalid value fails the turn with hook/bad-return and stores none of it", () => {
  test.each([
    ["preCall", { system: 5 }],
    ["preReasoning", { system: 5 }],
    ["preReasoning", { options: "hot" }],
    ["postReasoning", { stop: "yes" }],
    ["preActing", { deny: 5 }],
    ["postActing", { stop: 1 }],
    ["postActing", { result: { output: [{ type: "bogus" }] } }],
    ["postActing", { result: { output: [{ type: "text" }] } }],
    ["postActing", { result: { output: [], state: "weird" } }],
  ] as const)("%s: %j", async (point, returned) => {
    const hook = { name: "odd", [point]: () => returned } as unknown as Hook;
    const { agent } = scripted([call, "done"], { tools: [pay()], hooks: [hook] });
    await expect(agent.call("go")).rejects.toEqual(refused("hook/bad-return"));
    expect(historyProblem(await agent.messages())).toBeUndefined();
    agent.removeHook("odd");
    createAgent({ name: "bot", model: scriptedModel([]), sessionOptions: { snapshot: agent.snapshot() } });
  });
});

test.each([{ output: [{ type: "text" }] }, { output: [{ type: "text", text: "a" }], state: "fine" }])(
  "a tool that returns an invalid result has an error result: %j",
  async (returned) => {
    const { agent } = scripted([call, "done"], { tools: [toolOf("pay", () => returned as never)] });
    expect((await agent.call("go")).text).toBe("done");
    const [result] = resultsOf(await agent.messages());
    expect(result).toMatchObject({ state: "error", code: "tool/failed" });
    expect(outputOf(result)).toContain("It may have taken effect");
  },
);

test.each([
  5,
  null,
  { type: "bogus" },
  { type: "text.delta" },
  { type: "tool.delta", name: "pay" },
  { type: "tool.delta", key: 1, name: "pay", input: [1] },
  { type: "media" },
  { type: "usage", usage: { inputTokens: "many" } },
  { type: "usage", usage: { inputTokens: -5 } },
  { type: "finish" },
])("a model that streams %j fails the turn with model/bad-response", async (part) => {
  const { agent } = scripted([[part] as never, "done"]);
  await expect(agent.call("go")).rejects.toEqual(refused("model/bad-response"));
  expect((await agent.messages()).map(({ role }) => role)).toEqual(["user"]);
  expect((await agent.call(userMsg("again"))).text).toBe("done");
});

test("the fallback model is not asked once a part of the first one's answer was delivered", async () => {
  const fallbackModel = scriptedModel(["from the other"]);
  const error = Object.assign(new Error("reset"), {});
  const { agent } = scripted([{ text: "half", error }, { error }], { modelOptions: { fallbackModel } });
  await expect(agent.call("go")).rejects.toMatchObject({ code: "model/failed", message: "reset" });
  expect(fallbackModel.requests).toEqual([]);
  expect((await agent.call()).text).toBe("from the other");
});

test.each([null, [], [userMsg("a"), userMsg("b")], 5])(
  "steer() and observe() refuse a value that is not one message, and the turn goes on: %j",
  async (message) => {
    const { agent } = scripted([call, "done"], { tools: [pay()] });
    const problems: unknown[] = [];
    agent.addHook({
      name: "says",
      preReasoning: () => {
        for (const say of [agent.steer, agent.interrupt]) {
          try {
            say.call(agent, message as never);
          } catch (error) {
            problems.push(error);
          }
        }
      },
    });
    expect((await agent.call("go")).text).toBe("done");
    expect(problems).toEqual(Array.from({ length: 4 }, () => refused("message/invalid")));
  },
);
