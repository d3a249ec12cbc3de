// Clients of a session whose agent cannot be made are told so.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { createWorker, type WorkerOptions } from "agentchart/worker";
import { Page } from "./ag-ui-client.ts";
import { Chat } from "./chat-client.ts";
import { openServer, TOKENS } from "./open-server.ts";

const FAILING: { readonly [what: string]: () => unknown } = {
  throws: () => {
    throw new Error("no such host");
  },
  rejects: () => Promise.reject(new Error("no such file")),
  "returns nothing": () => undefined,
  "has a misspelt option": () => ({ name: "desk", model: scriptedModel([]), maxIteration: 3 }),
};
const REFUSAL = "The agent 'desk' cannot be made: ";

async function open(made: { readonly [agent: string]: () => unknown }): Promise<string> {
  const agents = made as unknown as WorkerOptions["agents"];
  const server = openServer({ mcp: { agents: { desk: "Settles orders." }, key: "k".repeat(32) } });
  const { queue, store } = server;
  const worker = createWorker({ queue, store, agents, retryMs: 10, sweepMs: 100, unknownAgentMs: 1 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  return url;
}

const READERS: { readonly [name: string]: (url: string) => Promise<string> } = {
  "a chat page": async (url) => {
    const chat = new Chat({ url, id: "s", body: { agent: "desk" } });
    await chat.say("hi");
    return chat.error?.message ?? "";
  },
  "a page of AG-UI": async (url) => {
    const page = new Page(url, "s");
    let told = "";
    page.subscribe({ onRunErrorEvent: ({ event }) => void (told = event.message) });
    await page.say("hi").catch(() => {});
    return told;
  },
  "a host of MCP": async (url) => {
    const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const headers = { authorization: `Bearer ${TOKENS.acme}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
    );
    onTestFinished(() => client.close());
    return JSON.stringify(await client.callTool({ name: "desk", arguments: { message: "hi" } }));
  },
};

const CASES = Object.keys(READERS).flatMap((reader) =>
  Object.keys(FAILING).map((what) => [reader, what] as const),
);

test.for(CASES)("%s is told of the refusal if an agent's function %s", async ([reader, what]) => {
  const url = await open({ desk: FAILING[what]! });
  expect(await READERS[reader]!(url)).toContain(REFUSAL);
});

test.for(Object.keys(READERS))("%s is told of the refusal if no worker has the agent", async (reader) => {
  const url = await open({});
  expect(await READERS[reader]!(url)).toContain("No worker has the agent 'desk'.");
});
