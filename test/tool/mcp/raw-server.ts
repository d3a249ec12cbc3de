import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createAgent, type JsonObject, type ToolResultBlock } from "agentchart";
import { mcp, type McpEvent, type McpOptions, type McpServer } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import { resultsOf } from "../../support/agents.ts";

/** A request of the client. */
export type Asked = { readonly id: number; readonly method: string; readonly params?: JsonObject };

/** What a server answers to a method: whatever JSON it writes, or what it does with the response. */
export type Answers = {
  readonly [method: string]: unknown;
  readonly call?: (response: ServerResponse, asked: Asked, request: IncomingMessage) => void;
};

const object = { type: "object" };
const TOOL = { name: "t", inputSchema: object };

/** What a server says that keeps to the protocol. */
export const RESULTS: { readonly [method: string]: JsonObject } = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "raw", version: "1" },
  },
  "tools/list": { tools: [TOOL] },
  "tools/call": { content: [{ type: "text", text: "fine" }] },
};

/** Starts a server over HTTP that answers as it is told, and as the protocol wants otherwise. */
export async function rawSite(
  answers: Answers = {},
): Promise<{ readonly url: string; readonly calls: () => number }> {
  let calls = 0;
  const site = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      if (request.method !== "POST") return void response.writeHead(405).end();
      const asked = JSON.parse(body) as Asked;
      if (asked.id === undefined) return void response.writeHead(202).end();
      const { id, method } = asked;
      if (method === "tools/call") {
        calls++;
        if (answers.call) return answers.call(response, asked, request);
      }
      response.writeHead(200, { "content-type": "application/json" });
      const own = RESULTS[method];
      const answer =
        method in answers
          ? answers[method]
          : own
            ? { result: own }
            : { error: { code: -32_601, message: "no" } };
      const message =
        typeof answer === "object" && answer !== null ? { jsonrpc: "2.0", id, ...answer } : answer;
      response.end(JSON.stringify(message));
    });
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  return { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/mcp`, calls: () => calls };
}

export type Opened = {
  readonly server: McpServer;
  readonly events: readonly McpEvent[];
  /** Has an agent call the first tool, and returns its result. */
  readonly call: (input?: JsonObject) => Promise<ToolResultBlock>;
};

/** Opens a server; it is closed at the end of the test. */
export async function opened(options: McpOptions): Promise<Opened> {
  const events: McpEvent[] = [];
  const server = await mcp({
    name: "raw",
    era: "legacy",
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => server.close());
  const call = async (input: JsonObject = {}): Promise<ToolResultBlock> => {
    const tools = server.tools();
    const model = scriptedModel([{ calls: [{ name: tools[0]?.name ?? "none", input }] }, "Done."]);
    const agent = createAgent({ name: "a", model, tools });
    await agent.call("go");
    return resultsOf(await agent.messages())[0]!;
  };
  return { server, events, call };
}
