import { describe, expect, test } from "vitest";
import { AgentError, assistantMsg, defineTool, toolResultMsg, userMsg, type Msg } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { scripted } from "../support/agents.ts";
import { show } from "../support/trace.ts";

describe("call", () => {
  test("refuses a second call while one runs and is free before the first result is delivered", async () => {
    const { agent } = scripted(["one", "two"]);
    const first = agent.call("a").then(() => agent.call("b"));
    await expect(agent.call("x")).rejects.toMatchObject({
      code: "run/busy",
      message: expect.stringContaining("still running"),
    });
    expect((await first).text).toBe("two");
  });

  test("sends no system message of blanks", async () => {
    const { agent, model } = scripted(["ok"], { sysPrompt: " \n" });
    await agent.call("go");
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
  });

  test("waits for the running turn with whenBusy queue", async () => {
    const { agent } = scripted(["one", "two", "three"]);
    const replies = await Promise.all([
      agent.call("a"),
      agent.call("b", { whenBusy: "queue" }),
      agent.call("c", { whenBusy: "queue" }),
    ]);
    expect(replies.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });

  test("reports the reply with counters of the turn", async () => {
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
  ])("rejects malformed input %# with message/invalid and stores nothing", async (input, message) => {
    const { agent } = scripted([]);
    await expect(agent.call(input as never)).rejects.toMatchObject({
      code: "message/invalid",
      message: expect.stringMatching(message),
    });
    expect(await agent.messages()).toEqual([]);
    expect(agent.status().phase).toBe("stopped");
  });

  test("retries before the first part is delivered, with the attempts counted", async () => {
    const down = new AgentError("model/unavailable", "503", { isRetryable: true });
    const { agent, model } = scripted([{ error: down }, { error: down }, "up"], {
      modelExecution: { maxAttempts: 3, initialBackoffMs: 1 },
    });
    const retries: number[] = [];
    agent.subscribe((event) => event.type === "retry" && retries.push(event.attempt));
    expect((await agent.call("a")).text).toBe("up");
    model.done();
    expect(retries).toEqual([1, 2]);
  });

  test("does not retry once text was delivered, and stores none of it (F10)", async () => {
    const down = new AgentError("model/connection", "cut", { isRetryable: true });
    const { agent, model } = scripted([{ text: "half", error: down }], {
      modelExecution: { initialBackoffMs: 1 },
    });
    await expect(agent.call("a")).rejects.toMatchObject({ code: "model/connection" });
    model.done();
    expect((await agent.messages()).map(show)).toEqual(["U[a]"]);
  });

  test("asks the fallback model when the first one has failed for good", async () => {
    const fallbackModel = scriptedModel(["from the fallback"], { name: "second" });
    const { agent } = scripted([{ error: new AgentError("model/auth", "no key") }], { fallbackModel });
    expect((await agent.call("a")).text).toBe("from the fallback");
  });

  test("retries empty answers twice, stores none of them, then fails with model/empty (S39)", async () => {
    const { agent, model } = scripted([{ text: " " }, { finish: "stop" }, { thinking: "hm" }]);
    await expect(agent.call("a")).rejects.toMatchObject({ code: "model/empty" });
    model.done();
    expect((await agent.messages()).map(show)).toEqual(["U[a]"]);
  });

  test("gives a model up that stays silent past its time-out", async () => {
    const silent: ScriptedTurn = async function* () {
      await new Promise(() => {});
      yield { type: "finish", reason: "stop" };
    };
    const { agent } = scripted([silent, "late"], { modelExecution: { timeoutMs: 200, initialBackoffMs: 1 } });
    expect((await agent.call("a")).text).toBe("late");
  });

  test("gives a model up that falls silent between chunks", async () => {
    const stalls: ScriptedTurn = async function* () {
      yield { type: "text.delta", delta: "and then" };
      await new Promise(() => {});
    };
    const { agent } = scripted([stalls], { modelExecution: { idleTimeoutMs: 20 } });
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

  test("an aborted signal interrupts the turn and rejects run/aborted; the next call works", async () => {
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

  test("timeoutMs rejects run/timeout, or replies with the fallback", async () => {
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

  test("takes the result somebody brings and closes the rest", async () => {
    const { agent, model } = scripted(["thanks"], { messages: [userMsg("go"), asked] });
    const reply = await agent.call(toolResultMsg([{ callId: "b", name: "t", text: "B" }]));
    expect(reply.text).toBe("thanks");
    expect(model.requests[0]?.messages.map(show)).toEqual(["U[go]", "A[a,b]", "T(a)", "T(b)"]);
  });

  test("is closed as failed when somebody just talks on, and refused results change nothing", async () => {
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
