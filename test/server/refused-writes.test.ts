// Writes that an agent refuses.
import { expect, onTestFinished, test } from "vitest";
import { defineSlot, type AgentConfig, type AnyAgentConfig, type Slot } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createWorker } from "agentchart/worker";
import { DrivenSession } from "../../src/agent/create-agent.ts";
import { refusedInTime } from "../../src/server/tenant-sessions.ts";
import { toolOf } from "../support/agents.ts";
import { createSession, openServer, type TestServer } from "./open-server.ts";

const LONG_MS = 600_000;
const schema = { type: "number" } as const;
const shared = defineSlot<number>({ name: "shared", initial: 0, schema, writableByClients: true } as never);
const own = defineSlot<number>({ name: "own", initial: 0 });
const pay = toolOf("pay", () => "paid", {
  permission: "ask",
  input: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] },
} as never);
const config = (): AgentConfig => ({
  name: "desk",
  model: scriptedModel([{ calls: [{ id: "c1", name: "pay", input: { euros: 1 } }] }, "Paid."]),
  tools: [pay],
  sessionOptions: { slots: [shared, own] as readonly Slot[] },
});

type Status = { readonly phase: string; readonly pending: readonly { readonly argsHash: string }[] };

async function withWorker(): Promise<{
  readonly server: TestServer;
  readonly id: string;
  readonly argsHash: string;
}> {
  const server = openServer();
  const { queue, store } = server;
  const worker = createWorker({ queue, store, agents: { desk: config }, sweepMs: 100, pollMs: 20 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const id = await createSession(server);
  const status = async () => (await (await server.request("GET", `/v1/sessions/${id}`)).json()) as Status;
  await expect.poll(async () => (await status()).phase).toBe("suspended");
  return { server, id, argsHash: (await status()).pending[0]!.argsHash };
}

/** Sends a request until a worker has answered it in time, and returns the status and the code of that answer. */
async function answerOf(
  server: TestServer,
  [method, path, body]: readonly [method: string, path: string, body: unknown],
): Promise<unknown> {
  for (;;) {
    const response = await server.request(method, path, { body });
    const { code } = (await response.json()) as { readonly code?: string };
    if (response.status !== 202) return [response.status, code];
  }
}

test("a write that the agent refuses is refused at once if a worker is there", async () => {
  const { server, id, argsHash } = await withWorker();
  const slot = (name: string, body: object) =>
    answerOf(server, ["PUT", `/v1/sessions/${id}/slots/${name}`, body]);
  expect(await slot("own", { value: 1 })).toEqual([403, "slot/read-only"]);
  expect(await slot("unknown", { value: 1 })).toEqual([400, "config/invalid"]);
  expect(await slot("shared", { value: "one" })).toEqual([400, "slot/invalid"]);
  const edit = { callId: "c1", argsHash, decision: { edit: { euros: "one" } } };
  expect(await answerOf(server, ["POST", `/v1/sessions/${id}/decisions`, edit])).toEqual([
    400,
    "run/bad-decision",
  ]);
  const written = await server.request("PUT", `/v1/sessions/${id}/slots/shared`, { body: { value: 1 } });
  expect(written.status).toBe(202);
  const good = { ...edit, decision: { edit: { euros: 2 } } };
  expect((await server.request("POST", `/v1/sessions/${id}/decisions`, { body: good })).status).toBe(202);
});

test("a write is accepted while no worker is there", async () => {
  const server = openServer();
  const id = await createSession(server);
  const response = await server.request("PUT", `/v1/sessions/${id}/slots/own`, { body: { value: 1 } });
  expect(response.status).toBe(202);
});

test("what becomes of an input is heard from the append that takes it or refuses it", async () => {
  const store = memoryStore();
  const agent = new DrivenSession({ ...(config() as AnyAgentConfig), store, sessionId: "s" });
  await agent.call("Hello");
  const before = (await store.load("s"))!.seq;
  const wait = (id: string) => refusedInTime(store, "s", id, before, LONG_MS).then(() => "taken", String);
  const outcomes = Promise.all([wait("a"), wait("b")]);
  await agent.acknowledge("other");
  await agent.acknowledge("a");
  await agent.refuse("b", { code: "slot/read-only", message: "No." });
  expect(await outcomes).toEqual(["taken", expect.stringContaining("No.")]);
  expect(await wait("b")).toContain("No."); // also if it was refused meanwhile
  await agent.shutdown();
});

test("a session inside of a call takes nothing from clients", async () => {
  const server = openServer();
  const { store } = server;
  const sessionId = "acme/outer/c1";
  const { fence } = (await store.acquire(sessionId, { owner: "outer", ttlMs: 1_000 }))!;
  const meta = { tenant: "acme", parent: { sessionId: "acme/outer", callId: "c1" } };
  const entries = [{ seq: 1, at: 1, type: "session", data: { format: 3 } }];
  await store.append(sessionId, { fence, expectedSeq: 0, entries, position: { phase: "running", meta } });
  const id = encodeURIComponent("outer/c1");
  const requests: readonly (readonly [path: string, body: object, method?: string])[] = [
    ["messages", { input: "Hi" }],
    ["messages", { input: "Hi", agent: "desk" }],
    ["interrupt", {}],
    ["steer", { input: "Hi" }],
    ["cancel", {}],
    ["budget", { totalTokens: 1 }],
    ["compact", {}],
    ["slots/own", { value: 1 }, "PUT"],
  ];
  for (const [path, body, method = "POST"] of requests) {
    const response = await server.request(method, `/v1/sessions/${id}/${path}`, { body });
    expect([response.status, await response.json()], path).toMatchObject([409, { code: "session/inner" }]);
  }
  expect(await store.takeInputs(sessionId, 9)).toEqual([]);
});
