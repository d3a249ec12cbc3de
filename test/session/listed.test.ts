// What a list says of each session.
import { expect, test } from "vitest";
import { AgentError, createAgent, systemMsg, userMsg, type ChatModel } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scripted } from "../support/agents.ts";

const failing: ChatModel = {
  name: "failing",
  // oxlint-disable-next-line require-yield
  async *stream() {
    throw new AgentError("model/bad-request", `The key sk-1 is wrong. ${"x".repeat(600)}`);
  },
};

test("A session is listed with its agent, its first words and why its newest turn failed", async () => {
  const store = memoryStore();
  const agent = createAgent({ name: "clerk", model: failing, store, sessionId: "s" });
  await expect(agent.call(`Where  is\n${"it ".repeat(50)}`)).rejects.toThrow("is wrong");
  await agent.close();
  const [info] = (await store.list()).sessions;
  expect(info).toMatchObject({ agent: "clerk", reason: "ERROR", error: { code: "model/bad-request" } });
  expect(info!.title).toMatch(/^Where is it it .*…$/);
  expect(info!.title).toHaveLength(80);
  expect(info!.error!.message).toHaveLength(500);

  const { agent: again } = scripted(["Here."], { store, sessionId: "s" });
  await again.call("Once more");
  await again.close();
  const [answered] = (await store.list()).sessions;
  expect(answered).toMatchObject({ agent: "bot", title: info!.title, reason: "MODEL_STOP" });
  expect(answered).not.toHaveProperty("error");
});

test("The first words of a session stand behind its system message, and are redacted as its journal is", async () => {
  const store = memoryStore();
  const { agent } = scripted(["Yes."], {
    store,
    sessionId: "s",
    messages: [systemMsg("Be brief."), userMsg("My code is 4711.")],
    sessionOptions: {
      redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("4711", "***")) as never,
    },
  });
  await agent.call("Is it right?");
  await agent.close();
  expect((await store.list()).sessions).toMatchObject([{ title: "My code is ***." }]);
});

test("A fork is listed with its first words; an empty session has none", async () => {
  const store = memoryStore();
  const { agent } = scripted(["Here."], { store, sessionId: "s" });
  await agent.open();
  expect((await store.list()).sessions[0]).not.toHaveProperty("title");
  await agent.call("Where?");
  await agent.close();
  const session = await openSession(store, "s");
  await session.fork((await session.at()).seq, { sessionId: "t", edits: () => [userMsg("Whence?")] });
  expect((await store.list({ prefix: "t" })).sessions).toMatchObject([{ title: "Whence?" }]);
});
