// Secrets in exports and imports.
import { expect, test } from "vitest";
import { createAgent, redactSecrets, type AgentConfig, type JsonObject, type SessionStore } from "agentchart";
import { exportSession, importSession, openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { toolOf } from "../support/agents.ts";

const SECRETS = ["sk-TOPSECRET", "hunter2", "Bearer abc", "s3cret"];
const INPUT: JsonObject = {
  user: "maria",
  apiKey: "sk-TOPSECRET",
  login: { password: "hunter2", headers: [{ Authorization: "Bearer abc" }] },
  "client-secret": "s3cret",
};

/** A session whose call with secrets waits for an approval; `ran` are the inputs with which the tool ran. */
async function waiting(config: Partial<AgentConfig> = {}, input: JsonObject = INPUT) {
  const store = memoryStore();
  const ran: unknown[] = [];
  const agentOf = (given: SessionStore, sessionId: string) =>
    createAgent({
      name: "desk",
      model: scriptedModel(
        ran.length === 0 ? [{ calls: [{ id: "c", name: "log_in", input }] }, "done"] : ["done"],
      ),
      tools: [toolOf("log_in", (given) => `in ${ran.push(given)}`, { permission: "ask" })],
      store: given,
      sessionId,
      ...config,
    });
  const agent = agentOf(store, "s");
  await agent.call("Log in");
  await agent.close();
  return { store, ran, agentOf };
}

const found = (text: string): readonly string[] => SECRETS.filter((secret) => text.includes(secret));

test("an export has no secrets, says so, and is refused as a session that can run", async () => {
  const { store } = await waiting();
  const lines = await collectAll(exportSession(store, "s"));
  expect(found(lines.join(""))).toEqual([]);
  expect(lines.join("")).toContain('"apiKey":"[redacted]"');
  expect(lines.join("")).toContain('"user":"maria"');
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ end: { redacted: true } });
  const copy = memoryStore();
  await expect(importSession(copy, lines)).rejects.toMatchObject({ code: "session/redacted" });
  expect(await copy.list()).toEqual({ sessions: [] });
  expect(found(JSON.stringify(await collectAll(store.read("s"))))).toEqual(SECRETS);
});

test("an export with secrets is imported and goes on with them", async () => {
  const { store, ran, agentOf } = await waiting();
  const copy = memoryStore();
  await importSession(copy, exportSession(store, "s", { secrets: true }), { sessionId: "copy" });
  const agent = agentOf(copy, "copy");
  await agent.open();
  await agent.decide("c", "approve");
  await agent.call();
  expect(ran).toEqual([INPUT]);
});

test("an export of a session without secrets is imported", async () => {
  const { store } = await waiting({}, { user: "maria", maxTokens: 5 });
  const lines = await collectAll(exportSession(store, "s"));
  expect(await importSession(memoryStore(), lines)).toBe("s");
});

test("exportSession refuses an unknown option", async () => {
  const { store } = await waiting();
  const made = collectAll(exportSession(store, "s", { secret: true } as never));
  await expect(made).rejects.toMatchObject({ code: "config/invalid" });
});

test("redactSecrets as the option redact keeps secrets out of the store, and its export can be imported", async () => {
  const { store } = await waiting({ sessionOptions: { redact: redactSecrets } });
  const stored = JSON.stringify([await collectAll(store.read("s")), await store.load("s")]);
  expect(found(stored)).toEqual([]);
  expect((await (await openSession(store, "s")).at()).pending).toMatchObject([
    { input: { user: "maria", apiKey: "[redacted]" } },
  ]);
  expect(await importSession(memoryStore(), exportSession(store, "s"))).toBe("s");
});
