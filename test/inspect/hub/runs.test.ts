// The list of runs while a store is slow.
import { createAgent } from "agentchart";
import { inspector } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import type { SessionStore } from "../../../src/store/port.ts";
import { toolOf } from "../../support/agents.ts";
import { HubPage, testHome, testHub } from "../../support/hub-page.ts";

test("a list of runs that waited for a slow store contains the current phase of live runs", async () => {
  const home = testHome();
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const stored = memoryStore();
  const store: SessionStore = Object.assign(Object.create(stored), {
    list: async (...args: Parameters<SessionStore["list"]>) => {
      await isRead;
      return stored.list(...args);
    },
  });
  const hub = await testHub({ home, store });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([{ calls: [{ name: "pay" }] }]),
    tools: [toolOf("pay", () => "paid", { permission: "ask" })],
    inspect,
  });
  const phaseIn = (page: HubPage) => page.rows.get(agent.sessionId)?.phase;
  const early = await HubPage.open(hub);
  await expect.poll(() => phaseIn(early)).toBe("stopped");
  const page = await HubPage.open(hub);
  await agent.call("pay");
  await expect.poll(() => phaseIn(page)).toBe("suspended");
  resolve();
  const isListed = (): boolean =>
    page.received.some((message) => message.type === "runs" && message.op === "snapshot");
  await expect.poll(isListed).toBe(true);
  expect(phaseIn(page)).toBe("suspended");
  await agent.close();
});
