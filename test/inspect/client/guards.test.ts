// Functions of a user that throw do not harm the recording.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent, type Agent, type AnyAgent, type AgentConfig, type Json } from "agentchart";
import { inspector, type AgentInspector, type InspectorOptions } from "agentchart/inspect";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { createActor, createMachine } from "xstate";
import { stepsOf, type StepPublisher } from "../../../src/agent/steps.ts";
import type { RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { toolOf } from "../../support/agents.ts";
import { ask, testHome, testHub } from "../../support/hub-page.ts";

const broken = (): never => {
  throw new Error("planted");
};
const config = (more: Partial<AgentConfig> = {}): AgentConfig => ({
  name: "bot",
  model: scriptedModel([{ calls: [{ name: "look", input: {} }] }, "Done.", "Again."]),
  tools: [toolOf("look", () => "seen")],
  ...more,
});
function testInspector(options: InspectorOptions): AgentInspector {
  const made = inspector({ retryMs: [10, 50], ...options });
  onTestFinished(() => made.close());
  return made;
}

/** Each part of the inspector that runs in an agent's process, and what throws in it. A run with a broken part may be missing. */
const FAULTS: readonly (readonly [part: string, plant: (watch: AgentInspector) => Promise<Agent>])[] = [
  [
    "watch() of an actor that is not an agent",
    async (watch) => {
      const actor = createActor(createMachine({ id: "other" })).start();
      watch.watch(actor as unknown as AnyAgent);
      return createAgent(config());
    },
  ],
  [
    "redact",
    async (watch) =>
      createAgent(config({ sessionOptions: { redact: broken as (value: Json) => Json }, inspect: watch })),
  ],
  [
    "the position of the journal",
    async (watch) => {
      const agent = createAgent(config());
      watch.watch(agent, undefined, broken);
      return agent;
    },
  ],
  [
    "the status of the agent",
    async (watch) => {
      const agent = createAgent(config());
      watch.watch(agent);
      vi.spyOn(agent, "status").mockImplementation(broken);
      return agent;
    },
  ],
  [
    "the schema of a tool",
    async (watch) => {
      const agent = createAgent(config());
      vi.spyOn(agent.toolkit as unknown as { inputSchemaOf(): unknown }, "inputSchemaOf").mockImplementation(
        broken,
      );
      watch.watch(agent);
      return agent;
    },
  ],
];

describe.each(FAULTS)("%s throws", (_, plant) => {
  test("the agent answers, and other agents of the process are reported", async () => {
    const home = testHome();
    const hub = await testHub({ home });
    const watch = testInspector({ home });
    const agent = await plant(watch);
    expect((await agent.call("Look.")).text).toBe("Done.");
    const healthy = createAgent(config({ inspect: watch }));
    expect((await healthy.call("Look.")).text).toBe("Done.");
    const reasonOf = async () => {
      const { rows } = (await (await ask(hub, "/api/runs")).json()) as { rows: readonly RunRow[] };
      return rows.find(({ runId }) => runId === healthy.sessionId)?.reason;
    };
    await expect.poll(reasonOf).toBe("MODEL_STOP");
    expect((await agent.call("More.")).text).toBe("Again.");
    await Promise.all([agent.close(), healthy.close()]);
  });
});

test("an agent runs unobserved if the part that reports agents cannot be loaded, and nothing waits for it", async () => {
  const unhandled = vi.fn<() => void>();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  vi.doMock("../../../src/inspect/client/watched-agents.ts", broken);
  onTestFinished(() => vi.doUnmock("../../../src/inspect/client/watched-agents.ts"));
  const inspect = inspector({ home: testHome(), retryMs: [10, 50] });
  const agent = createAgent(config({ inspect }));
  expect((await agent.call("Look.")).text).toBe("Done.");
  await expect.poll(() => (stepsOf(agent) as StepPublisher).hasListeners).toBe(false);
  await agent.close();
  await inspect.close();
  expect(unhandled).not.toHaveBeenCalled();
});

const HOSTILE: readonly unknown[] = [
  null,
  [],
  "x",
  { type: "cmd" },
  { type: "cmd", cmd: null },
  { type: "cmd", cmd: { id: { toString: 1 }, runId: [], type: "decide" } },
  { type: "cmd", cmd: { id: "1", runId: "__proto__", type: "interrupt" } },
  { type: "welcome" },
  { type: "welcome", have: null },
  { type: "welcome", have: { __proto__: 7, s: -1 } },
];

test("messages of a hostile hub have no effect on the agent", async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const seen: WebSocket[] = [];
  sockets.on("connection", (socket) => {
    seen.push(socket);
    socket.on("message", () => {
      socket.send("{ no JSON");
      for (const message of HOSTILE) socket.send(JSON.stringify(message));
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    for (const socket of seen) socket.terminate();
    sockets.close();
    server.close();
  });
  const watch = testInspector({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}#w=t` });
  const agent = createAgent(config({ inspect: watch, sessionId: "s" }));
  expect((await agent.call("Look.")).text).toBe("Done.");
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  expect((await agent.call("More.")).text).toBe("Again.");
  await agent.close();
});
