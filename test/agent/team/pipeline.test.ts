// Pipelines of agents: in a row, at once, and as a model.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, textOf, type AgentConfig, type ChatModel, type Msg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import {
  branch,
  codeModel,
  fanOut,
  pipeline,
  repeat,
  sequence,
  type AgentToolAgent,
  type CodeStep,
  type PipelineOptions,
} from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { historyProblem } from "../../support/history.ts";
import { outputOf, resultsOf, toolOf } from "../../support/agents.ts";

/** An agent that answers with its name around what it was told. */
function echo(name: string, more: Partial<AgentConfig> = {}): AgentToolAgent {
  const model: ChatModel = {
    name,
    async *stream({ messages }) {
      const told = messages.filter(({ role }) => role !== "system").map(textOf);
      yield { type: "text.delta", delta: `${name}(${told.join("+")})` };
      yield { type: "finish", reason: "stop" };
    },
  };
  return { name, model, ...more } as AgentToolAgent;
}

/** An agent that pays after an approval, and says so. */
function payer(name: string, paid: string[]): AgentToolAgent {
  const model: ChatModel = {
    name,
    async *stream({ messages }) {
      const results = resultsOf(messages);
      if (results.length > 0) yield { type: "text.delta", delta: `${name}: ${results.map(outputOf).join()}` };
      else yield { type: "tool.delta", key: 0, id: "pay_1", name: "pay", args: "{}" };
      yield { type: "finish", reason: "stop" };
    },
  };
  const pay = toolOf("pay", () => (paid.push(name), "paid"), { permission: "ask" });
  return { name, model, tools: [pay] } as AgentToolAgent;
}

const run = (steps: PipelineOptions["steps"], more: Partial<PipelineOptions> = {}) =>
  pipeline({ name: "line", steps, ...more });

describe("a pipeline", () => {
  test.each([
    ["sequence", sequence(echo("a"), echo("b")), "b(a(x))"],
    ["sequence of nothing", sequence(), "x"],
    ["fan-out, in the order of its steps", fanOut([echo("b"), echo("a")]), "b(x)\na(x)"],
    ["fan-out, one after the other", fanOut([echo("b"), echo("a")], { concurrency: 1 }), "b(x)\na(x)"],
    [
      "branch",
      branch((input) => (textOf(input[0]!) === "x" ? "yes" : "no"), { yes: echo("y"), no: echo("n") }),
      "y(x)",
    ],
    [
      "repetition with an end",
      repeat(echo("r"), ([message]) => textOf(message!).length > 6, 9),
      "r(r(x))".replace("x", "x"),
    ],
    ["repetition with a bound", repeat(echo("r"), () => false, 3), "r(r(r(x)))"],
    ["single agent", echo("a"), "a(x)"],
    [
      "nesting",
      sequence(echo("a"), fanOut([sequence(echo("b"), echo("c")), echo("d")]), echo("e")),
      "e(c(b(a(x)))+d(a(x)))",
    ],
  ] as const)("of a %s answers what its agents answer", async (_, steps, text) => {
    const reply = await run(steps).call("x");
    expect(reply.text).toBe(text);
    expect(reply.reason).toBe("MODEL_STOP");
  });

  test("says who has answered, and costs nothing itself", async () => {
    const usage = { inputTokens: 5, outputTokens: 2 };
    const model = (name: string): AgentToolAgent => ({ name, model: scriptedModel([{ text: name, usage }]) });
    const reply = await run(fanOut([model("a"), model("b")]), {
      modelOptions: { prices: { scripted: { input: 1, output: 1 } } },
      budget: { cost: 1 },
    }).call("x");
    expect(reply.metadata["replies"]).toMatchObject([{ name: "a" }, { name: "b" }]);
    expect(reply.turn.usage).toMatchObject({ inputTokens: 10, outputTokens: 4 });
    expect(reply.turn.usage.cost).toBeCloseTo(14e-6);
  });

  test("answers each input with its own agents, and remembers no earlier one", async () => {
    const line = run(sequence(echo("a"), echo("b")));
    expect((await line.call("x")).text).toBe("b(a(x))");
    expect((await line.call("y")).text).toBe("b(a(y))");
    expect(historyProblem(await line.messages())).toBeUndefined();
  });

  test("asks only the last agent for a structured answer", async () => {
    const model = scriptedModel([
      { calls: [{ name: "generate_response", input: { response: { n: 1 } } }] },
      "ok",
    ]);
    const reply = await run(sequence(echo("a"), { name: "b", model })).call("x", {
      output: z.object({ n: z.int() }),
    });
    expect(reply.output).toEqual({ n: 1 });
  });

  test("rests while its agents wait, and goes on in another process", async () => {
    const paid: string[] = [];
    const store = memoryStore();
    const line = () =>
      run(sequence(echo("a"), fanOut([payer("b", paid), payer("c", paid)]), echo("d")), {
        store,
        sessionId: "p",
      });
    const first = line();
    const { pending } = await first.call("x");
    expect(pending.map(({ name, path }) => [name, path])).toEqual([
      ["pay", ["call_b"]],
      ["pay", ["call_c"]],
    ]);
    await first.close();
    const second = line();
    for (const { callId } of pending) await second.decide(callId, "approve");
    expect((await second.call()).text).toBe("d(b: paid+c: paid)");
    expect(paid).toEqual(["b", "c"]);
    await second.close();
  });

  test("runs agents of this process, which keep what they heard", async () => {
    const paid: string[] = [];
    const alice = createAgent(echo("alice") as AgentConfig);
    const bob = createAgent(payer("bob", paid) as AgentConfig);
    const line = run(sequence(alice, bob));
    const { pending } = await line.call("x");
    expect(pending).toMatchObject([{ name: "pay", path: ["call_bob"] }]);
    await line.decide(pending[0]!.callId, "approve");
    expect((await line.call()).text).toBe("bob: paid");
    expect((await bob.messages())[0]).toMatchObject({ role: "assistant", name: "alice" });
  });
});

describe("an agent of a pipeline that fails", () => {
  const broken = (name: string): AgentToolAgent => ({
    name,
    model: scriptedModel([{ error: new Error(`no ${name}`) }]),
    modelOptions: { execution: { maxAttempts: 1 } },
  });

  test("ends it with the name of the agent", async () => {
    await expect(run(sequence(broken("a"), echo("b"))).call("x")).rejects.toMatchObject({
      code: "tool/failed",
      message: expect.stringContaining("no a") as string,
      data: { agent: "a" },
    });
  });

  test("in a fan-out ends it when all have ended, with all errors", async () => {
    const heard: Msg[][] = [];
    const last = echo("c", { turnOptions: { stopWhen: (message) => (heard.push([message]), false) } });
    await expect(run(fanOut([broken("a"), broken("b"), last])).call("x")).rejects.toMatchObject({
      code: "tool/failed",
      message: expect.stringMatching(
        /^Multiple agent execution failures occurred: a: .*no a; b: .*no b$/u,
      ) as string,
      data: { errors: [{ agent: "a" }, { agent: "b" }] },
    });
    expect(heard).toHaveLength(1);
  });

  test("in a fan-out that fails at once lets no further agent begin", async () => {
    const model = scriptedModel(["late"]);
    const steps = fanOut([broken("a"), { name: "b", model }], { concurrency: 1, onError: "fail" });
    await expect(run(steps).call("x")).rejects.toMatchObject({ data: { agent: "a" } });
    expect(model.requests).toHaveLength(0);
  });

  test("by a branch that is not there says which there are", async () => {
    await expect(run(branch(() => "z", { y: echo("y") })).call("x")).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining("no step 'z'; expected one of y") as string,
    });
  });
});

test.each([
  ["a promise", async () => true],
  ["undefined", () => undefined],
  ["a number", () => 1],
])("a repetition whose function returns %s fails its pipeline", async (_, until) => {
  const steps = repeat({ name: "a", model: scriptedModel(["1", "2"]) }, until as never, 2);
  await expect(pipeline({ name: "p", steps }).call("go")).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining("`until` gave"),
  });
});

describe("wrong options of a pipeline", () => {
  test.each([
    ["no steps", () => pipeline({ name: "p" } as never), "expected `steps`"],
    [
      "a model",
      () => pipeline({ name: "p", steps: echo("a"), model: scriptedModel([]) } as never),
      "no option `model`",
    ],
    ["two agents of one name", () => run(sequence(echo("a"), echo("a"))), "two agents are named 'a'"],
    ["a step that is none", () => sequence(5 as never), "step 1 is not a step"],
    ["a concurrency of 0", () => fanOut([], { concurrency: 0 }), "`concurrency` is 0"],
    ["an unknown option", () => fanOut([], { parallel: 1 } as never), "no option `parallel`"],
    ["no step", () => fanOut([]), "fanOut: expected at least one step"],
    ["no bound", () => repeat(echo("a"), () => true, 0), "`max` is 0"],
    ["an agent with a store", () => run({ ...echo("a"), store: memoryStore() } as never), "has a `store`"],
  ])("are refused: %s", (_, make, problem) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringContaining(problem) as string,
      }),
    );
  });
});

describe("a model that is code", () => {
  const agentOf = (model: ChatModel) =>
    createAgent({ name: "code", model, tools: [toolOf("look", ({ q }) => `${String(q)}!`)] });

  test("calls tools by the results so far, and is asked again after a new input only for that", async () => {
    const inputs: (readonly string[])[] = [];
    const agent = agentOf(
      codeModel(
        ({ input, results }) => {
          inputs.push(input.map(textOf));
          if (results.length === 0) return { calls: [{ name: "look", input: { q: textOf(input[0]!) } }] };
          return {
            reply: resultsOf([{ content: results[0] } as never])
              .map(outputOf)
              .join(),
          };
        },
        { check: true },
      ),
    );
    expect((await agent.call("a")).text).toBe("a!");
    expect((await agent.call("b")).text).toBe("b!");
    expect(new Set(inputs.map(String))).toEqual(new Set(["a", "b"]));
  });

  test("that is not deterministic fails when it is checked", async () => {
    let n = 0;
    await expect(
      agentOf(codeModel(() => ({ reply: String(n++) }), { check: true })).call("a"),
    ).rejects.toMatchObject({
      code: "model/bad-response",
      message: expect.stringContaining("not deterministic") as string,
    });
  });

  test.each([[{}], [{ calls: [] }], [null], ["text"]])("that returns %j fails", async (step) => {
    await expect(agentOf(codeModel(() => step as CodeStep)).call("a")).rejects.toMatchObject({
      code: "model/bad-response",
    });
  });

  test("needs a function", () => {
    expect(() => codeModel(5 as never)).toThrow("expected a function");
  });
});
