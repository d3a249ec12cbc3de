// The record of model calls of a session.
import { describe, expect, test } from "vitest";
import { createAgent, defineHook, userMsg, type ChatModel, type Hook, type Msg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { WHOLE } from "../../machines/agent/prompt/view.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import { ModelCallReader, ModelCallWriter } from "../../src/session/model-calls.ts";
import { toolOf } from "../support/agents.ts";

const SYSTEM = "You are careful. ".repeat(40);

const callOf = (number: number, fields: Partial<ModelCall> = {}): ModelCall => ({
  id: `m${number}`,
  number,
  phase: "reasoning",
  turn: 1,
  iteration: number - 1,
  attempt: 1,
  length: number,
  model: "scripted",
  view: WHOLE,
  results: { maxTokens: 20_000, tools: {}, exclude: [], keepMedia: 3 },
  system: SYSTEM,
  options: {},
  tools: [],
  edits: [],
  entered: [],
  ...fields,
});

const NOTHING = { after: 0, steps: 0 };

function roundTrip(calls: readonly ModelCall[]) {
  const writer = new ModelCallWriter();
  const stored = calls.map((call) => JSON.parse(JSON.stringify(writer.stored(call, NOTHING))) as never);
  const reader = new ModelCallReader();
  return {
    read: stored.map((each, index) => reader.read(each, calls[index]!.view)),
    bytes: stored.map((each) => JSON.stringify(each).length),
    reader,
  };
}

describe("the record of model calls", () => {
  test("gives back each call as it was, with its parts, and with what it no longer has left out", () => {
    const tools = [{ name: "pay", description: "Pays. ".repeat(30), inputSchema: { type: "object" } }];
    const calls = [
      callOf(1, { tools, isEmpty: true }),
      callOf(2, { tools, options: { temperature: 0.5 } }),
      callOf(3, { tools: [], system: "Short.", output: { name: "response", schema: { type: "string" } } }),
      callOf(4, { tools, edits: [{ hook: "voice", system: "Other. ".repeat(30), options: { seed: 1 } }] }),
      callOf(9, { tools, entered: [{ hook: "enter", system: { before: "", after: SYSTEM } }] }),
    ];
    expect(roundTrip(calls).read).toEqual(calls);
  });

  test("has a text once, whenever it is used again", () => {
    const { bytes } = roundTrip([callOf(1), callOf(2, { system: "" }), callOf(3)]);
    expect(bytes[0]).toBeGreaterThan(SYSTEM.length);
    expect(bytes[2]).toBeLessThan(200);
  });

  test("grows by as much with each call if a hook rewrites all messages of each, and I9 holds", () => {
    const rewritten = (n: number): readonly Msg[] =>
      Array.from({ length: n }, (_, i) => userMsg(`Message ${i}: ${"x".repeat(100)}`, { id: `r${i}` }));
    const calls = Array.from({ length: 400 }, (_, n) =>
      callOf(n + 1, { edits: [{ hook: "rewrite", pieces: [{ inserted: fixed(rewritten(n + 1)) }] }] }),
    );
    const { read, bytes } = roundTrip(calls);
    expect(read).toEqual(calls);
    expect(Math.max(...bytes.slice(300))).toBeLessThan(1.2 * Math.max(...bytes.slice(10, 20)));
  });

  test("goes on in a process that has read it, which writes no text again", () => {
    const first = new ModelCallWriter();
    const stored = first.stored(callOf(1), NOTHING);
    const reader = new ModelCallReader();
    reader.read(stored, null);
    const second = new ModelCallWriter(reader.known).stored(callOf(2), NOTHING);
    expect(second.values).toBeUndefined();
    expect(reader.read(second, null)).toEqual({ ...callOf(2), view: null });
  });
});

/** The timestamps of messages are of their making. */
const fixed = (messages: readonly Msg[]): readonly Msg[] =>
  messages.map((each) => ({ ...each, timestamp: 0 }));

/** Asks for a call in each of `rounds` answers, then ends. */
function asking(rounds: number): ChatModel {
  let asked = 0;
  return {
    name: "asking",
    async *stream() {
      asked++;
      if (asked > rounds) yield { type: "text.delta", delta: "Done" };
      else yield { type: "tool.delta", key: 0, name: "work", args: "{}" };
      yield { type: "finish", reason: asked > rounds ? "stop" : "tool_calls" };
    },
  };
}

async function bytesOf(rounds: number, hooks: readonly Hook[]): Promise<number> {
  const store = memoryStore();
  const agent = createAgent({
    name: "bench",
    model: asking(rounds),
    tools: [toolOf("work", () => "r".repeat(190))],
    sysPrompt: SYSTEM,
    maxIters: rounds + 1,
    hooks,
    store,
    sessionId: "s",
  });
  await agent.call("Go");
  await agent.close();
  let bytes = 0;
  for await (const entry of store.read("s")) bytes += JSON.stringify(entry).length;
  return bytes;
}

test.each<[string, readonly Hook[]]>([
  [
    "appends a hint to each request",
    [
      defineHook({
        name: "hint",
        preReasoning: () => ({ append: [userMsg("A hint. ".repeat(20), { id: "hint" })] }),
      }),
    ],
  ],
  [
    "rewrites messages of each request",
    [
      defineHook({
        name: "rename",
        preReasoning: ({ messages }) => ({
          messages: messages.map((message) =>
            message.role === "user" ? { ...message, name: "someone" } : message,
          ),
        }),
      }),
    ],
  ],
])("I9 a journal grows by the round although a hook %s", async (_, hooks) => {
  const [short, long] = [await bytesOf(30, hooks), await bytesOf(300, hooks)];
  expect(long / short).toBeLessThan(10.3);
});
