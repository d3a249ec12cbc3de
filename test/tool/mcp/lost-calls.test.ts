// Calls that are cancelled, time out or lose their connection.
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, createToolkit } from "agentchart";
import { mcp, type McpEvent, type McpOptions } from "agentchart/mcp";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { outputOf, resultsOf } from "../../support/agents.ts";

async function odd(options: McpOptions = {}, ...args: string[]) {
  const program = join(import.meta.dirname, "odd-server.mjs");
  const server = await mcp({ name: "odd", command: process.execPath, args: [program, ...args], ...options });
  onTestFinished(() => server.close());
  return { server, toolkit: createToolkit({ tools: server.tools() }) };
}

/** A file that is not there yet, by which a server knows that it was started before. */
function marker(): string {
  const file = join(tmpdir(), `odd-${randomUUID()}`);
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}

test("a call that is interrupted or takes too long is cancelled at a legacy server", async () => {
  const { server, toolkit } = await odd({ timeoutMs: 500 });
  const stop = new AbortController();
  const interrupted = toolkit.invoke("odd__hang", {}, { signal: stop.signal });
  stop.abort();
  expect(await interrupted).toMatchObject({ state: "interrupted" });
  const model = scriptedModel([{ calls: [{ name: "odd__hang", input: {} }] }, "Done."]);
  const agent = createAgent({ name: "a", model, tools: server.tools() });
  await agent.call("go");
  expect(resultsOf(await agent.messages())).toMatchObject([{ state: "error", code: "tool/timeout" }]);
  const cancelled = async (): Promise<string> => outputOf(await toolkit.invoke("odd__cancelled", {}));
  await expect.poll(cancelled).toMatch(/^[12]$/);
});

/** A server of the revision 2026-07-28 that is at a port only while it is `up`. */
async function modern() {
  const calls: AbortSignal[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "modern", version: "1" });
    server.registerTool("hang", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
      calls.push(mcpReq.signal);
      return new Promise(() => {});
    });
    server.registerTool("small", { inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: "small" }],
    }));
    return server;
  });
  const up = async (port = 0) => {
    const site = await serve({ fetch: (request) => handler.fetch(request) }, { port });
    onTestFinished(site.close);
    return site;
  };
  return { calls, up };
}

test("a call that is interrupted is cancelled at a modern server", async () => {
  const { calls, up } = await modern();
  const server = await mcp({ url: (await up()).url });
  onTestFinished(() => server.close());
  const stop = new AbortController();
  const interrupted = createToolkit({ tools: server.tools() }).invoke(
    "modern__hang",
    {},
    { signal: stop.signal },
  );
  await expect.poll(() => calls.length).toBe(1);
  stop.abort();
  expect(await interrupted).toMatchObject({ state: "interrupted" });
  await expect.poll(() => calls[0]!.aborted).toBe(true);
});

test("a call to a server over HTTP that is down fails, and the next one finds it again", async () => {
  const { up } = await modern();
  const { url, close } = await up();
  const server = await mcp({ url });
  onTestFinished(() => server.close());
  const toolkit = createToolkit({ tools: server.tools() });
  await close();
  const down = { state: "error", code: "tool/failed" };
  expect(await toolkit.invoke("modern__small", {})).toMatchObject(down);
  await up(Number(new URL(url).port));
  expect(outputOf(await toolkit.invoke("modern__small", {}))).toBe("small");
  await server.close();
  expect(server.status).toBe("closed");
  expect(await toolkit.invoke("modern__small", {})).toMatchObject({ state: "error", code: "tool/failed" });
});

test("a program that was lost is started again until it starts, and the call is made then", async () => {
  const starts = marker();
  const { server, toolkit } = await odd({}, "starts late", starts);
  expect(server.status).toBe("connected");
  expect(await toolkit.invoke("odd__die", {})).toMatchObject({ state: "error" });
  expect(server.status).toBe("disconnected");
  expect(outputOf(await toolkit.invoke("odd__small", {}))).toBe("small");
  expect(readFileSync(starts, "utf8")).toBe("xxxx");
});

test("the late end of a program that was given up does not end the one that has taken its place", async () => {
  const log = marker();
  const lost: string[] = [];
  const onEvent = ({ type, message }: McpEvent): void => void (type === "disconnected" && lost.push(message));
  const { toolkit } = await odd({ maxResultBytes: 2_000_000, onEvent }, "ends slowly", log);
  expect(await toolkit.invoke("odd__gigabyte", {})).toMatchObject({ state: "error" });
  expect(outputOf(await toolkit.invoke("odd__small", {}))).toBe("small");
  await expect.poll(() => readFileSync(log, "utf8")).toContain("ended");
  for (let calls = 0; calls < 20; calls++)
    expect(outputOf(await toolkit.invoke("odd__small", {}))).toBe("small");
  expect(readFileSync(log, "utf8")).toBe("began began ended ");
  expect(lost).toEqual([expect.stringContaining("more than 2000000 bytes")]);
});

test.each([404, 400])(
  "a call whose session is forgotten by its server (%i) is made in a new one",
  async (status) => {
    let session = 0;
    const calls: string[] = [];
    const { url, close } = await serve({
      fetch: async (request) => {
        if (request.method !== "POST") return new Response(null, { status: 405 });
        const { id, method, params } = (await request.json()) as {
          readonly id?: number;
          readonly method: string;
          readonly params?: { readonly protocolVersion?: string };
        };
        if (method === "initialize") session++;
        const given = method === "initialize" ? `s${session}` : request.headers.get("mcp-session-id");
        if (method === "tools/call") calls.push(String(given));
        if (given !== `s${session}` || (method === "tools/call" && session === 1))
          return new Response("No valid session", { status });
        if (id === undefined) return new Response(null, { status: 202 });
        const serverInfo = { name: "old", version: "1" };
        const results: { readonly [method: string]: unknown } = {
          initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
          "tools/list": { tools: [{ name: "it", inputSchema: { type: "object" } }] },
          "tools/call": { content: [{ type: "text", text: "did it" }] },
        };
        const headers = { "mcp-session-id": given };
        return Response.json({ jsonrpc: "2.0", id, result: results[method] }, { headers });
      },
    });
    onTestFinished(close);
    const server = await mcp({ url, era: "legacy" });
    onTestFinished(() => server.close());
    const result = await createToolkit({ tools: server.tools() }).invoke("old__it", {});
    expect(outputOf(result)).toBe("did it");
    expect(calls).toEqual(["s1", "s2"]);
  },
);

test("a call whose server dies is repeated if the tool is idempotent and trusted, and else its outcome is unknown", async () => {
  const turns = [{ calls: [{ name: "odd__once", input: {} }] }, "Done."];
  const resultOf = async (options: McpOptions) => {
    const { server } = await odd(options, "", marker());
    const agent = createAgent({ name: "a", model: scriptedModel(turns), tools: server.tools() });
    await agent.call("go");
    return resultsOf(await agent.messages())[0]!;
  };
  expect(await resultOf({ trust: true })).toMatchObject({
    state: "success",
    output: [{ text: "ran again" }],
  });
  const unknown = await resultOf({});
  expect(unknown).toMatchObject({ state: "error" });
  expect(outputOf(unknown)).toContain("it may have taken effect");
});

test("an error that a server answers with is the text of the result", async () => {
  const { toolkit } = await odd();
  const result = await toolkit.invoke("odd__refuse", {});
  expect(result).toMatchObject({ state: "error", code: "tool/failed" });
  expect(outputOf(result)).toBe("Error: MCP tool error: No.");
});
