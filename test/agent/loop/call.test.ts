// The method `call`: replies, signals, time-outs, and what it refuses.
import { describe, expect, test } from "vitest";
import { AgentError, assistantMsg, defineTool, toolResultMsg, userMsg, type Msg } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { scripted } from "../../support/agents.ts";
import { show } from "../../support/trace.ts";

describe("call", () => {
  test("call() refuses a second call while one runs, and accepts one before the first reply is delivered", async () => {
    const { agent } = scripted(["one", "two"]);
    const first = agent.call("a").then(() => agent.call("b"));
    await expect(agent.call("x")).rejects.toMatchObject({
      code: "run/busy",
      message: expect.stringContaining("still running"),
    });
    expect((await first).text).toBe("two");
  });

  test("call() sends no system message for a blank system prompt", async () => {
    const { agent, model } = scripted(["ok"], { sysPrompt: " \n" });
    await agent.call("go");
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
  });

  test("call() with whenBusy queue waits for the running turn", async () => {
    const { agent } = scripted(["one", "two", "three"]);
    const replies = await Promise.all([
      agent.call("a"),
      agent.call("b", { whenBusy: "queue" }),
      agent.call("c", { whenBusy: "queue" }),
    ]);
    expect(replies.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });

  test("a reply reports the counters of its turn", async () => {
    const { agent } = scripted(
      [
        { calls: [{ name: "t" }], usage: { inputTokens: 5, outputTokens: 1 } },
        { text: "ok", usage: { inputTokens: 7, outputTokens: 2 } },
      ],
      { tools: [defineTool({ name: "t", description: "", input: { type: "object" }, execute: () => null })] },
    );
    const reply = await agent.call("a");
    expect(reply.turn).toMatchObject({
      iterations: 2,
      modelCalls: 2,
      toolCalls: 1,
      usage: { inputTokens: 12, outputTokens: 3 },
    });
    expect(reply.text).toBe("ok");
  });

  test.each([
    [{ role: "user" }, /message 0 is not a Msg: id: .*; userMsg\(\) makes one/],
    [[userMsg("a"), { ...userMsg("b"), content: "b" }], /message 1 is not a Msg: content/],
    [{ ...userMsg("a"), role: "system" }, /sysPrompt/],
    [{ ...userMsg("a"), role: "tool" }, /message 0 has the role tool and holds no tool result/],
  ])("call() rejects malformed input %# with message/invalid and stores nothing", async (input, message) => {
    const { agent } = scripted([]);
    await expect(agent.call(input as never)).rejects.toMatchObject({
      code: "message/invalid",
      message: expect.stringMatching(message),
    });
    expect(await agent.messages()).toEqual([]);
    expect(agent.status().phase).toBe("stopped");
  });

  test("a model call that fails before its first part is retried, and the attempts are counted", async () => {
    const down = new AgentError("model/unavailable", "503", { isRetryable: true });
    const { agent, model } = scripted([{ error: down }, { error: down }, "up"], {
      modelOptions: { execution: { maxAttempts: 3, initialBackoffMs: 1 } },
    });
    const retries: number[] = [];
    agent.subscribe((event) => event.type === "retry" && retries.push(event.attempt));
    expect((await agent.call("a")).text).toBe("up");
    model.done();
    expect(retries).toEqual([1, 2]);
  });

  test("a model call that fails after delivering text is not retried, and its text is not stored (F10)", async () => {
    const down = new AgentError("model/connection", "cut", { isRetryable: true });
    const { agent, model } = scripted([{ text: "half", error: down }], {
      modelOptions: { execution: { initialBackoffMs: 1 } },
    });
    await expect(agent.call("a")).rejects.toMatchObject({ code: "model/connection" });
    model.done();
    expect((await agent.messages()).map(show)).toEqual(["U[a]"]);
  });

  test("the fallback model is asked after the first model has failed for good", async () => {
    const fallbackModel = scriptedModel(["from the fallback"], { name: "second" });
    const { agent } = scripted([{ error: new AgentError("model/auth", "no key") }], {
      modelOptions: { fallbackModel },
    });
    expect((await agent.call("a")).text).toBe("from the fallback");
  });

  test("empty answers are retried twice and not stored, then the turn fails with model/empty (S39)", async () => {
    const { agent, model } = scripted([{ text: " " }, { finish: "stop" }, { thinking: "hm" }]);
    await expect(agent.call("a")).rejects.toMatchObject({ code: "model/empty" });
    model.done();
    expect((await agent.messages()).map(show)).toEqual(["U[a]"]);
  });

  test("a model that sends nothing within its time-out fails", async () => {
    const silent: ScriptedTurn = async function* () {
      await new Promise(() => {});
      yield { type: "finish", reason: "stop" };
    };
    const { agent } = scripted([silent, "late"], {
      modelOptions: { execution: { timeoutMs: 200, initialBackoffMs: 1 } },
    });
    expect((await agent.call("a")).text).toBe("late");
  });

  test("a model that stops sending between two chunks fails", async () => {
    const stalls: ScriptedTurn = async function* () {
      yield { type: "text.delta", delta: "and then" };
      await new Promise(() => {});
    };
    const { agent } = scripted([stalls], { modelOptions: { execution: { idleTimeoutMs: 20 } } });
    await expect(agent.call("a")).rejects.toMatchObject({
      code: "model/timeout",
      message: expect.stringContaining("idle"),
    });
  });
});

describe("signals and time-outs of a call", () => {
  const deaf: ScriptedTurn = async function* () {
    yield { type: "text.delta", delta: "so far" };
    await new Promise(() => {});
  };

  test("an aborted signal interrupts the turn and rejects with run/aborted; the next call is answered", async () => {
    const { agent } = scripted([deaf, "again"]);
    const controller = new AbortController();
    const running = agent.call("a", { signal: controller.signal });
    agent.subscribe((event) => event.type === "block.delta" && controller.abort());
    await expect(running).rejects.toMatchObject({ code: "run/aborted" });
    expect((await agent.messages()).map(show)).toEqual([
      "U[a]",
      "A[so far]",
      "A[I noticed that you have interrupted me. What can I do for you?]",
    ]);
    expect((await agent.call("b")).text).toBe("again");
  });

  test("a call past timeoutMs rejects with run/timeout, or resolves with the fallback reply", async () => {
    await expect(scripted([deaf]).agent.call("a", { timeoutMs: 10 })).rejects.toMatchObject({
      code: "run/timeout",
    });
    const reply = await scripted([deaf]).agent.call("a", { timeoutMs: 10, fallbackReply: "too slow" });
    expect(reply).toMatchObject({ text: "too slow", reason: "INTERRUPTED" });
  });
});

describe("loaded history with open calls", () => {
  const asked: Msg = {
    ...assistantMsg(""),
    content: ["a", "b"].map((id) => ({ type: "tool_use" as const, id, name: "t", input: {} })),
  };

  test("loaded history takes the results that a caller passes and closes its other open calls", async () => {
    const { agent, model } = scripted(["thanks"], { messages: [userMsg("go"), asked] });
    const reply = await agent.call(toolResultMsg([{ callId: "b", name: "t", text: "B" }]));
    expect(reply.text).toBe("thanks");
    expect(model.requests[0]?.messages.map(show)).toEqual(["U[go]", "A[a,b]", "T(a)", "T(b)"]);
  });

  test("text input closes the open calls of loaded history as failed, and refused results change nothing", async () => {
    const { agent } = scripted(["ok"], { messages: [userMsg("go"), asked] });
    await expect(agent.call(toolResultMsg([{ callId: "x", name: "t", text: "?" }]))).rejects.toMatchObject({
      code: "run/bad-results",
    });
    expect(await agent.messages()).toHaveLength(2);
    await agent.call("never mind");
    expect((await agent.messages()).map(show)).toEqual([
      "U[go]",
      "A[a,b]",
      "T(a)",
      "T(b)",
      "U[never mind]",
      "A[ok]",
    ]);
  });
});
