// A fork before a message that a session got at rest says which one it was, so that the step can be made again.
import { createAgent, userMsg, type Msg } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { toolOf } from "../support/agents.ts";

const text = (messages: readonly Msg[]): string =>
  JSON.stringify(messages.map(({ role, content }) => [role, content]));

const agentOf = (store: ReturnType<typeof memoryStore>, sessionId: string) =>
  createAgent({
    name: "desk",
    model: scriptedModel([
      { calls: [{ id: "a", name: "look", input: {} }] },
      "Seen.",
      "Again.",
      "Once more.",
    ]),
    tools: [toolOf("look", () => "nothing")],
    store,
    sessionId,
  });

test("at each place where the session rested it is what came next, and elsewhere there is none", async () => {
  const store = memoryStore();
  const agent = agentOf(store, "original");
  await agent.call("Look.");
  await agent.call([
    userMsg("And?"),
    userMsg("", { content: [{ type: "image", source: { type: "url", url: "https://a.test/b.png" } }] }),
  ]);
  await agent.call("Well?");
  const all = await agent.messages();
  await agent.close();
  const session = await openSession(store, "original");
  const found: string[] = [];
  const { seq: last } = await session.at();
  for (let seq = 1; seq <= last; seq++) {
    const { input, sessionId, forkedAt } = await session.fork(seq);
    const { messages, state } = await (await openSession(store, sessionId)).at();
    const next = all.slice(messages.length, messages.length + input.length);
    expect(input).toEqual(next);
    const rests = (await session.at(forkedAt)).state === "stopped.idle" && forkedAt < last;
    expect([seq, state, input.length > 0]).toEqual([seq, state, rests]);
    if (input.length > 0) found.push(text(input));
  }
  expect(new Set(found)).toEqual(new Set([all.slice(0, 1), all.slice(4, 6), all.slice(7, 8)].map(text)));
});

test("a fork before the first message has none, and makes the whole run again with it", async () => {
  const store = memoryStore();
  const agent = agentOf(store, "original");
  await agent.call("Look.");
  const all = await agent.messages();
  await agent.close();
  const session = await openSession(store, "original");
  const { seq } = await session.at(1);
  const { sessionId, input } = await session.fork(seq, { changes: { system: "Be brief." } });
  expect((await (await openSession(store, sessionId)).at()).messages).toEqual([]);
  const again = agentOf(store, sessionId);
  await again.call(input);
  expect(text(await again.messages())).toBe(text(all));
  await again.close();
});
