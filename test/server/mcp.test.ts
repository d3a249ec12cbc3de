// Agents as tools of MCP hosts.
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import {
  createAgent,
  defineTool,
  textOf,
  type ChatModel,
  type SessionStore,
  type StreamPart,
} from "agentchart";
import { mcp } from "agentchart/mcp";
import { createServer, serve, type Token } from "agentchart/server";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { z } from "zod";
import { outputOf, resultsOf } from "../support/agents.ts";

const TOKENS = {
  acme: "acme-token-of-the-mcp-tests",
  writer: "writer-token-of-the-mcp-tests",
  globex: "globex-token-of-the-mcp-tests",
} as const;
const ENTRIES: readonly Token[] = [
  { tenant: "acme", scopes: ["read", "write", "decide"], token: TOKENS.acme },
  { tenant: "acme", scopes: ["write"], token: TOKENS.writer, name: "writer" },
  { tenant: "globex", scopes: ["read", "write", "decide"], token: TOKENS.globex },
];

const refunds: number[] = [];
const begun = Promise.withResolvers<void>();
const interrupted = Promise.withResolvers<void>();
const refund = defineTool({
  name: "refund",
  description: "Pays money back.",
  input: z.object({ cents: z.int() }),
  permission: "ask",
  execute: ({ cents }) => {
    refunds.push(cents);
    return `Paid back ${cents}.`;
  },
});
/** A model that wants a refund for "refund…", answers "wait" never, and repeats other words. */
const model: ChatModel = {
  name: "desk",
  async *stream({ messages }, { signal }): AsyncGenerator<StreamPart> {
    const last = messages.at(-1)!;
    if (last.role === "user" && textOf(last) === "wait") {
      begun.resolve();
      await once(signal, "abort");
      interrupted.resolve();
      throw signal.reason;
    }
    const isRefund = last.role === "user" && textOf(last).startsWith("refund");
    if (isRefund)
      yield {
        type: "tool.delta",
        key: 0,
        id: `call-${messages.length}`,
        name: "refund",
        args: '{"cents":5}',
      };
    else yield { type: "text.delta", delta: last.role === "user" ? `You said ${textOf(last)}.` : "Settled." };
    yield { type: "finish", reason: isRefund ? "tool_calls" : "stop" };
  },
};
const desk = () => ({ name: "desk", model, tools: [refund] });

/** The server of one process: a worker with the agent, and HTTP. */
async function openProcess(store: SessionStore = memoryStore()) {
  refunds.length = 0;
  const queue = inProcessQueue();
  const worker = createWorker({ store, queue, agents: { desk, other: desk }, sweepMs: 100 });
  await worker.start();
  const app = createServer({
    dispatcher: createDispatcher({ store, queue }),
    store,
    tokens: ENTRIES,
    mcp: { agents: { desk: "Settles orders.", other: "Another." }, key: "k".repeat(32) },
  });
  const { url, close } = await serve(app);
  const end = async (): Promise<void> => {
    await Promise.all([close(), worker.close()]);
    await queue.close();
  };
  return { url: `${url}/mcp`, store, end };
}

async function connect(url: string, token: keyof typeof TOKENS = "acme", options: ClientOptions = {}) {
  const client = new Client(
    { name: "host", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      inputRequired: { autoFulfill: false },
      capabilities: { elicitation: { form: {}, url: {} } },
      ...options,
    },
  );
  const headers = { authorization: `Bearer ${TOKENS[token]}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

type Result = {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: { readonly [key: string]: { readonly params: { readonly message: string } } };
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly sessionId: string; readonly reason?: string };
  readonly isError?: boolean;
};
const call = async (client: Client, args: object, more: object = {}, name = "desk"): Promise<Result> =>
  (await client.callTool({ name, arguments: args, ...more } as never, {
    allowInputRequired: true,
  })) as Result;

async function open(store?: SessionStore) {
  const opened = await openProcess(store);
  onTestFinished(opened.end);
  return opened;
}

test("an agent is a tool, and a session goes on", async () => {
  const { url } = await open();
  const client = await connect(url);
  expect((await client.listTools()).tools).toMatchObject([
    { name: "desk", description: "Settles orders." },
    {},
  ]);
  const first = await call(client, { message: "hello" });
  expect(first).toMatchObject({
    content: [{ text: "You said hello." }],
    structuredContent: { reason: "MODEL_STOP" },
  });
  const session = first.structuredContent!.sessionId;
  const second = await call(client, { message: "again", session });
  expect(second).toMatchObject({
    content: [{ text: "You said again." }],
    structuredContent: { sessionId: session },
  });
});

test("an approval is asked at the host, and given in another process of the server", async () => {
  const store = memoryStore();
  const one = await openProcess(store);
  const asked = await call(await connect(one.url), { message: "refund" });
  expect(asked.resultType).toBe("input_required");
  expect(asked.inputRequests!["ask_1"]!.params.message).toMatch(
    /^Agent 'desk' wants to run refund {"cents":5}\n/,
  );
  await one.end();
  const two = await open(store);
  const client = await connect(two.url);
  const inputResponses = { ask_1: { action: "accept", content: { decision: "approve" } } };
  const { requestState } = asked;
  const done = await call(client, { message: "refund" }, { inputResponses, requestState });
  expect(done).toMatchObject({ content: [{ text: "Settled." }] });
  expect(refunds).toEqual([5]);
  await call(client, { message: "refund" }, { inputResponses, requestState }); // the answer counts once
  expect(refunds).toEqual([5]);
});

test("a host hears what an agent runs, and a call that it cancels interrupts the turn", async () => {
  const { url } = await open();
  const client = await connect(url);
  const { requestState } = await call(client, { message: "refund" });
  const inputResponses = { ask_1: { action: "accept", content: { decision: "approve" } } };
  const heard: unknown[] = [];
  const args = { name: "desk", arguments: {}, inputResponses, requestState } as never;
  await client.callTool(args, { allowInputRequired: true, onprogress: ({ message }) => heard.push(message) });
  expect(heard).toEqual(["runs refund", "refund: success"]);
  const stop = new AbortController();
  const { signal } = stop;
  const hanging = client.callTool({ name: "desk", arguments: { message: "wait" } }, { signal });
  hanging.catch(() => {});
  await begun.promise;
  stop.abort();
  await expect(hanging).rejects.toThrow();
  await interrupted.promise;
});

test("a host of an older revision is told over HTTP what waits", async () => {
  const { url } = await open();
  const client = await connect(url, "acme", { versionNegotiation: { mode: "legacy" } });
  const result = await call(client, { message: "refund" });
  expect(result.content![0]!.text).toContain("waits for a person: refund");
  expect(refunds).toEqual([]);
});

test("a person may deny, and a person who closes the form decides nothing", async () => {
  const { url } = await open();
  const client = await connect(url);
  const { requestState } = await call(client, { message: "refund" });
  const cancelled = await call(client, {}, { inputResponses: { ask_1: { action: "cancel" } }, requestState });
  expect(cancelled.content![0]!.text).toContain("waits for a person: refund");
  const session = cancelled.structuredContent!.sessionId;
  const again = await call(client, { session });
  expect(again.resultType).toBe("input_required");
  const denied = { ask_1: { action: "accept", content: { decision: "deny", reason: "too much" } } };
  expect(
    await call(client, { session }, { inputResponses: denied, requestState: again.requestState }),
  ).toMatchObject({
    content: [{ text: "Settled." }],
  });
  expect(refunds).toEqual([]);
});

test("arguments, a forged state, and a state of another tenant approve nothing", async () => {
  const { url } = await open();
  const client = await connect(url);
  const { requestState } = await call(client, { message: "refund" });
  const inputResponses = { ask_1: { action: "accept", content: { decision: "approve" } } };
  const unsigned = await call(client, { message: "approve" }, { inputResponses });
  expect(unsigned).toMatchObject({ content: [{ text: "You said approve." }] });
  const forged = `${requestState!.slice(0, -2)}xx`;
  await expect(call(client, {}, { inputResponses, requestState: forged })).rejects.toThrow("requestState");
  const foreign = await connect(url, "globex");
  await expect(call(foreign, {}, { inputResponses, requestState })).rejects.toThrow("requestState");
  const writer = await connect(url, "writer");
  expect(await call(writer, {}, { inputResponses, requestState })).toMatchObject({ isError: true });
  expect(await call(client, { approve: true, message: "refund" })).toMatchObject({ isError: true });
  expect(refunds).toEqual([]);
});

test("a host that cannot ask, or may not decide, is told what waits", async () => {
  const { url } = await open();
  for (const client of [await connect(url, "writer"), await connect(url, "acme", { capabilities: {} })]) {
    const result = await call(client, { message: "refund" });
    expect(result.content![0]!.text).toContain("waits for a person: refund");
    expect(result.structuredContent).toMatchObject({ reason: "APPROVAL_REQUIRED" });
  }
});

test("sessions of other tenants, of other agents and of no one do not exist", async () => {
  const { url } = await open();
  const first = await call(await connect(url), { message: "hello" });
  const session = first.structuredContent!.sessionId;
  const foreign = await connect(url, "globex");
  for (const [client, id, name] of [
    [foreign, session, "desk"],
    [foreign, "../acme", "desk"],
    [await connect(url), session, "other"],
    [await connect(url), "nothing", "desk"],
  ] as const)
    expect(await call(client, { message: "hello", session: id }, {}, name)).toMatchObject({ isError: true });
});

test("a request without a token is refused", async () => {
  const { url } = await open();
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
});

test("an agent of our own uses the server, and its turn rests with the question of the other agent", async () => {
  const { url } = await open();
  const server = await mcp({ name: "far", url, headers: { authorization: `Bearer ${TOKENS.acme}` } });
  onTestFinished(() => server.close());
  const script = scriptedModel([
    { calls: [{ id: "c", name: "far__desk", input: { message: "refund" } }] },
    "End.",
  ]);
  const agent = createAgent({ name: "near", model: script, tools: server.tools({ only: ["desk"] }) });
  expect((await agent.call("go")).pending).toMatchObject([{ callId: "c/ask_1", ask: { kind: "form" } }]);
  await agent.decide("c/ask_1", { respond: { decision: "approve" } });
  expect((await agent.call()).text).toBe("End.");
  expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(["Settled."]);
  expect(refunds).toEqual([5]);
});
