// Results without end.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createToolkit } from "agentchart";
import { mcp } from "agentchart/mcp";

const CHUNK = "x".repeat(1_000_000);

/** A server whose tool answers with a result of 1 GB; `sent` is how much of it a client took. */
async function endlessServer(isStream: boolean) {
  const sent = { bytes: 0 };
  const endless = async (id: unknown, response: ServerResponse): Promise<void> => {
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.write(isStream ? `data: ${head}` : head);
    const closed = once(response, "close");
    for (; sent.bytes < 1_000_000_000 && !response.destroyed; sent.bytes += CHUNK.length)
      if (!response.write(CHUNK)) await Promise.race([once(response, "drain"), closed]);
    response.end('"}]}}\n\n');
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { id, method, params } = JSON.parse(body) as {
      readonly id?: unknown;
      readonly method: string;
      readonly params?: { readonly name?: string; readonly protocolVersion?: string };
    };
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/call" && params?.name === "endless") return endless(id, response);
    const results: { readonly [method: string]: unknown } = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "big", version: "1" },
      },
      "tools/list": {
        tools: ["endless", "small"].map((name) => ({ name, inputSchema: { type: "object" } })),
      },
      "tools/call": { content: [{ type: "text", text: "small" }] },
    };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sent };
}

test.each([
  ["as JSON", false],
  ["as an event of a stream", true],
])("of a result of 1 GB %s no more is taken than may be, and the next call works", async (_, isStream) => {
  const { url, sent } = await endlessServer(isStream);
  const server = await mcp({ url, era: "legacy", maxResultBytes: 2_000_000 });
  onTestFinished(server.close);
  const toolkit = createToolkit({ tools: server.tools() });
  expect(await toolkit.invoke("big__endless", {})).toMatchObject({
    state: "error",
    code: "tool/failed",
    output: [{ text: expect.stringContaining("more than 2000000 bytes") as string }],
  });
  expect(sent.bytes).toBeLessThan(50_000_000);
  expect(await toolkit.invoke("big__small", {})).toMatchObject({ state: "success" });
});
