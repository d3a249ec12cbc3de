// Questions of legacy servers.
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

/** A server whose tools ask in several ways. */
async function odd(options: McpOptions = {}) {
  const args = [join(import.meta.dirname, "odd-server.mjs")];
  const server = await mcp({ name: "odd", command: process.execPath, args, ...options });
  opened.push(server);
  return server.tools();
}

const agentOf = async (options: McpOptions = {}, snapshot?: Snapshot) =>
  createAgent({
    name: "bot",
    model: scriptedModel(snapshot ? ["Done."] : [CALL, "Done."]),
    tools: await everything(options),
    ...(snapshot && { sessionOptions: { snapshot } }),
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

test.each(["twice", "both"])(
  "the questions of a call that asks %s are asked one after the other",
  async (name) => {
    const model = scriptedModel([{ calls: [{ id: "call_1", name: `odd__${name}`, input: {} }] }, "Done."]);
    const agent = createAgent({ name: "bot", model, tools: await odd() });
    for (const [at, question] of ["First?", "Second?"].entries()) {
      const reply = await agent.call(at === 0 ? "go" : undefined);
      expect(reply.pending).toMatchObject([{ callId: "call_1/question", reason: question }]);
      await agent.decide("call_1", { respond: { n: at + 1 } });
    }
    expect((await agent.call()).text).toBe("Done.");
    expect(outputOf(await resultOf(agent))).toBe("1 2");
  },
);

test("the questions of several sessions over one connection are answered by their own sessions", async () => {
  const tools = await odd();
  const sessions = ["a", "b", "c"].map((id) => {
    const model = scriptedModel([{ calls: [{ id, name: "odd__twice", input: {} }] }, "Done."]);
    return createAgent({ name: id, model, tools });
  });
  for (const agent of sessions)
    expect((await agent.call("go")).pending).toMatchObject([{ reason: "First?" }]);
  for (const question of ["first", "second"])
    for (const [at, agent] of sessions.toReversed().entries()) {
      await agent.decide(agent.name, { respond: { n: question === "first" ? at : at * 10 } });
      await agent.call();
    }
  const results = await Promise.all(sessions.map(resultOf));
  expect(results.map(outputOf)).toEqual(["2 20", "1 10", "0 0"]);
});

test("of the questions that a call asks at once, those beyond the limit are cancelled", async () => {
  const events: McpEvent[] = [];
  const tools = await odd({ onEvent: (event) => void events.push(event) });
  const model = scriptedModel([{ calls: [{ id: "call_1", name: "odd__flood", input: {} }] }, "Done."]);
  const agent = createAgent({ name: "bot", model, tools });
  expect((await agent.call("go")).pending).toMatchObject([{ callId: "call_1/question" }]);
  const refused = (): number => events.filter(({ message }) => message.includes("20 others at once")).length;
  await expect.poll(refused).toBe(79);
});

test("a call that a server refuses until a page was visited waits for that, and is made then", async () => {
  const server = await mcp({ name: "everything", command: process.execPath, args: [program] });
  opened.push(server);
  const input = { url: "https://a.example/x", errorPath: true };
  const call = { name: "everything__trigger-url-elicitation", input };
  const turn = (id: string) => ({ calls: [{ ...call, id }] });
  const model = scriptedModel([turn("one"), "Done.", turn("two"), "Done."]);
  const agent = createAgent({ name: "bot", model, tools: server.tools() });
  const page = { kind: "url", url: "https://modelcontextprotocol.io" };
  expect((await agent.call("go")).pending).toMatchObject([{ callId: "one/page_1", ask: page }]);
  await agent.decide("one", { respond: true });
  expect((await agent.call()).pending).toMatchObject([{ callId: "one/question", ask: { url: input.url } }]);
  await agent.decide("one", { respond: true });
  expect((await agent.call()).text).toBe("Done.");
  expect((await agent.call("go")).pending).toMatchObject([{ callId: "two/page_1", ask: page }]);
  await agent.decide("two", { decline: true });
  expect((await agent.call()).text).toBe("Done.");
  const results = resultsOf(await agent.messages()).map(outputOf);
  expect(results).toEqual([
    expect.stringContaining("✅ User completed the URL elicitation flow"),
    expect.stringContaining("wants a page to be visited before the call, and nobody did"),
  ]);
});
