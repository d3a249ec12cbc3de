import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  AgentError,
  assistantMsg,
  createAgent,
  defineHook,
  defineTool,
  toolResultMsg,
  userMsg,
  type AgentConfig,
  type AgentEvent,
  type Msg,
} from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { call, show, traced } from "../support/trace.ts";

const simple = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) => {
  const model = scriptedModel(turns);
  return { model, agent: createAgent({ name: "bot", model, ...config }) };
};

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("call", () => {
  test("refuses a second call while one runs and is free before the first result is delivered", async () => {
    const { agent } = simple(["one", "two"]);
    const first = agent.call("a").then(() => agent.call("b"));
    await expect(agent.call("x")).rejects.toMatchObject({
      code: "run/busy",
      message: expect.stringContaining("still running"),
    });
    expect((await first).text).toBe("two");
  });

  test("waits for the running turn with whenBusy queue", async () => {
    const { agent } = simple(["one", "two", "three"]);
    const replies = await Promise.all([
      agent.call("a"),
      agent.call("b", { whenBusy: "queue" }),
      agent.call("c", { whenBusy: "queue" }),
    ]);
    expect(replies.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });

  test("reports the reply with counters of the turn", async () => {
    const { agent } = simple(
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
    [{ role: "user" }, /message 0 is no Msg/],
    [[userMsg("a"), { ...userMsg("b"), content: "b" }], /message 1 is no Msg: content/],
    [{ ...userMsg("a"), role: "system" }, /sysPrompt/],
  ])("rejects malformed input %# with message/invalid and stores nothing", async (input, message) => {
    const { agent } = simple([]);
    await expect(agent.call(input as never)).rejects.toMatchObject({
      code: "message/invalid",
      message: expect.stringMatching(message),
    });
    expect(await agent.messages()).toEqual([]);
    expect(agent.status().phase).toBe("stopped");
  });

  test("retries before the first part is delivered, with the attempts counted", async () => {
    const down = new AgentError("model/unavailable", "503", { isRetryable: true });
    const { agent, model } = simple([{ error: down }, { error: down }, "up"], {
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
    const { agent, model } = simple([{ text: "half", error: down }], {
      modelExecution: { initialBackoffMs: 1 },
    });
    await expect(agent.call("a")).rejects.toMatchObject({ code: "model/connection" });
    model.done();
    expect((await agent.messages()).map(show)).toEqual(["U[a]"]);
  });

  test("asks the fallback model when the first one has failed for good", async () => {
    const fallbackModel = scriptedModel(["from the fallback"], { name: "second" });
    const { agent } = simple([{ error: new AgentError("model/auth", "no key") }], { fallbackModel });
    expect((await agent.call("a")).text).toBe("from the fallback");
  });

  test("retries empty answers twice, stores none of them, then fails with model/empty (S39)", async () => {
    const { agent, model } = simple([{ text: " " }, { finish: "stop" }, { thinking: "hm" }]);
    await expect(agent.call("a")).rejects.toMatchObject({ code: "model/empty" });
    model.done();
    expect((await agent.messages()).map(show)).toEqual(["U[a]"]);
  });

  test("gives a model up that stays silent past its time-out", async () => {
    const silent: ScriptedTurn = async function* () {
      await new Promise(() => {});
      yield { type: "finish", reason: "stop" };
    };
    const { agent } = simple([silent, "late"], { modelExecution: { timeoutMs: 20, initialBackoffMs: 1 } });
    expect((await agent.call("a")).text).toBe("late");
  });

  test("gives a model up that falls silent between chunks", async () => {
    const stalls: ScriptedTurn = async function* () {
      yield { type: "text.delta", delta: "and then" };
      await new Promise(() => {});
    };
    const { agent } = simple([stalls], { modelExecution: { idleTimeoutMs: 20 } });
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
    const { agent } = simple([deaf, "again"]);
    const controller = new AbortController();
    const running = agent.call("a", { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    await expect(running).rejects.toMatchObject({ code: "run/aborted" });
    expect((await agent.messages()).map(show)).toEqual([
      "U[a]",
      "A[so far]",
      "A[I noticed that you have interrupted me. What can I do for you?]",
    ]);
    expect((await agent.call("b")).text).toBe("again");
  });

  test("timeoutMs rejects run/timeout, or replies with the fallback", async () => {
    await expect(simple([deaf]).agent.call("a", { timeoutMs: 10 })).rejects.toMatchObject({
      code: "run/timeout",
    });
    const reply = await simple([deaf]).agent.call("a", { timeoutMs: 10, fallbackReply: "too slow" });
    expect(reply).toMatchObject({ text: "too slow", reason: "INTERRUPTED" });
  });
});

describe("loaded history with open calls", () => {
  const asked: Msg = {
    ...assistantMsg(""),
    content: ["a", "b"].map((id) => ({ type: "tool_use" as const, id, name: "t", input: {} })),
  };

  test("takes the result somebody brings and closes the rest", async () => {
    const { agent, model } = simple(["thanks"], { messages: [userMsg("go"), asked] });
    const reply = await agent.call(toolResultMsg([{ callId: "b", name: "t", text: "B" }]));
    expect(reply.text).toBe("thanks");
    expect(model.requests[0]?.messages.map(show)).toEqual(["U[go]", "A[a,b]", "T(a)", "T(b)"]);
  });

  test("is closed as failed when somebody just talks on, and refused results change nothing", async () => {
    const { agent } = simple(["ok"], { messages: [userMsg("go"), asked] });
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

describe("interrupt", () => {
  test("is false and not remembered at rest", async () => {
    const { agent } = simple(["ok"]);
    expect(agent.interrupt()).toBe(false);
    expect((await agent.call("a")).reason).toBe("MODEL_STOP");
    expect(agent.interrupt()).toBe(false);
  });

  test("keeps finished results and answers the rest in call order, with 1 of 3 tools finished", async () => {
    const { agent } = traced([{ calls: [call("c1", "slow"), call("c2"), call("c3", "slow")] }], {
      parallelToolCalls: true,
      tools: [
        defineTool({ name: "ok", description: "", input: { type: "object" }, execute: () => "fine" }),
        defineTool({
          name: "slow",
          description: "",
          input: { type: "object" },
          execute: (_, { signal }) =>
            new Promise<string>((_resolve, reject) =>
              signal.addEventListener("abort", () => reject(new Error("aborted"))),
            ),
        }),
      ],
    });
    agent.subscribe(
      (event) => event.type === "tool.end" && event.callId === "c2" && agent.interrupt("stop it"),
    );
    const reply = await agent.call("go");
    expect(reply.reason).toBe("INTERRUPTED");
    const stored = await agent.messages();
    expect(stored.map(show)).toEqual([
      "U[go]",
      "A[c1,c2,c3]",
      "T(c1)",
      "T(c2)",
      "T(c3)",
      "U[stop it]",
      "A[I noticed that you have interrupted me. What can I do for you?]",
    ]);
    const states = stored
      .slice(2, 5)
      .map(({ content }) => content[0]?.type === "tool_result" && content[0].state);
    expect(states).toEqual(["interrupted", "success", "interrupted"]);
  });

  test("a deaf tool cannot hold the agent longer than the grace period", async () => {
    const deafTool = defineTool({
      name: "deaf",
      description: "",
      input: { type: "object" },
      execute: () => new Promise<string>(() => {}),
    });
    const { agent } = simple([{ calls: [{ name: "deaf" }] }], { tools: [deafTool], interruptGraceMs: 10 });
    agent.subscribe((event) => event.type === "tool.start" && queueMicrotask(() => agent.interrupt()));
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
  });

  test("while suspended answers the open calls", async () => {
    const { agent } = traced([{ calls: [call("c1", "ext")] }, "next"]);
    await agent.call("go");
    expect(agent.interrupt()).toBe(true);
    await expect.poll(() => agent.status().phase).toBe("stopped");
    expect((await agent.messages()).map(show).slice(1, 3)).toEqual(["A[c1]", "T(c1)"]);
    expect((await agent.call("again")).text).toBe("next");
  });

  test.each(["preCall", "preReasoning", "postReasoning", "preActing", "postActing"] as const)(
    "in an async %s hook leaves a valid history",
    async (point) => {
      const { agent } = traced([{ text: "t", calls: [call("c1")] }, "next"], {
        interruptGraceMs: 20,
        hooks: [{ name: "slow", [point]: () => new Promise(() => {}) }],
      });
      const running = agent.call("go");
      const place = {
        preCall: "doCall",
        preReasoning: "reasoning",
        postReasoning: "reasoning",
        preActing: "acting",
        postActing: "acting",
      }[point];
      await expect
        .poll(() => JSON.stringify(agent.actor.getSnapshot().value))
        .toMatch(new RegExp(`"${place}":\\{?"(pre|post)`));
      agent.interrupt("enough");
      expect((await running).reason).toBe("INTERRUPTED");
      const asked = (await agent.messages()).map(show);
      expect(asked.at(-2)).toBe("U[enough]");
      if (asked.some((each) => each.includes("c1"))) expect(asked).toContain("T(c1)");
    },
  );
});

describe("an interrupt while hooks see a result", () => {
  test("lets them finish, so that what they hide stays hidden", async () => {
    const { agent } = traced([{ calls: [call("c1"), call("c2")] }], {
      hooks: [
        {
          name: "redact",
          postActing: async ({ call: { id } }) => {
            if (id === "c1") agent.interrupt();
            await new Promise((resolve) => setTimeout(resolve, 5));
            return { result: { output: [{ type: "text", text: "hidden" }] } };
          },
        },
      ],
    });
    expect((await agent.call("go")).reason).toBe("INTERRUPTED");
    expect(JSON.stringify(await agent.messages())).not.toContain("done");
  });
});

describe("steering", () => {
  test("reaches the next model call of the turn and is refused at rest", async () => {
    const { agent, model } = traced([{ calls: [call("c1")] }, "done"]);
    agent.subscribe((event) => event.type === "tool.start" && agent.steer("by the way"));
    await agent.call("go");
    expect(model.requests[1]?.messages.map(show).slice(-2)).toEqual(["T(c1)", "U[by the way]"]);
    expect(agent.steer("late")).toBe(false);
  });
});

describe("stream", () => {
  test("gives every start its end, numbers rising, turn.end last and once", async () => {
    const { agent } = traced([{ thinking: "hm", text: "let me", calls: [call("c1")] }, "done"]);
    const events = await collect(agent.stream("go"));
    const open = new Map<string, number>();
    for (const event of events) {
      const key = "callId" in event && event.type.startsWith("tool") ? "tool" : "block";
      if (event.type === "block.start" || event.type === "tool.start")
        open.set(key, (open.get(key) ?? 0) + 1);
      if (event.type === "block.end" || event.type === "tool.end") open.set(key, (open.get(key) ?? 0) - 1);
    }
    expect([...open.values()].reduce((sum, count) => sum + count, 0)).toBe(0);
    expect(events.map(({ n }) => n)).toEqual(events.map(({ n }) => n).toSorted((a, b) => a - b));
    expect(events.filter(({ type }) => type === "turn.end")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("turn.end");
  });

  test("carries deltas only, or totals if cumulative", async () => {
    const parts: ScriptedTurn = [
      { type: "text.delta", delta: "a" },
      { type: "text.delta", delta: "b" },
    ];
    const deltas = async (cumulative: boolean) =>
      (await collect(simple([parts]).agent.stream("go", { cumulative }))).flatMap((event) =>
        event.type === "block.delta" ? [event.soFar ?? event.delta] : [],
      );
    expect((await deltas(false)).join("")).toBe("ab");
    expect((await deltas(true)).at(-1)).toBe("ab");
  });

  test("starts nothing before it is read", async () => {
    const { agent, model } = simple(["x"]);
    const stream = agent.stream("go");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(model.requests).toHaveLength(0);
    expect((await stream.reply).text).toBe("x");
  });

  test("interrupts the run when the reader leaves the loop (F24)", async () => {
    const { agent } = simple([
      async function* () {
        yield { type: "text.delta", delta: "a" };
        await new Promise(() => {});
      },
    ]);
    for await (const event of agent.stream("go")) if (event.type === "block.delta") break;
    await expect.poll(() => agent.status().phase).toBe("stopped");
    expect(agent.status().reason).toBe("INTERRUPTED");
  });

  test("throws the error of the turn after turn.end", async () => {
    const { agent } = simple([{ error: new Error("Test error") }]);
    const seen: string[] = [];
    const read = async () => {
      for await (const event of agent.stream("go")) seen.push(event.type);
    };
    await expect(read()).rejects.toThrow("Test error");
    expect(seen.at(-1)).toBe("turn.end");
  });

  test("a slow reader gets one merged delta and the whole text, and the run does not wait for it", async () => {
    const many: ScriptedTurn = Array.from({ length: 500 }, (_, i) => ({
      type: "text.delta" as const,
      delta: `${i},`,
    }));
    const { agent } = simple([many]);
    let text = "";
    let deltas = 0;
    for await (const event of agent.stream("go")) {
      if (event.type === "turn.start") await expect.poll(() => agent.status().phase).toBe("stopped");
      if (event.type !== "block.delta") continue;
      deltas++;
      text += event.delta;
    }
    expect(deltas).toBe(1);
    expect(text).toBe(Array.from({ length: 500 }, (_, i) => `${i},`).join(""));
  });
});

describe("hooks", () => {
  test("rewrite the prompt of one call only, and the edit is no list in context (S1, F7)", async () => {
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

  test("may deny a call, rewrite its input and its result", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "t",
      description: "",
      input: z.object({ q: z.string() }),
      execute: ({ q }) => `raw ${seen.push(q)}`,
    });
    const { agent } = simple(
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

  test.each([1, 2])("a stop on result %i of two is honoured (F1)", async (which) => {
    const { agent } = traced([{ calls: [call("c1"), call("c2")] }, "went on"], {
      hooks: [{ name: "s", postActing: ({ call: { id } }) => ({ stop: id === `c${which}` }) }],
    });
    expect((await agent.call("go")).reason).toBe("ACTING_STOP_REQUESTED");
    const next = await agent.call();
    expect(next).toMatchObject({ text: "went on", turn: { iterations: 2 } });
  });

  test("a goto beyond the cap fails the turn with hook/goto-limit (F5)", async () => {
    const { agent } = traced(["1", "2", "3"], {
      maxGotos: 2,
      hooks: [{ name: "g", postReasoning: () => ({ goto: [] }) }],
    });
    await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/goto-limit" });
  });

  test("that return nonsense fail the turn with hook/bad-return", async () => {
    const { agent } = traced(["1"], { hooks: [{ name: "g", postReasoning: (() => "yes") as never }] });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: expect.stringContaining("'g'"),
    });
  });

  test("can be added and removed while the agent lives", async () => {
    const { agent } = simple(["a", "b", "c"]);
    let heard = 0;
    agent.addHook({ name: "late", postCall: () => void heard++ });
    await agent.call("1");
    expect(agent.removeHook("late")).toBe(true);
    await agent.call("2");
    expect([heard, agent.removeHook("late")]).toEqual([1, false]);
  });
});

describe("approval", () => {
  const setup = (turns: readonly ScriptedTurn[]) => {
    const ran: string[] = [];
    const tool = (name: string) =>
      defineTool({
        name,
        description: "",
        input: z.object({ n: z.number() }),
        execute: ({ n }) => `ok ${ran.push(`${name}${n}`)}`,
      });
    const { agent } = simple(turns, {
      tools: [tool("pay"), tool("look")],
      permissions: {
        rules: [
          { tool: "pay", action: "ask", reason: "money" },
          { tool: "pay", action: "deny", when: ({ n }) => Number(n) > 100 },
        ],
      },
    });
    return { agent, ran };
  };
  const batch: ScriptedTurn = {
    calls: [
      { id: "p", name: "pay", input: { n: 5 } },
      { id: "l", name: "look", input: { n: 1 } },
    ],
  };

  test("nothing of the batch runs before the decision; then each runs once", async () => {
    const { agent, ran } = setup([batch, "done"]);
    const reply = await agent.call("go");
    expect([reply.reason, ran]).toEqual(["APPROVAL_REQUIRED", []]);
    expect(reply.pending).toMatchObject([{ callId: "p", waitsFor: "approval", reason: "money" }]);
    await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
    expect(await agent.decide("p", "approve", { argsHash: reply.pending[0]!.argsHash })).toEqual([]);
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["pay5", "look1"]);
  });

  test("an edit is validated again and deny rules still hold", async () => {
    const { agent, ran } = setup([batch, "done"]);
    await agent.call("go");
    await agent.decide("p", { edit: { n: 500 } });
    await agent.call();
    expect(ran).toEqual(["look1"]);
    const denied = (await agent.messages())[2]?.content[0];
    expect(denied).toMatchObject({ id: "p", state: "denied" });
  });

  test("that nobody gave in time is a denial, judged by the next event", async () => {
    let now = 1_000;
    const { agent } = simple([batch, "done"], {
      now: () => now,
      tools: [defineTool({ name: "pay", description: "", input: { type: "object" }, execute: () => "paid" })],
      permissions: { rules: [{ tool: "pay", action: "ask" }], expiresAfterMs: 500 },
    });
    const reply = await agent.call("go");
    expect(reply.pending).toMatchObject([{ callId: "p", expiresAt: expect.any(Number) }]);
    now += 10_000;
    await expect(agent.decide("p", "approve")).rejects.toMatchObject({ code: "run/stale-decision" });
    expect((await agent.call()).text).toBe("done");
    expect((await agent.messages())[2]?.content[0]).toMatchObject({ id: "p", state: "denied" });
  });

  test("cannot be gone round by a hook that adds or rewrites a call (I7)", async () => {
    const { agent, ran } = setup(["nothing to do", "done"]);
    agent.addHook({
      name: "smuggler",
      postReasoning: ({ message, iteration }) =>
        iteration === 0
          ? {
              message: { ...message, content: [{ type: "tool_use", id: "x", name: "pay", input: { n: 1 } }] },
            }
          : undefined,
      preActing: () => ({ input: { n: 2 } }),
    });
    const reply = await agent.call("go");
    expect([reply.reason, reply.pending[0]?.input, ran]).toEqual(["APPROVAL_REQUIRED", { n: 2 }, []]);
    await agent.decide("x", "approve");
    await agent.call();
    expect(ran).toEqual(["pay2"]);
  });

  test("a stale hash is refused; a remembered approval holds for the next call", async () => {
    const { agent, ran } = setup([batch, { calls: [{ name: "pay", input: { n: 7 } }] }, "done"]);
    await agent.call("go");
    await expect(agent.decide("p", "approve", { argsHash: "other" })).rejects.toMatchObject({
      code: "run/stale-decision",
    });
    await agent.decide("p", { approve: true, remember: "tool" });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["pay5", "look1", "pay7"]);
  });
});

describe("snapshot", () => {
  test("of a suspended session restores in another agent, and goes on there", async () => {
    const { agent } = traced([{ calls: [call("c1", "ext"), call("c2")] }]);
    await agent.call("go");
    const snapshot = JSON.parse(JSON.stringify(agent.snapshot()));
    const next = traced(["done"], { snapshot });
    expect(next.agent.status()).toMatchObject({
      phase: "suspended",
      waitsFor: ["externalResult"],
      reason: "TOOL_SUSPENDED",
    });
    const reply = await next.agent.call(toolResultMsg([{ callId: "c1", name: "ext", text: "r" }]));
    expect(reply.text).toBe("done");
    expect((await next.agent.messages()).map(show)).toEqual([
      "U[go]",
      "A[c1,c2]",
      "T(c1)",
      "T(c2)",
      "A[done]",
    ]);
  });

  test("taken while a tool runs asks about the call whose outcome is unknown, and repeats none that finished (I5)", async () => {
    const ran: string[] = [];
    const tools = ["a", "b"].map((name) =>
      defineTool({
        name,
        description: "",
        input: { type: "object" },
        execute: () => {
          ran.push(name);
          return name === "a" ? "A" : new Promise<string>(() => {});
        },
      }),
    );
    const first = simple(
      [
        {
          calls: [
            { id: "c1", name: "a" },
            { id: "c2", name: "b" },
          ],
        },
      ],
      { tools, interruptGraceMs: 1 },
    );
    void first.agent.call("go");
    await expect.poll(() => ran).toEqual(["a", "b"]);
    const snapshot = first.agent.snapshot();
    const { agent } = simple(["done"], { tools, snapshot });
    expect(agent.status().phase).toBe("unfinished");
    const reply = await agent.call();
    expect(reply).toMatchObject({
      reason: "OUTCOME_UNKNOWN",
      pending: [{ callId: "c2", waitsFor: "unknownOutcome" }],
    });
    await agent.decide("c2", { answer: "it worked" });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["a", "b"]);
    await first.agent.close();
  });

  test("of another format is refused with session/version, a torn one with session/damaged", () => {
    const model = scriptedModel([]);
    expect(() => createAgent({ name: "x", model, snapshot: { format: 99 } })).toThrow(
      expect.objectContaining({ code: "session/version" }),
    );
    expect(() => createAgent({ name: "x", model, snapshot: { format: 1 } })).toThrow(
      expect.objectContaining({ code: "session/damaged" }),
    );
  });

  test("holds the transcript and less than 4 KB beside it, and never the context", async () => {
    const { agent } = traced([{ calls: [call("c1", "ext")] }], { context: { secret: "s3cr3t" } });
    await agent.call("go");
    const snapshot = agent.snapshot();
    const { messages: _, ...rest } = snapshot;
    expect(JSON.stringify(rest).length).toBeLessThan(4096);
    expect(JSON.stringify(snapshot)).not.toContain("s3cr3t");
  });
});

describe("inspect", () => {
  test("gets XState's inspection events, and a throwing inspector harms nothing", async () => {
    const types = new Set<string>();
    const { agent } = simple(["ok"], {
      inspect: (event) => {
        types.add(event.type);
        throw new Error("inspector");
      },
    });
    expect((await agent.call("a")).text).toBe("ok");
    expect([...types]).toEqual(expect.arrayContaining(["@xstate.microstep", "@xstate.snapshot"]));
  });
});

describe("config", () => {
  test.each([
    [{ name: "" }, /`name`/],
    [{ model: {} }, /`model`/],
    [{ maxIters: 0 }, /`maxIters` is 0/],
    [{ parallelToolCalls: 0 }, /parallelToolCalls/],
    [{ toolExecution: { maxAttempts: 0 } }, /toolExecution.maxAttempts/],
  ])("%j throws config/invalid that names what is wrong", (wrong, message) => {
    const make = () => createAgent({ name: "x", model: scriptedModel([]), ...(wrong as object) });
    expect(make).toThrow(
      expect.objectContaining({ code: "config/invalid", message: expect.stringMatching(message) }),
    );
  });

  test("a closed agent refuses calls with run/closed", async () => {
    const { agent } = simple([]);
    await agent.close();
    await expect(agent.call("a")).rejects.toMatchObject({ code: "run/closed" });
  });
});
