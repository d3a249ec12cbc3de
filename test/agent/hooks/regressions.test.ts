// Faults of hooks in other frameworks, each of which is not a fault here.
import { expect, test } from "vitest";
import {
  assistantMsg,
  createAgent,
  textOf,
  toolResultMsg,
  userMsg,
  type AgentEvent,
  type Hook,
  type ToolOutcome,
} from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { eventsOf, outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { call, show, traced } from "../../support/trace.ts";

const asking = (id: string) =>
  assistantMsg("", { content: [{ type: "tool_use", id, name: "ok", input: {} }] });
const answering = (id: string) => toolResultMsg([{ callId: id, name: "ok", text: "r" }]).content;
const outcome = (text: string): ToolOutcome => ({ output: [{ type: "text", text }] });

test("S1 the result that a postActing hook returns is stored, streamed and sent to the model", async () => {
  const { agent, model } = scripted([{ calls: [{ name: "ok" }] }, "done"], {
    tools: [toolOf("ok", () => "raw")],
    hooks: [
      { name: "first", postActing: () => ({ result: outcome("edited") }) },
      { name: "second", postActing: ({ result }) => ({ result: outcome(`${outputOf(result)} twice`) }) },
    ],
  });
  const streamed = (await eventsOf(agent.stream("go"))).flatMap((event) =>
    event.type === "message" ? resultsOf([event.message]) : [],
  );
  const stored = resultsOf(await agent.messages());
  const sent = resultsOf(model.requests[1]!.messages);
  expect([streamed, stored, sent].map((results) => results.map(outputOf))).toEqual(
    Array.from({ length: 3 }, () => ["edited twice"]),
  );
});

test("S11 chunk hooks, subscribers and streams all receive every event, and one that fails does not affect another", async () => {
  const parts: ScriptedTurn = ["a", "b", "c"].map((delta) => ({ type: "text.delta", delta }));
  const heard = { first: "", second: "", subscriber: "" };
  const { agent } = scripted([parts], {
    hooks: [
      {
        name: "bad",
        reasoningChunk: () => {
          throw new Error("hook");
        },
      },
      { name: "first", reasoningChunk: ({ delta }) => void (heard.first += delta) },
      { name: "second", reasoningChunk: ({ delta }) => void (heard.second += delta) },
    ],
  });
  agent.subscribe(() => {
    throw new Error("listener");
  });
  agent.subscribe((event) => event.type === "block.delta" && (heard.subscriber += event.delta));
  const events = await eventsOf(agent.stream("go"));
  expect(heard).toEqual({ first: "abc", second: "abc", subscriber: "abc" });
  expect(events.flatMap((event) => (event.type === "block.delta" ? [event.delta] : [])).join("")).toBe("abc");
  expect(events.filter(({ type }) => type === "hook.failed")).toHaveLength(3);
});

test.each<[string, Hook]>([
  ["asks for calls in a goto", { name: "h", postReasoning: () => ({ goto: [asking("x")] }) }],
  ["asks for calls in the input", { name: "h", preCall: () => ({ input: [asking("x")] }) }],
  ["gives the answer another role", { name: "h", postReasoning: () => ({ message: userMsg("hm") }) }],
  [
    "answers in the answer",
    { name: "h", postReasoning: ({ message }) => ({ message: { ...message, content: answering("x") } }) },
  ],
  [
    "asks twice under one id",
    {
      name: "h",
      postReasoning: ({ message }) => ({
        message: { ...message, content: [...asking("x").content, ...asking("x").content] },
      }),
    },
  ],
  [
    "asks under an id of before",
    {
      name: "h",
      postReasoning: ({ message }) => ({ message: { ...message, content: asking("old").content } }),
    },
  ],
])("S1 a hook that %s fails the turn, and the history stays valid", async (_, hook) => {
  const messages = [
    userMsg("before"),
    asking("old"),
    toolResultMsg([{ callId: "old", name: "ok", text: "r" }]),
  ];
  const { agent, model } = scripted(["hi", "on"], { messages, hooks: [hook] });
  await expect(agent.call("go")).rejects.toMatchObject({
    code: "hook/bad-return",
    message: expect.stringContaining("Hook 'h'"),
  });
  agent.removeHook("h");
  await agent.call("again");
  expect(model.requests.map(({ messages: sent }) => historyProblem(sent)).filter(Boolean)).toEqual([]);
});

test("S1 a goto with a result beside those of the open calls is a wrong return value", async () => {
  const goto = [
    toolResultMsg([
      { callId: "c1", name: "ok", text: "r" },
      { callId: "x", name: "y", text: "?" },
    ]),
    userMsg("go on"),
  ];
  const { agent, model } = traced([{ calls: [call("c1")] }, "done"], {
    hooks: [{ name: "g", postReasoning: ({ iteration }) => (iteration === 0 ? { goto } : undefined) }],
  });
  await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/bad-return" });
  expect(model.requests).toHaveLength(1);
});

test("S45 the text a hook put in place of the model's is stored, streamed as the message, and replied", async () => {
  const { agent } = scripted(["secret"], {
    hooks: [
      {
        name: "redact",
        postReasoning: ({ message }) => ({
          message: { ...message, content: [{ type: "text", text: "***" }] },
        }),
      },
    ],
  });
  let streamed = "";
  agent.subscribe(
    (event) =>
      event.type === "message" && event.message.role === "assistant" && (streamed = textOf(event.message)),
  );
  const reply = await agent.call("go");
  expect([reply.text, streamed, textOf((await agent.messages()).at(-1)!)]).toEqual(["***", "***", "***"]);
});

test("S46 a slow hook that edits the system text does not delay other agents", async () => {
  const written = Promise.withResolvers<void>();
  const slow = scripted(["slow"], {
    hooks: [{ name: "h", preCall: async () => (await written.promise, { system: "from afar" }) }],
  });
  const quick = scripted(["quick"]);
  const first = slow.agent.call("go");
  expect((await quick.agent.call("go")).text).toBe("quick");
  expect(slow.model.requests).toEqual([]);
  written.resolve();
  expect((await first).text).toBe("slow");
  expect(slow.model.requests[0]?.messages.map(show)).toEqual(["S[from afar]", "U[go]"]);
});

test("py8 a hook that changes one field leaves all other fields unchanged for the next hooks", async () => {
  const seen: object[] = [];
  const { agent, model } = traced(
    [{ calls: [{ id: "c1", name: "ok", input: { a: 1, b: { c: 2 } } }] }, "done"],
    {
      generateOptions: { temperature: 0.5, seed: 7 },
      hooks: [
        { name: "one", preReasoning: () => ({ system: "changed" }), preActing: () => ({}) },
        {
          name: "two",
          preReasoning: ({ system, options, tools, model: name, messages }) =>
            void seen.push({ system, options, tools, name, messages: messages.map(show) }),
          preActing: ({ call: { id, name, input } }) => void seen.push({ id, name, input }),
        },
      ],
    },
  );
  await agent.call("go");
  expect(seen.slice(0, 2)).toEqual([
    {
      system: "changed",
      options: { temperature: 0.5, seed: 7 },
      tools: ["ok", "boom", "wait", "ext"],
      name: "scripted",
      messages: ["U[go]"],
    },
    { id: "c1", name: "ok", input: { a: 1, b: { c: 2 } } },
  ]);
  expect(model.requests[0]?.options).toEqual({ temperature: 0.5, seed: 7 });
});

test.each([1, 2, 3])(
  "F1 a stop on result %i of three is honoured, and all three are stored",
  async (which) => {
    const { agent, model } = traced([{ calls: [call("c1"), call("c2"), call("c3")] }, "on"], {
      hooks: [{ name: "s", postActing: ({ call: { id } }) => ({ stop: id === `c${which}` }) }],
    });
    const reply = await agent.call("go");
    expect([reply.reason, model.requests.length]).toEqual(["ACTING_STOP_REQUESTED", 1]);
    expect((await agent.messages()).map(show)).toEqual(["U[go]", "A[c1,c2,c3]", "T(c1)", "T(c2)", "T(c3)"]);
  },
);

test("F5 a hook that always asks for another step is stopped at the limit, in every turn anew", async () => {
  const { agent, model } = scripted(
    Array.from({ length: 8 }, (_, n) => `${n}`),
    {
      turnOptions: { maxGotos: 3 },
      maxIters: 1,
      hooks: [{ name: "g", postReasoning: () => ({ goto: [] }) }],
    },
  );
  for (const turn of [1, 2]) {
    await expect(agent.call("go")).rejects.toMatchObject({ code: "hook/goto-limit" });
    expect(model.requests).toHaveLength(turn * 4);
  }
});

test("F7 a preCall hook receives history and input separately: a change of one does not affect the other", async () => {
  const rewritten = userMsg("two, rewritten");
  const hook: Hook = {
    name: "h",
    preCall: ({ history, input }) =>
      history.length > 0 ? { input: [userMsg("before"), ...input.map(() => rewritten)] } : undefined,
  };
  const { agent, model } = traced(["1", "2"], { hooks: [hook] });
  await agent.call("one");
  await agent.call("two");
  expect(model.requests[1]?.messages.map(show)).toEqual([
    "S[sys]",
    "U[one]",
    "A[1]",
    "U[before]",
    "U[two, rewritten]",
  ]);
});

test("F13 chunk hooks are called in order, and what they throw is reported, now or later", async () => {
  const order: string[] = [];
  const failed: AgentEvent[] = [];
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([["x", "y"].map((delta) => ({ type: "text.delta", delta }))]),
    hooks: [
      {
        name: "late",
        priority: 2,
        reasoningChunk: async ({ delta }) => {
          order.push(`late ${delta}`);
          await Promise.resolve();
          throw new Error(`late ${delta}`);
        },
      },
      { name: "early", priority: 1, reasoningChunk: ({ delta }) => void order.push(`early ${delta}`) },
    ],
  });
  agent.subscribe((event) => event.type === "hook.failed" && failed.push(event));
  expect((await agent.call("go")).text).toBe("xy");
  expect(order).toEqual(["early x", "late x", "early y", "late y"]);
  await expect
    .poll(() => failed)
    .toMatchObject(
      ["x", "y"].map((delta) => ({ hook: "late", error: { code: "hook/failed", message: `late ${delta}` } })),
    );
});
