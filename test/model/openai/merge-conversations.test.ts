// Conversations of several speakers as one message.
import { createAgent, textOf, userMsg } from "agentchart";
import { openaiModel, toChatMessages } from "agentchart/openai";
import { chatCompletionsServer } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { assistantMsg, systemMsg, toolResultMsg } from "../../../src/core/message/msg.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import { mergeConversations } from "../../../src/core/model/openai/merge-conversations.ts";

const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const;
const alice = (text: string): Msg => userMsg(text, { name: "Alice" });
const bob = (text: string): Msg => assistantMsg(text, { name: "Bob" });
const sent = (...messages: readonly Msg[]) => toChatMessages(messages, { formatter: "multiAgent" });

test("what several speakers say is one user message: names and history, the newest words behind it", () => {
  const [whole, ...others] = sent(alice("Hello, Bob"), bob("Hi Alice!"), alice("How are you?"));
  expect(others).toEqual([]);
  expect(whole).toMatchObject({ role: "user" });
  expect(whole).not.toHaveProperty("name");
  const text = String(whole!.content);
  expect(text).toMatch(/^# Conversation History\n/);
  expect(text).toMatch(/<history>\nAlice: Hello, Bob\nBob: Hi Alice!\n<\/history>\nAlice: How are you\?\n$/);
});

test("the first message of a conversation has no name before it", () => {
  const [only] = sent(alice("Hello"));
  expect(String(only!.content)).toMatch(/<history>\n<\/history>\nHello\n$/);
});

test("system messages, calls, results and what is marked stay as they are, between conversations", () => {
  const call = { type: "tool_use", id: "c1", name: "f", input: {} } as const;
  const messages = sent(
    systemMsg("Be brief"),
    alice("go"),
    assistantMsg("", { content: [call] }),
    toolResultMsg([{ callId: "c1", name: "f", text: "ok" }]),
    bob("done"),
    userMsg("a hint", { metadata: { _bypass_multiagent_history_merge: true } }),
  );
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user", "user"]);
  expect(messages[2]).toMatchObject({ tool_calls: [{ id: "c1" }] });
  expect(messages[5]).toEqual({ role: "user", content: "a hint" });
});

test("media are parts between the texts; thinking is left out", () => {
  const [whole] = sent(
    assistantMsg("", { name: "Bob", content: [{ type: "thinking", thinking: "hm" }, image] }),
    alice("Nice."),
  );
  expect(whole!.content).toMatchObject([
    { type: "text", text: expect.stringMatching(/<history>\n$/) },
    { type: "image_url", image_url: { url: image.source.url } },
    { type: "text", text: "</history>\nAlice: Nice.\n" },
  ]);
});

test("a conversation that goes on is merged anew, one that has ended is not", () => {
  const tool = assistantMsg("", { content: [{ type: "tool_use", id: "c", name: "f", input: {} }] });
  const result = toolResultMsg([{ callId: "c", name: "f", text: "ok" }]);
  const before = [alice("one"), tool, result, bob("two")];
  const [first, , , open] = mergeConversations(before);
  const [again, , , longer] = mergeConversations([...before, alice("three")]);
  expect(again).toBe(first);
  expect(textOf(open!)).toMatch(/<\/history>\ntwo\n$/);
  expect(textOf(longer!)).toMatch(/<history>\nBob: two\n<\/history>\nAlice: three\n$/);
});

test("an agent's model sends conversations so, and reminders apart", async () => {
  const answers = [{ content: "" }, { content: "Hello both" }];
  const server = await chatCompletionsServer(() => answers.shift()!);
  onTestFinished(() => server.close());
  const model = openaiModel({ model: "m", baseURL: server.baseURL, formatter: "multiAgent" });
  const messages = [alice("Hi"), userMsg("Ho", { name: "Carl" })];
  const agent = createAgent({ name: "Bob", model, messages });
  await agent.call(userMsg("Who is here?", { name: "Alice" }));
  await agent.close();
  const bodies = server.requests.map(({ messages }) => messages);
  expect(bodies.map((messages) => messages.length)).toEqual([1, 2]);
  expect(bodies[0]![0]!.content).toContain("Alice: Hi\nCarl: Ho\n</history>\nAlice: Who is here?");
  expect(bodies[1]![1]!.content).not.toContain("<history>");
});

test("a formatter there is not is refused", () => {
  expect(() => openaiModel({ model: "m", formatter: "many" as never })).toThrow(
    'openaiModel: `formatter` is "many"; expected "chat" or "multiAgent".',
  );
});
