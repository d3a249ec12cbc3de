// Traces over the boundary of an MCP server.
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { mcp } from "agentchart/mcp";
import { otelObserver } from "agentchart/otel";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { recordedSpans, useContexts } from "../support/spans.ts";

beforeAll(useContexts);

test("a call of a tool of an MCP server tells the server the span in which it runs, and nothing if it has none", async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "shop", version: "1" });
    server.registerTool("buy", { description: "Buys.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: "bought" }],
    }));
    return server;
  });
  const seen: unknown[] = [];
  const { url, close } = await serve({
    fetch: async (request) => {
      const body = (await request
        .clone()
        .json()
        .catch(() => ({}))) as { readonly method?: string; readonly params?: { readonly _meta?: object } };
      if (body.method === "tools/call") seen.push(body.params?._meta);
      return handler.fetch(request);
    },
  });
  const server = await mcp({ url });
  onTestFinished(async () => {
    await server.close();
    await close();
  });
  const { tracer, spans } = recordedSpans();
  const turns = [{ calls: [{ id: "c1", name: "shop__buy", input: {} }] }, "Bought."];
  const base = { name: "buyer", tools: server.tools() };
  const traced = { ...base, model: scriptedModel(turns), otel: otelObserver({ tracer }) };
  await createAgent(traced).call("Buy.");
  await createAgent({ ...base, model: scriptedModel(turns) }).call("Buy.");
  const { traceId, spanId } = spans()
    .find(({ name }) => name === "execute_tool shop__buy")!
    .spanContext();
  expect(seen).toHaveLength(2);
  expect(seen[0]).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
  expect(JSON.stringify(seen[1])).not.toContain("traceparent");
});
