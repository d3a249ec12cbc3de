import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createAgent, createToolkit, type Snapshot } from "agentchart";
import { mcp, type McpEvent, type McpOptions } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import { ROOT } from "../../project/source-files.ts";
import { outputOf, resultsOf } from "../../support/agents.ts";

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const TOOL = "everything__trigger-elicitation-request";
const CALL = { calls: [{ id: "call_1", name: TOOL, input: {} }] };
const program = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

async function everything(options: McpOptions = {}) {
  const server = await mcp({ name: "everything", command: process.execPath, args: [program], ...options });
  opened.push(server);
  return server.tools({ only: ["trigger-elicitation-request"] });
}

const agentOf = async (options: McpOptions = {}, snapshot?: Snapshot) =>
  createAgent({
    name: "bot",
    model: scriptedModel(snapshot ? ["Done."] : [CALL, "Done."]),
    tools: await everything(options),
    ...(snapshot && { snapshot }),
  });

const resultOf = async (agent: Awaited<ReturnType<typeof agentOf>>) => resultsOf(await agent.messages())[0];

test("a legacy server keeps the call open until its question is answered in the same process", async () => {
  const agent = await agentOf();
  expect((await agent.call("go")).pending).toMatchObject([
    { callId: "call_1/question", waitsFor: "answer", ask: { kind: "form" } },
  ]);
  await agent.decide("call_1", { respond: { name: "Ann", check: true } });
  expect((await agent.call()).reason).toBe("MODEL_STOP");
  expect(outputOf(await resultOf(agent))).toContain("✅ User provided the requested information");
});

test("the question of a legacy server that another process answers is an unknown outcome", async () => {
  const first = await agentOf();
  await first.call("go");
  const second = await agentOf({}, JSON.parse(JSON.stringify(first.snapshot())) as Snapshot);
  await second.decide("call_1", { respond: { name: "Ann", check: true } });
  await second.call();
  expect(await resultOf(second)).toMatchObject({
    state: "error",
    output: [{ text: expect.stringContaining("the call may have taken effect") as string }],
  });
});

test("a legacy server that nobody answers gets a cancel after `heldMs`, and the call is an unknown outcome", async () => {
  const agent = await agentOf({ heldMs: 1 });
  await agent.call("go");
  await new Promise((resolve) => setTimeout(resolve, 100));
  await agent.decide("call_1", { respond: { name: "Ann", check: true } });
  await agent.call();
  expect(outputOf(await resultOf(agent))).toContain("too long ago");
});

test("a question that two calls may have asked is cancelled with a warning", async () => {
  const events: McpEvent[] = [];
  const server = await mcp({
    command: process.execPath,
    args: [join(import.meta.dirname, "hostile-server.mjs")],
    onEvent: (event) => void events.push(event),
  });
  opened.push(server);
  const toolkit = createToolkit({ tools: server.tools() });
  const results = await Promise.all(["a", "b"].map(() => toolkit.invoke("hostile__both", {})));
  expect(results.map(outputOf)).toEqual(["cancel", "cancel"]);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "warning",
      message: expect.stringContaining("2 calls run at once") as string,
    }),
  );
});

test("a legacy server is answered at once by `decline` and by a function", async () => {
  const declining = await agentOf({ elicitation: "decline" });
  expect((await declining.call("go")).reason).toBe("MODEL_STOP");
  expect(outputOf(await resultOf(declining))).toContain("declined");
  const answering = await agentOf({ elicitation: () => ({ respond: { name: "Ann", check: true } }) });
  expect((await answering.call("go")).reason).toBe("MODEL_STOP");
  expect(outputOf(await resultOf(answering))).toContain("✅");
});
