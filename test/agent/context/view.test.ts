// The view: the part of the transcript that the model sees, and how it is cut.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, textOf, toolResultsOf, type Msg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { historyProblem } from "../../support/history.ts";

const LONG = `${"begin ".repeat(1_000)}MIDDLE\n${"x".repeat(90_000)}\nneedle here\n${" end".repeat(1_000)}`;

const tools = [
  defineTool({
    name: "log",
    description: "Returns a long log.",
    input: { type: "object" },
    execute: () => LONG,
  }),
  defineTool({
    name: "ok",
    description: "Returns a word.",
    input: { type: "object" },
    execute: () => "fine",
  }),
];

const asks = (id: string, name: string, input: object = {}): ScriptedTurn => ({
  calls: [{ id, name, input: input as never }],
});

const sent = (messages: readonly Msg[]): string[] =>
  messages.map((message) => JSON.stringify(message.content));

/** How many of the requests begin with the whole request before them. */
function prefixes(requests: readonly { readonly messages: readonly Msg[] }[]): number {
  return requests.slice(1).filter(({ messages }, index) => {
    const before = sent(requests[index]!.messages);
    return sent(messages).slice(0, before.length).join() === before.join();
  }).length;
}

describe("what the model sees", () => {
  test("is a prefix of the next request, but for the few requests after which the bound was passed", async () => {
    const rounds = Array.from({ length: 40 }, (_, n) => asks(`c${n}`, "ok"));
    const model = scriptedModel([...rounds, "end"]);
    const agent = createAgent({
      name: "a",
      model,
      tools,
      maxIters: 100,
      modelOptions: { contextWindow: { maxMessages: 20 } },
    });
    await agent.call("the task");
    expect(model.requests.map(({ messages }) => historyProblem(messages))).toEqual(
      model.requests.map(() => undefined),
    );
    expect(Math.max(...model.requests.map(({ messages }) => messages.length))).toBeLessThanOrEqual(20);
    expect(model.requests.every(({ messages }) => textOf(messages[0]!) === "the task")).toBe(true);
    const cuts = model.requests.length - 1 - prefixes(model.requests);
    expect(cuts).toBeGreaterThan(5);
    expect(cuts).toBeLessThan(20);
    expect(await agent.messages()).toHaveLength(82);
  });

  test("is the same after a restore in another process", async () => {
    const rounds = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => asks(`c${from + n}`, "ok"));
    const modelOptions = { contextWindow: { maxMessages: 8 } };
    const config = { name: "a", tools, maxIters: 100, modelOptions, sessionId: "long" };
    const whole = scriptedModel([...rounds(0, 9), "one", ...rounds(9, 16), "two"]);
    const agent = createAgent({ ...config, model: whole });
    await agent.call("first");
    await agent.call("second");

    const store = memoryStore();
    const [before, after] = [
      scriptedModel([...rounds(0, 9), "one"]),
      scriptedModel([...rounds(9, 16), "two"]),
    ];
    const one = createAgent({ ...config, store, model: before });
    await one.call("first");
    await one.close();
    const two = createAgent({ ...config, store, model: after });
    await two.call("second");
    const requests = [...before.requests, ...after.requests];
    expect(requests.map(({ messages }) => sent(messages))).toEqual(
      whole.requests.map(({ messages }) => sent(messages)),
    );
    await two.close();
  });

  test("counts the tokens as the provider does, once it has counted", async () => {
    const text = "some words of a message that is not long at all";
    const turn = (inputTokens: number): ScriptedTurn => ({ text, usage: { inputTokens, outputTokens: 10 } });
    const requests = async (factor: number) => {
      const model = scriptedModel(Array.from({ length: 30 }, (_, n) => turn((20 + n * 10) * factor)));
      const agent = createAgent({ name: "a", model, modelOptions: { contextWindow: { maxTokens: 400 } } });
      for (let n = 0; n < 20; n++) await agent.call(text);
      return Math.max(...model.requests.map(({ messages }) => messages.length));
    };
    expect(await requests(4)).toBeLessThan(await requests(1));
  });
});

describe("a long tool result", () => {
  const script = [
    asks("c1", "log"),
    asks("c2", "read_result", { id: "c1", pattern: "NEEDLE" }),
    asks("c3", "read_result", { id: "c1", offset: 5_990, limit: 30 }),
    asks("c4", "read_result", { id: "c9" }),
    "found it",
  ];
  const results = { maxTokens: 1_000 };

  test("S41 is shown in part from its first request on, and read with read_result", async () => {
    const model = scriptedModel(script);
    const agent = createAgent({ name: "a", model, tools, toolOptions: { results } });
    await agent.call("look");
    const [first, second, third] = model.requests;
    expect(first!.tools.map(({ name }) => name)).toEqual(["log", "ok"]);
    expect(second!.tools.map(({ name }) => name)).toEqual(["log", "ok", "read_result"]);
    const shown = JSON.stringify(second!.messages.at(-1));
    expect(shown.length).toBeLessThan(5_000);
    expect(shown).toContain(`has ${LONG.length} characters`);
    expect(shown).not.toContain("MIDDLE");
    expect(prefixes(model.requests)).toBe(4);
    expect(JSON.stringify(third!.messages.at(-1))).toContain("needle here");
    const read = (await agent.messages()).flatMap(toolResultsOf);
    expect(read.map(({ state }) => state)).toEqual(["success", "success", "success", "error"]);
    expect(read[2]!.output).toEqual([
      {
        type: "text",
        text: expect.stringMatching(
          /^gin begin MIDDLE\nx+\n\[94000 more characters; go on with offset 6020\]$/,
        ),
      },
    ]);
    expect(read[3]!.output).toEqual([{ type: "text", text: "Error: There is no result c9." }]);
  });

  test("is stored whole, and the tool stays in later turns and after a restore", async () => {
    const store = memoryStore();
    const model = scriptedModel([asks("c1", "log"), "first"]);
    const config = { name: "a", tools, toolOptions: { results }, store, sessionId: "s" };
    const agent = createAgent({ ...config, model });
    await agent.call("look");
    expect(JSON.stringify(await agent.messages())).toContain("MIDDLE");
    await agent.close();
    const later = scriptedModel([asks("c2", "read_result", { id: "c1", pattern: "middle" }), "second"]);
    const restored = createAgent({ ...config, model: later });
    const reply = await restored.call("again");
    expect(reply.text).toBe("second");
    expect(later.requests[0]!.tools.map(({ name }) => name)).toContain("read_result");
    expect(JSON.stringify(later.requests[1]!.messages.at(-1))).toContain("MIDDLE");
    await restored.close();
  });

  test.each([
    ["results: false", { results: false as const }],
    ["its tool is excluded", { results: { maxTokens: 1_000, exclude: ["log"] } }],
    ["its tool has a larger bound", { results: { maxTokens: 1_000, tools: { log: 1_000_000 } } }],
  ])("is shown whole with %s", async (_, toolOptions) => {
    const model = scriptedModel([asks("c1", "log"), "end"]);
    await createAgent({ name: "a", model, tools, toolOptions }).call("look");
    expect(JSON.stringify(model.requests[1]!.messages)).toContain("MIDDLE");
    expect(model.requests[1]!.tools).toHaveLength(2);
  });

  test("leaves the name read_result to the agent", () => {
    expect(() =>
      defineTool({ name: "read_result", description: "x", input: { type: "object" } }),
    ).not.toThrow();
    const mine = defineTool({ name: "read_result", description: "x", input: { type: "object" } });
    expect(() => createAgent({ name: "a", model: scriptedModel([]), tools: [mine] })).toThrow(/read_result/);
  });
});
