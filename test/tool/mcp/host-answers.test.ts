// Sampling, roots and what else a server may ask.
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, createToolkit } from "agentchart";
import { mcp, type McpOptions } from "agentchart/mcp";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { outputOf, resultsOf } from "../../support/agents.ts";

/** A connection to a server with these tools. */
async function open(register: (server: McpServer) => void, options: McpOptions = {}) {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "modern", version: "1" });
    register(server);
    return server;
  });
  const { url, close } = await serve({ fetch: (request) => handler.fetch(request) });
  const server = await mcp({ url, ...options });
  onTestFinished(async () => {
    await server.close();
    await close();
  });
  return { server, toolkit: createToolkit({ tools: server.tools() }) };
}

const sample = (maxTokens: number, text = "Hi") =>
  inputRequired.createMessage({ maxTokens, messages: [{ role: "user", content: { type: "text", text } }] });

const once = (request: () => ReturnType<typeof sample>) => (server: McpServer) =>
  void server.registerTool("ask", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const { it } = mcpReq.inputResponses ?? {};
    if (it === undefined) return inputRequired({ inputRequests: { it: request() } });
    return { content: [{ type: "text", text: JSON.stringify(it) }] };
  });

test("a server asks the model once, with no more tokens than allowed and without the conversation", async () => {
  const model = scriptedModel(["Hello."]);
  const { toolkit } = await open(
    once(() => sample(5_000)),
    { sampling: { model, maxTokens: 100 } },
  );
  expect(outputOf(await toolkit.invoke("modern__ask", {}))).toContain('"text":"Hello."');
  expect(model.requests).toMatchObject([
    { options: { maxTokens: 100 }, tools: [], messages: [{ role: "user" }] },
  ]);
});

test("a server is told the folders", async () => {
  const { toolkit } = await open(
    once(() => inputRequired.listRoots()),
    { roots: ["/a b"] },
  );
  expect(outputOf(await toolkit.invoke("modern__ask", {}))).toContain("file:///a%20b");
});

test("a server may ask neither unless it is configured", async () => {
  for (const request of [() => sample(10), () => inputRequired.listRoots()]) {
    const { toolkit } = await open(once(request));
    expect(await toolkit.invoke("modern__ask", {})).toMatchObject({ state: "error" });
  }
});

test("a server that asks the model again and again, or with a large text, fails its call", async () => {
  const model = scriptedModel(["a", "b", "c", "d"]);
  const storm = await open(
    (server) =>
      void server.registerTool("storm", { inputSchema: z.object({}) }, () =>
        inputRequired({ inputRequests: { it: sample(10) } }),
      ),
    { sampling: { model, maxCalls: 2 } },
  );
  expect(outputOf(await storm.toolkit.invoke("modern__storm", {}))).toContain(
    "more than 2 times in one call",
  );
  expect(model.requests).toHaveLength(2);
  const large = await open(
    once(() => sample(10, "x".repeat(200_000))),
    { sampling: { model } },
  );
  expect(outputOf(await large.toolkit.invoke("modern__ask", {}))).toContain("at most 100000 are sent");
  expect(model.requests).toHaveLength(2);
});

test("of 200 tools the model sees those that it searches for", async () => {
  const { server } = await open((many) => {
    for (let number = 0; number < 200; number++)
      many.registerTool(
        `tool_${number}`,
        { description: `Does work ${number}.`, inputSchema: z.object({}) },
        () => ({
          content: [{ type: "text", text: `did ${number}` }],
        }),
      );
  });
  const model = scriptedModel([
    { calls: [{ name: "search_tools", input: { query: "work 142" } }] },
    { calls: [{ name: "modern__tool_142", input: {} }] },
    "Done.",
  ]);
  const agent = createAgent({ name: "a", model, tools: server.tools({ deferred: true }) });
  expect((await agent.call("go")).text).toBe("Done.");
  expect(
    resultsOf(await agent.messages())
      .map(outputOf)
      .at(-1),
  ).toBe("did 142");
  const [first, second] = model.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(first).toEqual(["search_tools"]);
  expect(second).toContain("modern__tool_142");
  expect(second!.length).toBeLessThan(20);
});
