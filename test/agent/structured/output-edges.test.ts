// Structured answers beside hooks, failures and native support of schemas.
import { describe, expect, test } from "vitest";
import { AgentError, textOf, toolError, toolResultMsg, type FinishReason, type Hook } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { scripted, toolOf } from "../../support/agents.ts";

const output = z.object({ n: z.number() });
const native = { structuredOutput: true };
const given = (response: object) => ({ id: "g", name: "generate_response", input: { response } as never });

describe("a model with native support of schemas", () => {
  test("a native model is asked with response_format, and its fallback with a tool", async () => {
    const model = scriptedModel([{ error: new AgentError("model/auth", "down") }], { capabilities: native });
    const fallbackModel = scriptedModel(["words", { calls: [given({ n: 1 })] }], { name: "other" });
    const { agent } = scripted([], { model, modelOptions: { fallbackModel } });
    expect((await agent.call("go", { output })).output).toEqual({ n: 1 });
    expect(model.requests[0]).toMatchObject({ output: { name: "response" }, tools: [] });
    for (const request of fallbackModel.requests) {
      expect(request.output).toBeUndefined();
      expect(request.tools.map(({ name }) => name)).toEqual(["generate_response"]);
    }
    expect(fallbackModel.requests[1]!.options.toolChoice).toEqual({ name: "generate_response" });
  });

  test("a cut-off answer of a native model is not a structured output, even if it matches the schema", async () => {
    const cut = { text: "12", finish: "length" as FinishReason };
    const { agent } = scripted([], { model: scriptedModel([cut, "1234"], { capabilities: native }) });
    expect((await agent.call("go", { output: z.number() })).output).toBe(1234);
  });

  test("a native model's structured output is stored once, also if a hook stops the turn", async () => {
    let stops = 1;
    const { agent } = scripted([], {
      model: scriptedModel(['{"n":1}'], { capabilities: native }),
      hooks: [{ name: "once", postReasoning: () => ({ stop: stops-- > 0 }) }],
    });
    expect((await agent.call("go", { output })).reason).toBe("REASONING_STOP_REQUESTED");
    expect(await agent.call()).toMatchObject({ reason: "STRUCTURED_OUTPUT", output: { n: 1 } });
    expect((await agent.messages()).map(textOf)).toEqual(["go", '{"n":1}']);
  });
});

describe("a postReasoning hook that replaces a native model's answer", () => {
  const put = (text: string): Hook => {
    let answers = 0;
    return {
      name: "writes",
      postReasoning: ({ message }) =>
        answers++ === 0 ? { message: { ...message, content: [{ type: "text", text }] } } : undefined,
    };
  };
  const ask = async (said: string, text: string) => {
    const model = scriptedModel([said, '{"n":7}'], { capabilities: native });
    const { agent } = scripted([], { model, hooks: [put(text)] });
    const reply = await agent.call("go", { output });
    return [reply.output, reply.text, model.requests.length];
  };

  test("a hook's replacement of a matching native answer is the structured output (S45)", async () => {
    expect(await ask('{"n":1}', '{"n":2}')).toEqual([{ n: 2 }, '{"n":2}', 1]);
  });

  test("a hook's replacement of a native answer that does not match is the structured output (S45)", async () => {
    expect(await ask('```json\n{"n":1}\n```', '{"n":1}')).toEqual([{ n: 1 }, '{"n":1}', 1]);
  });

  test.each(["kept secret", '{"n":"one"}'])(
    "a hook that replaces a native answer with %s gives no structured output, so the model is reminded (S45)",
    async (text) => {
      expect(await ask('{"n":1}', text)).toEqual([{ n: 7 }, '{"n":7}', 2]);
    },
  );
});

describe("a structured output whose result a postActing hook makes a failure", () => {
  const picky = (isGood: (n: unknown) => boolean): Hook => ({
    name: "picky",
    postActing: ({ call }) =>
      isGood((call.input["response"] as { n: number }).n)
        ? undefined
        : { result: toolError("not good enough") },
  });

  test("a structured output that a hook refuses is produced again by the model, which reads the reason", async () => {
    const { agent, model } = scripted(
      [{ calls: [given({ n: 1 })] }, { calls: [{ ...given({ n: 2 }), id: "g2" }] }],
      {
        hooks: [picky((n) => n !== 1)],
      },
    );
    expect((await agent.call("go", { output })).output).toEqual({ n: 2 });
    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain("not good enough");
    expect((await agent.messages()).map(textOf)).toEqual(["go", '{"n":2}']);
  });

  test("a structured output that a hook refuses leaves another one of the same message valid", async () => {
    const calls = [given({ n: 1 }), { ...given({ n: 2 }), id: "g2" }];
    const { agent } = scripted([{ calls }], { hooks: [picky((n) => n !== 1)] });
    expect((await agent.call("go", { output })).output).toEqual({ n: 2 });
  });
});

describe("a suspended turn with a complete structured output", () => {
  const other = z.object({ m: z.number() });
  const suspended = async () => {
    const { agent, model } = scripted(
      [
        { calls: [{ id: "e1", name: "clerk" }, given({ n: 1 })] },
        { calls: [{ ...given({ m: 2 }), id: "g2" }] },
      ],
      { tools: [toolOf("clerk")] },
    );
    await agent.call("go", { output });
    return { agent, model, results: toolResultMsg([{ callId: "e1", name: "clerk", text: "yes" }]) };
  };

  test("a suspended turn with a structured output ends with it if the next call requests the same", async () => {
    const { agent, model, results } = await suspended();
    expect((await agent.call(results, { output })).output).toEqual({ n: 1 });
    expect(model.requests).toHaveLength(1);
  });

  test("a suspended turn with a structured output produces another one if the next call requests another", async () => {
    const { agent, results } = await suspended();
    expect((await agent.call(results, { output: other })).output).toEqual({ m: 2 });
  });
});

test("the summary of a turn without its structured output neither reminds the model nor forces a tool", async () => {
  let answers = 0;
  const { agent, model } = scripted(["talk", "talk", "summary"], {
    maxIters: 1,
    hooks: [{ name: "second", postReasoning: () => ({ stop: ++answers === 2 }) }],
  });
  expect((await agent.call("go", { output })).reason).toBe("REASONING_STOP_REQUESTED");
  await expect(agent.call()).rejects.toMatchObject({ code: "output/missing" });
  const summary = model.requests[2]!;
  expect(summary).toMatchObject({ tools: [], options: {} });
  expect(summary.options.toolChoice).toBeUndefined();
  expect(textOf(summary.messages.at(-1)!)).toContain("summarizing");
});

test("usage on the message of a structured output is on no other message", async () => {
  const usage = { inputTokens: 10, outputTokens: 1 };
  const { agent } = scripted(
    [{ text: "both", calls: [{ id: "c1", name: "clerk" }, given({ n: 1 })], usage }],
    { tools: [toolOf("clerk", () => "yes")] },
  );
  const reply = await agent.call("go", { output });
  const used = (await agent.messages()).flatMap((message) => message.usage ?? []);
  expect(used).toMatchObject([usage]);
  expect([reply.usage, reply.turn.usage]).toMatchObject([usage, usage]);
});

test("preReasoning hooks see the tool for structured output among the tools", async () => {
  const seen: (readonly string[])[] = [];
  const { agent } = scripted([{ calls: [given({ n: 1 })] }, "plain"], {
    tools: [toolOf("clerk", () => "yes")],
    hooks: [{ name: "sees", preReasoning: ({ tools }) => void seen.push(tools) }],
  });
  await agent.call("go", { output });
  await agent.call("go");
  expect(seen).toEqual([["clerk", "generate_response"], ["clerk"]]);
});
