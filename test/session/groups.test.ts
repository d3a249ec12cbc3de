// Groups of tools that the model has chosen are stored.
import { expect, test } from "vitest";
import { createAgent, createToolkit, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { restoreSession } from "../../src/session/restore.ts";
import { settingsOf } from "../../src/agent/options/config.ts";
import { toolOf } from "../support/agents.ts";

test("the groups that the model has chosen are stored with the result that says so, not only at rest", async () => {
  const store = memoryStore();
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const choose = { id: "m", name: "reset_equipped_tools", input: { to_activate: ["web"] } };
  const held: ScriptedTurn = async function* () {
    asked.resolve();
    await gate.promise;
    yield { type: "text.delta", delta: "done" };
  };
  const config = {
    name: "bot",
    sessionId: "s",
    store,
    model: scriptedModel([{ calls: [choose] }, held]),
    toolkit: createToolkit({
      metaTool: true,
      groups: [{ name: "web", active: false }],
      tools: [toolOf("fetch", () => "page", { groups: ["web"] })],
    }),
  };
  const agent: Agent = createAgent(config);
  const running = agent.call("go");
  await asked.promise;
  await expect
    .poll(async () => (await restoreSession(store, "s", settingsOf(config as never)))?.activeGroups)
    .toEqual(["web"]);
  gate.resolve();
  await running;
  await agent.close();
});
