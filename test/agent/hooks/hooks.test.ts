// Hooks at each point of the loop: their order, what they see, and what they rewrite.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineHook, defineTool, userMsg } from "agentchart";
import { scripted, toolOf } from "../../support/agents.ts";
import { call, show, traced } from "../../support/trace.ts";

describe("hooks", () => {
  test("a preReasoning hook changes the prompt of one model call only, and the change is not stored (S1, F7)", async () => {
    const { agent, model } = traced(["one", "two"], {
      hooks: [
        {
          name: "p",
          preReasoning: ({ turn }) =>
            turn === 1 ? { append: [userMsg("extra")], system: "other" } : undefined,
        },
      ],
    });
    await agent.call("a");
    await agent.call("b");
    expect(model.requests[0]?.messages.map(show)).toEqual(["S[other]", "U[a]", "U[extra]"]);
    expect(model.requests[1]?.messages.map(show)).toEqual(["S[sys]", "U[a]", "A[one]", "U[b]"]);
  });

  test("hooks can deny a call, replace its input and replace its result", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "t",
      description: "",
      input: z.object({ q: z.string() }),
      execute: ({ q }) => `raw ${seen.push(q)}`,
    });
    const { agent } = scripted(
      [
        {
          calls: [
            { id: "c1", name: "t", input: { q: "a" } },
            { id: "c2", name: "t", input: { q: "b" } },
          ],
        },
        "ok",
      ],
      {
        tools: [tool],
        hooks: [
          defineHook({
            name: "h",
            preActing: ({ call: { id } }) =>
              id === "c1" ? { input: { q: "changed" } } : { deny: "not today" },
            postActing: ({ result }) =>
              result.state === "success"
                ? { result: { output: [{ type: "text", text: "hooked" }] } }
                : undefined,
          }),
        ],
      },
    );
    await agent.call("go");
    expect(seen).toEqual(["changed"]);
    const results = (await agent.messages()).flatMap(({ content }) =>
      content.filter((block) => block.type === "tool_result"),
    );
    expect(results.map(({ state, output }) => [state, output[0]])).toEqual([
      ["success", { type: "text", text: "hooked" }],
      ["denied", { type: "text", text: "not today" }],
    ]);
  });

  test.each([1, 2])("a postActing hook that stops on result %i of two ends the turn (F1)", async (which) => {
    const { agent } = traced([{ calls: [call("c1"), call("c2")] }, "went on"], {
      hooks: [{ name: "s", postActing: ({ call: { id } }) => ({ stop: id === `c${which}` }) }],
    });
    expect((await agent.call("go")).reason).toBe("ACTING_STOP_REQUESTED");
    const next = await agent.call();
    expect(next).toMatchObject({ text: "went on", turn: { iterations: 2 } });
  });

  test("a goto beyond maxGotos fails the turn with hook/goto-limit (F5)", async () => {
    const { agent } = traced(["1", "2", "3"], {
      turnOptions: { maxGotos: 2 },
      hooks: [{ name: "g", postReasoning: () => ({ goto: [] }) }],
    });
    await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/goto-limit" });
  });

  test("a hook that returns a string fails the turn with hook/bad-return, which names the hook", async () => {
    const { agent } = traced(["1"], { hooks: [{ name: "g", postReasoning: (() => "yes") as never }] });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: expect.stringContaining("'g'"),
    });
  });

  test.each<[string, unknown]>([
    ["a bigint", 10n],
    ["a function", () => 1],
    ["a list", []],
    ["a stop of a bigint", { stop: 10n }],
    ["a stop that holds itself", { stop: Object.assign([], { 0: [] }) }],
  ])("a hook that returns %s fails the turn with hook/bad-return", async (_, nonsense) => {
    const { agent } = traced(["1"], { hooks: [{ name: "g", postReasoning: (() => nonsense) as never }] });
    await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/bad-return" });
  });

  test("a hook that puts a value that is not JSON into options or input fails the turn with hook/bad-return", async () => {
    const round: { self?: unknown } = {};
    round.self = round;
    for (const [point, patch] of [
      ["preReasoning", { options: { extraBody: round } }],
      ["preReasoning", { options: { seed: 1n } }],
      ["preActing", { input: round }],
    ] as const) {
      const { agent } = traced([{ calls: [call("c1")] }, "2"], {
        hooks: [{ name: "g", [point]: () => patch } as never],
      });
      await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/bad-return" });
    }
  });

  test.each(["high", Number.NaN, null])(
    "a hook whose priority is %s is refused with config/invalid",
    (priority) => {
      const hook = { name: "odd", priority: priority as number };
      const odd = { code: "config/invalid", message: expect.stringContaining("priority` is ") };
      expect(() => scripted([], { hooks: [hook] })).toThrow(expect.objectContaining(odd));
      expect(() => scripted([]).agent.addHook(hook)).toThrow(expect.objectContaining(odd));
    },
  );

  test("hooks can be added and removed between two calls", async () => {
    const { agent } = scripted(["a", "b", "c"]);
    let heard = 0;
    agent.addHook({ name: "late", postCall: () => void heard++ });
    await agent.call("1");
    expect(agent.removeHook("late")).toBe(true);
    await agent.call("2");
    expect([heard, agent.removeHook("late")]).toEqual([1, false]);
  });
});

describe("the tools that a preReasoning hook leaves", () => {
  const tools = ["a", "b", "c"].map((name) => toolOf(name, () => "ok"));
  const leaving = (name: string, ...left: readonly string[]) => ({
    name,
    preReasoning: ({ iteration, tools: offered }: { iteration: number; tools: readonly string[] }) => {
      seen.push(offered);
      return iteration === 0 ? { tools: left } : undefined;
    },
  });
  let seen: (readonly string[])[] = [];

  test("are offered in this call only; the next hook sees them, and none can add one", async () => {
    seen = [];
    const hooks = [leaving("one", "b", "a", "other"), leaving("two", "c", "b")];
    const { agent, model } = scripted([{ calls: [{ name: "b" }] }, "done"], { tools, hooks });
    await agent.call("go");
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ["b"],
      ["a", "b", "c"],
    ]);
    expect(seen.slice(0, 2)).toEqual([
      ["a", "b", "c"],
      ["a", "b"],
    ]);
  });

  test("do not cost the tool that returns the structured answer", async () => {
    const answer = { calls: [{ name: "generate_response", input: { response: { n: 1 } } }] };
    const { agent, model } = scripted([answer], { tools, hooks: [leaving("none")] });
    const { output } = await agent.call("go", { output: z.object({ n: z.number() }) });
    expect(output).toEqual({ n: 1 });
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(["generate_response"]);
  });

  test.each(["a", [1], { a: true }])("that are %j fail the turn", async (left) => {
    const { agent } = scripted(["done"], {
      tools,
      hooks: [{ name: "h", preReasoning: () => ({ tools: left }) as never }],
    });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: expect.stringContaining("`tools` must be an array of strings"),
    });
  });
});
