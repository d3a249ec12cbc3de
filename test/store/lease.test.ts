// What is done under a lease that is taken for it, when the lease cannot be released.
import { expect, test } from "vitest";
import { AgentError, createAgent, type SessionStore } from "agentchart";
import { exportSession, importSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createSession } from "../../src/testing/store-contract-kit.ts";

const away = new AgentError("store/failed", "Nobody answers.", { isRetryable: true });
const damaged = new AgentError("session/damaged", "Its state is not what was written.");
const held = (store: SessionStore): SessionStore => ({ ...store, release: () => Promise.reject(away) });
const broken = (): SessionStore => held({ ...memoryStore(), load: () => Promise.reject(damaged) });

async function stored(): Promise<SessionStore> {
  const store = memoryStore();
  await createSession(store, "s");
  return store;
}

test("what was done stays done", async () => {
  const store = await stored();
  const lines = exportSession(store, "s");
  expect(await importSession(held(store), lines, { sessionId: "copy" })).toBe("copy");
  expect(await store.load("copy")).toMatchObject({ seq: 1 });
});

test("the error is that of what was done", async () => {
  await expect(importSession(broken(), exportSession(await stored(), "s"))).rejects.toBe(damaged);
  const agent = createAgent({ name: "a", model: scriptedModel(["Hi."]), store: broken(), sessionId: "s" });
  await expect(agent.open()).rejects.toMatchObject({ code: "session/damaged" });
});
