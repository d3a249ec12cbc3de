// Conversations of other programs become sessions that say the same, or are refused with their place.
import { textOf, toolResultsOf, toolUsesOf, type Msg } from "agentchart";
import { chatsOf, importChat, type Chat, type ChatMessage } from "agentchart/evals";
import { auditSession, before } from "agentchart/rules";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { describe, expect, test } from "vitest";
import fc from "../../support/fast-check.ts";

const call = (id: string, name: string, input: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});
const asks = (...calls: readonly ReturnType<typeof call>[]): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: [...calls],
});
const says = (content: string): ChatMessage => ({ role: "assistant", content });
const user = (content: string): ChatMessage => ({ role: "user", content });
const gives = (id: string, content: string): ChatMessage => ({ role: "tool", tool_call_id: id, content });

const DESK: readonly ChatMessage[] = [
  { role: "system", content: "You are a desk." },
  user("Refund order 17"),
  asks(call("c1", "verify", { id: 17 }), call("c2", "refund", { id: 17 })),
  gives("c1", "Error: unknown"),
  gives("c2", "paid"),
  says("Paid."),
  user("Thanks"),
  says("Bye."),
];

/** What a message says, calls and answers, in order. */
const tracesOf = (message: Msg): readonly string[] => {
  const results = toolResultsOf(message);
  if (results.length > 0)
    return results.map(({ output: [block] }) => (block?.type === "text" ? block.text : ""));
  const text = textOf(message);
  return [...(text === "" ? [] : [text]), ...toolUsesOf(message).map(({ name }) => name)];
};

async function imported(messages: readonly ChatMessage[], options: Parameters<typeof importChat>[2] = {}) {
  const store = memoryStore();
  const id = await importChat(store, { name: "chat", messages }, options);
  const { messages: made, state } = await (await openSession(store, id)).at();
  return { store, id, made, state };
}

/** The conversation that a session holds, in the format of logs. */
const logOf = (messages: readonly Msg[]): readonly ChatMessage[] =>
  messages.flatMap((message): ChatMessage[] => {
    const results = toolResultsOf(message);
    if (results.length > 0)
      return results.map(({ id, output: [block] }) => gives(id, block?.type === "text" ? block.text : ""));
    if (message.role === "user") return [user(textOf(message))];
    const calls = toolUsesOf(message).map(({ id, name, input }) => call(id, name, input));
    const text = textOf(message);
    return [
      {
        role: "assistant",
        content: text === "" ? null : text,
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    ];
  });

const words = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== "");
const answers = fc.array(
  fc.array(fc.record({ name: fc.constantFrom("look", "write"), output: words }), { maxLength: 3 }),
  {
    minLength: 1,
    maxLength: 4,
  },
);
/** Turns of a conversation; each answer but the last of a turn has calls. */
const turns = fc.array(fc.record({ said: words, answers, ends: fc.boolean(), reply: words }), {
  minLength: 1,
  maxLength: 4,
});

describe("the import of a conversation", () => {
  test("makes a session with the same messages, whatever was said and called", async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (script) => {
        let count = 0;
        const messages = script.flatMap((turn, at): ChatMessage[] => [
          user(turn.said),
          ...turn.answers.flatMap((each): ChatMessage[] => {
            const calls = each.map(({ name }) => call(`c${++count}`, name, { count }));
            if (calls.length === 0) return [];
            return [asks(...calls), ...calls.map(({ id }, place) => gives(id, each[place]!.output))];
          }),
          ...(turn.ends || at % 2 === 0 ? [says(turn.reply)] : []),
        ]);
        const { made } = await imported(messages);
        expect(logOf(made)).toEqual(messages);
      }),
      { numRuns: process.env["SOAK"] === "1" ? 2_000 : 40 },
    );
  });

  test("is one that rules can audit, with the calls that had failed", async () => {
    const { store, id } = await imported(DESK, { isFailure: (output) => output.startsWith("Error") });
    const [finding] = await auditSession(store, id, [before("verify", "refund")]);
    expect(finding).toMatchObject({ tool: "refund", callId: "c2" });
    const good = await imported(DESK);
    expect(await auditSession(good.store, good.id, [before("verify", "refund")])).toEqual([]);
  });

  test("keeps a greeting, an unanswered message, images, thinking, and the numbers that ids share", async () => {
    const { made } = await imported([
      says("Hello!"),
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      { ...asks(call("call_0", "look", {})), reasoning_content: "Hm." } as ChatMessage,
      gives("call_0", "a cat"),
      asks(call("call_0", "look", {})),
      gives("call_0", "a dog"),
      says("A cat and a dog."),
      user("And this?"),
    ]);
    expect(made.map(({ role }) => role)).toEqual([
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(made[1]!.content[1]).toEqual({
      type: "image",
      source: { type: "base64", mediaType: "image/png", data: "AAAA" },
    });
    expect(made[2]!.content[0]).toEqual({ type: "thinking", thinking: "Hm." });
    expect(made.flatMap(toolResultsOf).map(({ output: [block] }) => block)).toEqual([
      { type: "text", text: "a cat" },
      { type: "text", text: "a dog" },
    ]);
  });

  test.each<[what: string, messages: readonly ChatMessage[], traces: readonly string[]]>([
    [
      "several instructions at the start",
      [
        { role: "system", content: "A" },
        { role: "developer", content: [{ type: "text", text: "B" }] },
        user("a"),
        says("b"),
      ],
      ["a", "b"],
    ],
    ["a refusal", [user("a"), { role: "assistant", content: null, refusal: "No." }], ["a", "No."]],
    [
      "a refusal that is a part",
      [
        user("a"),
        {
          role: "assistant",
          content: [
            { type: "text", text: "Hm. " },
            { type: "refusal", refusal: "No." },
          ],
        },
      ],
      ["a", "Hm. No."],
    ],
    [
      "contents of no parts",
      [
        user("a"),
        { ...asks(call("c1", "t", {})), content: [] } as ChatMessage,
        { ...gives("c1", ""), content: [] } as ChatMessage,
        says("b"),
      ],
      ["a", "t", "", "b"],
    ],
    [
      "calls of the early years of the format",
      [
        user("a"),
        { role: "assistant", content: null, function_call: { name: "t", arguments: "{}" } },
        { role: "function", name: "t", content: "x" },
        { role: "assistant", content: null, function_call: { name: "u", arguments: "{}" } },
        { role: "function", name: "u", content: null },
        says("b"),
      ],
      ["a", "t", "x", "u", "", "b"],
    ],
    [
      "ids that look like those of a second call of another one",
      [
        user("a"),
        asks(call("c", "t", {}), call("c_2", "u", {})),
        gives("c_2", "y"),
        gives("c", "x"),
        asks(call("c", "v", {})),
        gives("c", "z"),
        asks(call("c_2", "w", {})),
        gives("c_2", "q"),
        says("b"),
      ],
      ["a", "t", "u", "x", "y", "v", "z", "w", "q", "b"],
    ],
  ])("keeps %s", async (_, messages, traces) => {
    const { made } = await imported(messages);
    expect(made.flatMap(tracesOf)).toEqual(traces);
  });

  test("joins the instructions at the start to one prompt", async () => {
    const { store, id } = await imported([
      { role: "system", content: "Be kind." },
      { role: "developer", content: "Be short." },
      user("a"),
      says("b"),
    ]);
    const entries: unknown[] = [];
    for await (const entry of store.read(id)) entries.push(entry);
    expect(JSON.stringify(entries)).toContain(String.raw`"Be kind.\n\nBe short."`);
  });

  test("leaves a call at the end without a result waiting for it", async () => {
    const { state } = await imported([
      user("Go"),
      asks(call("c1", "look", {}), call("c2", "write", {})),
      gives("c1", "x"),
    ]);
    expect(state).toBe("suspended.waiting");
  });

  test("is refused where a session exists, and leaves that one as it is", async () => {
    const { store, id, made } = await imported(DESK);
    const again = importChat(store, { name: "chat", messages: [user("Other")] });
    await expect(again).rejects.toMatchObject({ code: "session/conflict" });
    expect((await (await openSession(store, id)).at()).messages).toEqual(made);
  });

  test("is refused where another import makes the session meanwhile, which has its own", async () => {
    const store = memoryStore();
    const chat = { name: "chat", messages: DESK };
    const both = await Promise.allSettled([importChat(store, chat), importChat(store, chat)]);
    expect(both).toMatchObject([{ value: "chat" }, { reason: { code: "session/conflict" } }]);
    expect((await (await openSession(store, "chat")).at()).messages.length).toBeGreaterThan(0);
  });

  test.each<[why: string, messages: readonly ChatMessage[], says: string]>([
    ["a result without a call", [user("a"), says("b"), gives("c9", "x")], "message 3: no call 'c9'"],
    [
      "a call that is passed over",
      [user("a"), asks(call("c1", "t", {})), user("b")],
      "message 3: the call 'c1' before it has no result",
    ],
    [
      "calls that nobody asked for",
      [user("a"), says("b"), asks(call("c1", "t", {}))],
      "message 3: calls of tools follow neither",
    ],
    [
      "two calls of one id",
      [user("a"), asks(call("c1", "t", {}), call("c1", "t", {}))],
      "message 2: two calls have the id 'c1'",
    ],
    [
      "a system message in the midst",
      [user("a"), says("b"), { role: "system", content: "c" }],
      "message 3: a system message stands first",
    ],
    [
      "an answer of nothing",
      [user("a"), { role: "assistant", content: null }],
      "message 2: an answer has neither",
    ],
    [
      "arguments that are not an object",
      [
        user("a"),
        { role: "assistant", tool_calls: [{ id: "c1", function: { name: "t", arguments: "[1" } }] },
      ],
      "message 2: the arguments of the call 'c1' of `t` are not a JSON object",
    ],
    [
      "a result of the early years without a call",
      [user("a"), { role: "function", name: "t", content: "x" }],
      "message 2: no call of `t` waits for a result",
    ],
    [
      "a call of a tool that agents have for themselves",
      [user("a"), asks(call("c1", "generate_response", {})), gives("c1", "x")],
      "message 2: `generate_response` is the name of a tool",
    ],
  ])("refuses %s, and stores nothing", async (_, messages, said) => {
    const store = memoryStore();
    await expect(importChat(store, { name: "x", messages })).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining(said),
    });
    expect(await store.load("x")).toBeUndefined();
  });
});

describe("a file of conversations", () => {
  const one = { messages: [{ role: "user", content: "a" }] };
  const tau = { task_id: 3, trial: 1, reward: 1, traj: one.messages, info: {} };

  test.each<[what: string, text: string, names: readonly string[]]>([
    ["an array", JSON.stringify([one, { ...one, id: "b" }]), ["chat-1", "b"]],
    ["lines", `${JSON.stringify(one)}\n\n${JSON.stringify({ ...one, id: "b" })}\n`, ["chat-1", "b"]],
    ["one object over several lines", JSON.stringify(one, null, 2), ["chat-1"]],
    ["an array of messages", JSON.stringify(one.messages), ["chat-1"]],
    [
      "arrays of messages, a line each",
      `${JSON.stringify(one.messages)}\n${JSON.stringify(one.messages)}`,
      ["chat-1", "chat-2"],
    ],
    ["an array of arrays of messages", JSON.stringify([one.messages, one.messages]), ["chat-1", "chat-2"]],
    [
      "lines behind a mark of the byte order",
      `\uFEFF${JSON.stringify(one)}\r\n${JSON.stringify(one)}`,
      ["chat-1", "chat-2"],
    ],
    ["trajectories", JSON.stringify([tau]), ["task-3-trial-1"]],
  ])("is read as %s", (_, text, names) => {
    expect(chatsOf(text).map(({ name }) => name)).toEqual(names);
  });

  test("labels trajectories with their task and reward", () => {
    const [chat] = chatsOf(JSON.stringify([tau]));
    expect(chat).toMatchObject({ meta: { task: 3, trial: 1, reward: 1 } } satisfies Partial<Chat>);
  });

  test.each<[what: string, text: string, says: string]>([
    ["nothing", " ", "is empty"],
    ["an array of nothing", "[]", "f holds no conversation"],
    [
      "a part of a message that no session has",
      JSON.stringify({
        messages: [{ role: "user", content: [{ type: "text", text: "a" }, { type: "input_audio" }] }],
      }),
      "f, line 1, messages[0].content[1].type: ",
    ],
    [
      "a part without its text",
      JSON.stringify({ messages: [{ role: "user", content: [{ type: "text" }] }] }),
      "messages[0].content[0].text: ",
    ],
    ["an answer of the server", JSON.stringify({ id: "x", choices: [] }), "f, line 1, messages: "],
    ["a line that is not JSON", `${JSON.stringify(one)}\n{"messages"`, "f, line 2 is not JSON"],
    ["a line of another format", `${JSON.stringify(one)}\n{"text":"hi"}`, "f, line 2, messages: "],
    [
      "a message of an unknown role",
      JSON.stringify([{ messages: [{ role: "robot", content: "a" }] }]),
      "f, [0], messages[0].role: ",
    ],
    [
      "a name that no tool has",
      JSON.stringify([
        {
          messages: [
            { role: "assistant", tool_calls: [{ id: "1", function: { name: "a b", arguments: "{}" } }] },
          ],
        },
      ]),
      "1 to 64 letters",
    ],
    ["a trajectory without messages", JSON.stringify([{ ...tau, traj: [] }]), "f, [0], traj: "],
  ])("is refused if it holds %s, with its place", (_, text, said) => {
    expect(() => chatsOf(text, "f")).toThrow(
      expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(said) }),
    );
  });
});
