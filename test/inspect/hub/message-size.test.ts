// The size of what agents send, and of what pages get.
import { once } from "node:events";
import { createAgent } from "agentchart";
import { inspector } from "agentchart/inspect";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { PROTOCOL } from "../../../src/inspect/protocol/protocol.ts";
import { toolOf } from "../../support/agents.ts";
import { HubPage, testHome, testHub } from "../../support/hub-page.ts";

const TURNS = 20;
const RESULT = "r".repeat(4_000);

/** Each turn makes three calls with results of 4 KB, then answers. */
const turns: readonly ScriptedTurn[] = Array.from({ length: TURNS }, (): readonly ScriptedTurn[] => [
  [
    ...[0, 1, 2].map((key) => ({ type: "tool.delta", key, name: "read", args: `{"part":${key}}` }) as const),
    { type: "finish", reason: "tool_calls" },
  ],
  "That is what I found.",
]).flat();

const LIMIT = 1_000_000;

test("20 turns with 3 tool results of 4 KB each take at most 1 MB from the agent and to the page", async () => {
  // this server only counts the bytes that a hub would receive
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}#w=any`;
  let bytes = 0;
  let hasSettled = false;
  server.on("connection", (socket) =>
    socket.on("message", (data) => {
      const text = String(data as Buffer);
      if (bytes === 0)
        socket.send(JSON.stringify({ type: "welcome", proto: PROTOCOL, version: "0", have: {} }));
      bytes += text.length;
      hasSettled ||= text.includes(`["progress","settled"],${TURNS}]`);
    }),
  );
  const home = testHome();
  const hub = await testHub({ home });
  const counted = inspector({ url, retryMs: [5, 20] });
  const shown = inspector({ home, retryMs: [5, 20] });
  onTestFinished(async () => void (await Promise.all([counted.close(), shown.close()])));
  const model = scriptedModel(turns);
  const agent = createAgent({
    name: "bot",
    model,
    inspect: [counted, shown],
    tools: [toolOf("read", () => RESULT)],
  });
  const page = await HubPage.open(hub);
  page.subscribe(agent.sessionId);
  await expect.poll(() => page.rows.has(agent.sessionId)).toBe(true);
  for (let turn = 0; turn < TURNS; turn++) {
    await agent.call("go on");
    await new Promise(setImmediate);
  }
  const stepsDone = (): number => page.steps.get(agent.sessionId)?.length ?? 0;
  await expect
    .poll(() => page.rows.get(agent.sessionId)?.steps === stepsDone() && stepsDone())
    .toBeGreaterThan(TURNS * 6);
  await agent.close();
  await expect.poll(() => hasSettled).toBe(true);
  expect((await agent.messages()).length).toBe(TURNS * 6);
  expect(bytes).toBeGreaterThan(TURNS * 3 * RESULT.length);
  expect(bytes).toBeLessThanOrEqual(LIMIT);
  expect(page.bytes).toBeLessThanOrEqual(LIMIT);
});
