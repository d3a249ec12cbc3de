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
  test(
    "makes a session with the same messages, whatever was said and called",
    { timeout: 600_000 },
    async () => {
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
    },
  );

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
      "arguments that are no object",
      [
        user("a"),
        { role: "assistant", tool_calls: [{ id: "c1", function: { name: "t", arguments: "[1" } }] },
      ],
      "message 2: the arguments of the call 'c1' of `t` are no JSON object",
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
    ["a line that is no JSON", `${JSON.stringify(one)}\n{"messages"`, "f, line 2 is no JSON"],
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
