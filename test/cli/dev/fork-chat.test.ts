// Chats of `dev` that are edited at an earlier message.
import { expect, test } from "vitest";
import { createAgent, userMsg, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { forkChat } from "../../../src/cli/dev/fork-chat.ts";

/** A chat of two turns, the second with an image. */
async function chatOf(store: SessionStore) {
  const agent = createAgent({
    name: "desk",
    sessionId: "local/c1",
    store,
    model: scriptedModel(["One.", "Two."]),
  });
  await agent.call("first");
  const image = {
    type: "image",
    source: { type: "base64", mediaType: "image/png", data: "iVBORw0=" },
  } as const;
  await agent.call(userMsg("", { content: [{ type: "text", text: "second" }, image] }));
  const messages = await agent.messages();
  await agent.close();
  const [first, , second] = messages;
  return { first: first!, second: second!, image };
}

test("a chat is forked before a message, which comes back with its images, and stays as it is", async () => {
  const store = memoryStore();
  const { second, image } = await chatOf(store);
  const { id, input } = await forkChat(store, "local", { chat: "c1", message: second.id });
  expect(input).toEqual([{ type: "text", text: "second" }, image]);
  const fork = await (await openSession(store, `local/${id}`)).at();
  expect(fork.messages.map(({ content }) => content[0])).toMatchObject([{ text: "first" }, { text: "One." }]);
  expect((await (await openSession(store, "local/c1")).at()).messages).toHaveLength(4);
});

test("before the first message there is nothing to fork", async () => {
  const store = memoryStore();
  const { first } = await chatOf(store);
  expect(await forkChat(store, "local", { chat: "c1", message: first.id })).toEqual({ input: first.content });
});

test.each([
  ["no object", null, "config/invalid"],
  ["ids that are not texts", { chat: 1, message: 2 }, "config/invalid"],
  ["an unknown chat", { chat: "c2", message: "m" }, "session/not-found"],
  ["an unknown message", { chat: "c1", message: "m" }, "session/not-found"],
  ["a chat of another tenant", { chat: "../other/c1", message: "m" }, "session/not-found"],
])("%s is refused", async (_, request, code) => {
  const store = memoryStore();
  await chatOf(store);
  await expect(forkChat(store, "local", request)).rejects.toMatchObject({ code });
});

test("a message of the agent is not said again", async () => {
  const store = memoryStore();
  await chatOf(store);
  const [, answer] = (await (await openSession(store, "local/c1")).at()).messages;
  await expect(forkChat(store, "local", { chat: "c1", message: answer!.id })).rejects.toMatchObject({
    code: "session/not-found",
  });
});
