// Sessions in which an earlier release has stored halves of characters.
import { expect, test } from "vitest";
import { toolResultMsg, userMsg, type Json, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";

/** Data as an earlier release stored it: with half of a character where § is. */
const halved = <T>(value: T): T =>
  value === undefined ? value : (JSON.parse(JSON.stringify(value).replaceAll("§", String.raw`\ud83d`)) as T);

/** A store whose data were written by an earlier release. */
const earlier = (store: SessionStore): SessionStore => ({
  ...store,
  load: async (...args) => halved(await store.load(...args)),
  takeInputs: async (...args) => halved(await store.takeInputs(...args)),
  async *read(...args) {
    for await (const entry of store.read(...args)) yield halved(entry);
  },
});

test("nothing that a model or a person gets of such a session has half of a character", async () => {
  const store = memoryStore();
  const config = { tools: [toolOf("note")], sessionId: "s" };
  const script = ["Hello §.", { calls: [{ name: "note", input: { text: "§", "§": 1 } }] }];
  const first = scripted(script, { ...config, store });
  await first.agent.call("Hi §");
  await first.agent.call("Note this §");
  await first.agent.close();
  const messages = JSON.parse(JSON.stringify([userMsg("More §")])) as Json;
  await store.putInput("s", { id: "key", data: { messages } });
  const { agent, model } = scripted(["Noted.", "Yes."], { ...config, store: earlier(store) });
  await agent.open();
  const [pending] = agent.status().pending;
  expect(pending!.input).toEqual({ text: "\ufffd", "\ufffd": 1 });
  await agent.call(toolResultMsg([{ callId: pending!.callId, name: "note", text: "noted" }]));
  expect((await agent.call("More \ufffd", { idempotencyKey: "key" })).text).toBe("Yes.");
  await agent.close();
  expect(model.requests).toHaveLength(2);
  for (const request of model.requests) {
    const sent = JSON.stringify(request.messages);
    expect(sent).toContain("Hi \ufffd");
    expect(sent).not.toMatch(/§|\\ud83d/u);
  }
  expect(JSON.stringify(model.requests[1]!.messages)).toContain("More \ufffd");
});
