// The routes of sessions.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, suspend, textOf, type ChatModel, type SessionStore, type StreamPart } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { createWorker, type WorkerAgents } from "agentchart/worker";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { toolOf } from "../support/agents.ts";
import { createSession, openServer, TOKENS, type TestServer } from "./open-server.ts";
import { readEvents, type Frame } from "./read-events.ts";
import { scriptModel } from "./script-model.ts";

type Session = {
  readonly phase: string;
  readonly reason?: string;
  readonly waitsFor: readonly string[];
  readonly pending: readonly { readonly callId: string; readonly argsHash: string; readonly input: object }[];
};

const paid: object[] = [];
const pay = toolOf("pay", (input) => `paid ${paid.push(input)}`, { permission: "ask" });
const nights = {
  id: "nights",
  kind: "form",
  message: "How many nights?",
  schema: { type: "integer" },
} as const;
const book = toolOf("book", (_, { resumed }) =>
  resumed
    ? JSON.stringify(resumed)
    : suspend("It asks.", { then: "resume", state: { price: 9 }, asks: [nights] }),
);
const wait = toolOf(
  "wait",
  (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("cut"))),
);

/** Whether the test has received a delta of the model. */
let isReceived = false;

/** Counts until the test has received a delta. */
async function* counting(): AsyncGenerator<StreamPart> {
  for (let n = 0; !isReceived; n++) {
    yield { type: "text.delta", delta: `${n} ` };
    await sleep(20);
  }
  yield { type: "text.delta", delta: "done" };
  yield { type: "finish", reason: "stop" };
}

/** Ends the tool "nap". */
let awake = Promise.withResolvers<string>();

/** A model that says much, and little of what was said. */
const talkative: ChatModel = {
  name: "talkative",
  async *stream({ messages }) {
    const sumsUp = textOf(messages.at(-1)!).includes("Another model will go on");
    yield { type: "text.delta", delta: sumsUp ? "They have talked." : "words ".repeat(100) };
    yield { type: "finish", reason: "stop" };
  },
};

const ask = { calls: [{ id: "c1", name: "pay", input: { euros: 7 } }] };
const AGENTS: WorkerAgents = {
  desk: () => ({ name: "desk", model: scriptModel(ask, "It is paid"), tools: [pay] as never }),
  slow: () => ({
    name: "slow",
    model: scriptModel({ calls: [{ name: "wait" }] }, "Done"),
    tools: [wait] as never,
  }),
  dear: () => ({
    name: "dear",
    model: scriptModel({ calls: [{ name: "look" }] }, "Dear"),
    tools: [toolOf("look", () => "seen")] as never,
    budget: { modelCalls: 1 },
  }),
  steered: () => ({
    name: "steered",
    model: scriptModel({ calls: [{ name: "nap" }] }, "Left it is"),
    tools: [toolOf("nap", () => awake.promise)] as never,
  }),
  hotel: () => ({
    name: "hotel",
    model: scriptModel({ calls: [{ id: "c1", name: "book" }] }, "It is booked"),
    tools: [book] as never,
  }),
  long: () => ({
    name: "long",
    model: talkative,
    compaction: { keepRecentTokens: 1 },
  }),
  words: () => ({ name: "words", model: scriptModel(counting) }),
};

async function openServerWithWorker(): Promise<TestServer> {
  const server = openServer();
  const worker = createWorker({ queue: server.queue, store: server.store, agents: AGENTS, sweepMs: 200 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  return server;
}

const sessionOf = async (server: TestServer, id: string): Promise<Session> =>
  (await (await server.request("GET", `/v1/sessions/${id}`)).json()) as Session;
const viewsOf = async ({ store }: TestServer, id: string): Promise<string> => {
  const entries: unknown[] = [];
  for await (const entry of store.read(`acme/${id}`)) entries.push(entry);
  return JSON.stringify(entries);
};
const phaseOf = async (server: TestServer, id: string): Promise<string> =>
  (await sessionOf(server, id)).phase;
const post = async (server: TestServer, path: string, body: object, headers = {}) => {
  const response = await server.request("POST", `/v1/sessions/${path}`, { body, headers });
  return [response.status, ((await response.json()) as { state?: string }).state];
};

test("POST /decisions approves a call once, and the turn continues to its end", async () => {
  paid.length = 0;
  const server = await openServerWithWorker();
  const id = await createSession(server);
  await expect.poll(() => phaseOf(server, id)).toBe("suspended");
  const waiting = await sessionOf(server, id);
  expect(waiting).toMatchObject({ waitsFor: ["approval"], pending: [{ callId: "c1", input: { euros: 7 } }] });
  expect(paid).toEqual([]);

  const { callId, argsHash } = waiting.pending[0]!;
  const body = { callId, argsHash, decision: "approve" };
  const key = { "Idempotency-Key": "decided" };
  expect(await post(server, `${id}/decisions`, body, key)).toEqual([202, "accepted"]);
  expect(await post(server, `${id}/decisions`, body, key)).toEqual([202, "duplicate"]);
  await expect.poll(() => phaseOf(server, id)).toBe("stopped");
  expect(paid).toEqual([{ euros: 7 }]);
  const entries = JSON.stringify(await collectAll(server.store.read(`acme/${id}`)));
  expect(entries).toContain('"decidedBy":"acme"'); // the token has no name of its own

  const page = await (await server.request("GET", `/v1/sessions/${id}/messages`)).json();
  expect(page).toMatchObject({
    total: 4,
    messages: [
      { role: "user", content: [{ text: "Hello" }] },
      { role: "assistant", content: [{ type: "tool_use", name: "pay" }] },
      { role: "tool", content: [{ type: "tool_result", state: "success" }] },
      { role: "assistant", content: [{ text: "It is paid" }] },
    ],
  });
  const second = await (await server.request("GET", `/v1/sessions/${id}/messages?after=3&limit=1`)).json();
  expect(second).toMatchObject({ total: 4, messages: [{ content: [{ text: "It is paid" }] }] });
});

test("POST /decisions answers a question of a call, and a worker goes on with it", async () => {
  const server = await openServerWithWorker();
  const id = await createSession(server, { body: { agent: "hotel", input: "A room." } });
  await expect.poll(() => phaseOf(server, id)).toBe("suspended");
  const waiting = await sessionOf(server, id);
  expect(waiting).toMatchObject({
    waitsFor: ["answer"],
    pending: [{ callId: "c1/nights", ask: { kind: "form" }, answerSchema: { type: "integer" } }],
  });
  const { callId, argsHash } = waiting.pending[0]!;
  await post(server, `${id}/decisions`, { callId, argsHash, decision: { respond: "two" } });
  await post(server, `${id}/decisions`, { callId, argsHash, decision: { respond: 2 } });
  await expect.poll(() => phaseOf(server, id)).toBe("stopped");
  const entries = JSON.stringify(await collectAll(server.store.read(`acme/${id}`)));
  expect(entries).toContain(
    JSON.stringify('{"round":1,"state":{"price":9},"answers":{"nights":{"respond":2}}}'),
  );
  expect(entries).toContain('"code":"run/bad-results"'); // of the answer that is not a number
});

test("POST /decisions answers the only question of a call under the id of the call too", async () => {
  const server = await openServerWithWorker();
  const id = await createSession(server, { body: { agent: "hotel", input: "A room." } });
  await expect.poll(() => phaseOf(server, id)).toBe("suspended");
  const { argsHash } = (await sessionOf(server, id)).pending[0]!;
  const answer = { callId: "c1", argsHash, decision: { respond: 2 } };
  expect(await post(server, `${id}/decisions`, { ...answer, callId: "c" })).toEqual([409, undefined]);
  expect(await post(server, `${id}/decisions`, answer)).toEqual([202, "accepted"]);
  await expect.poll(() => phaseOf(server, id)).toBe("stopped");
  expect(JSON.stringify(await collectAll(server.store.read(`acme/${id}`)))).toContain('"respond":2');
});

test("POST /decisions behind an interrupt that no worker has taken yet is refused with the event input.refused", async () => {
  paid.length = 0;
  const server = openServer();
  const drive = async () => {
    const worker = createWorker({ queue: server.queue, store: server.store, agents: AGENTS, sweepMs: 200 });
    onTestFinished(() => worker.close({ deadlineMs: 100 }));
    await worker.start();
    return worker;
  };
  const first = await drive();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  const id = await createSession(server);
  await expect.poll(() => phaseOf(server, id)).toBe("suspended");
  await first.close();
  const { callId, argsHash } = (await sessionOf(server, id)).pending[0]!;
  const approval = { callId, argsHash, decision: "approve" };
  expect(await post(server, `${id}/interrupt`, {})).toEqual([202, "accepted"]);
  expect(await post(server, `${id}/decisions`, approval)).toEqual([202, "accepted"]);
  const isLast = (frames: readonly Frame[]) => frames.some(({ event }) => event?.type === "input.refused");
  const reading = readEvents(`${url}/v1/sessions/${id}/events`, { token: TOKENS.acme, until: isLast });
  await drive();
  expect((await reading).at(-1)).toMatchObject({ event: { error: { code: "run/bad-results" } } });
  expect([await phaseOf(server, id), paid]).toEqual(["stopped", []]);
  expect(await post(server, `${id}/decisions`, approval)).toEqual([409, undefined]);
});

test("The event stream has deltas without ids and messages with ids", async () => {
  const server = await openServerWithWorker();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  isReceived = false;
  const id = await createSession(server, { body: { agent: "words", input: "Count" } });
  const frames = await readEvents(`${url}/v1/sessions/${id}/events`, {
    token: TOKENS.acme,
    until: (all) => {
      isReceived ||= all.some(({ event }) => event?.type === "block.delta");
      return all.some(({ event }) => event?.type === "turn.end");
    },
  });
  const deltas = frames.filter(({ event }) => event?.type === "block.delta");
  expect(deltas.every((frame) => frame.id === undefined)).toBe(true);
  const facts = frames.filter((frame) => frame.id !== undefined);
  expect(facts.map(({ event }) => event?.type)).toEqual(["message", "message", "turn.end"]);
  expect(JSON.stringify(facts[1])).toMatch(/"0 .*done"/);
});

test("POST /interrupt ends the running turn with a message", async () => {
  const server = await openServerWithWorker();
  const id = await createSession(server, { body: { agent: "slow", input: "Hello" } });
  await expect.poll(() => phaseOf(server, id)).toBe("running");
  expect(await post(server, `${id}/interrupt`, { message: "Stop it" })).toEqual([202, "accepted"]);
  await expect.poll(async () => (await sessionOf(server, id)).reason).toBe("INTERRUPTED");
  const page = await (await server.request("GET", `/v1/sessions/${id}/messages`)).text();
  expect(page).toContain("Stop it");
});

test("POST /cancel drops the inputs behind the running turn", async () => {
  const server = await openServerWithWorker();
  const id = await createSession(server, { body: { agent: "slow", input: "Hello" } });
  await expect.poll(() => phaseOf(server, id)).toBe("running");
  await post(server, `${id}/messages`, { input: "Dropped" });
  expect(await post(server, `${id}/cancel`, {})).toEqual([202, "accepted"]);
  await expect.poll(async () => (await sessionOf(server, id)).reason).toBe("INTERRUPTED");
  await expect.poll(async () => server.store.takeInputs(`acme/${id}`, 10)).toEqual([]);
  const page = await (await server.request("GET", `/v1/sessions/${id}/messages`)).text();
  expect(page).not.toContain("Dropped");
});

test("POST /budget continues a turn that exceeded its budget", async () => {
  const server = await openServerWithWorker();
  const id = await createSession(server, { body: { agent: "dear", input: "Hello" } });
  await expect.poll(() => sessionOf(server, id)).toMatchObject({ phase: "suspended", waitsFor: ["budget"] });
  const none = await server.request("POST", `/v1/sessions/${id}/budget`, { body: {} });
  expect([none.status, await none.json()]).toMatchObject([400, { detail: "json: at least one limit" }]);
  expect(await post(server, `${id}/budget`, { modelCalls: 1 })).toEqual([202, "accepted"]);
  await expect.poll(() => sessionOf(server, id)).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
  expect(await (await server.request("GET", `/v1/sessions/${id}/messages`)).text()).toContain("Dear");
});

test("POST /compact sums up the conversation once no turn runs", async () => {
  const server = await openServerWithWorker();
  const id = await createSession(server, { body: { agent: "long", input: "Hello" } });
  await post(server, `${id}/messages`, { input: "And then?" });
  expect(await post(server, `${id}/compact`, { instructions: "Keep the colours." })).toEqual([
    202,
    "accepted",
  ]);
  await expect.poll(() => server.store.takeInputs(`acme/${id}`, 10)).toEqual([]);
  await expect.poll(() => viewsOf(server, id)).toContain("They have talked.");
  const wrong = await server.request("POST", `/v1/sessions/${id}/compact`, { body: { instruction: "x" } });
  expect(wrong.status).toBe(400);
  const page = await (await server.request("GET", `/v1/sessions/${id}/messages`)).text();
  expect(page).not.toContain("They have talked.");
});

test("POST /steer adds a message to the next model call of the running turn", async () => {
  awake = Promise.withResolvers();
  const server = await openServerWithWorker();
  const id = await createSession(server, { body: { agent: "steered", input: "Hello" } });
  await expect.poll(() => phaseOf(server, id)).toBe("running");
  expect(await post(server, `${id}/steer`, { input: "Go left" })).toEqual([202, "accepted"]);
  await expect.poll(() => server.store.takeInputs(`acme/${id}`, 10)).toEqual([]);
  awake.resolve("slept");
  await expect.poll(() => phaseOf(server, id)).toBe("stopped");
  const page = await server.request("GET", `/v1/sessions/${id}/messages`);
  expect(await page.json()).toMatchObject({
    messages: [{}, {}, { role: "tool" }, { role: "user", content: [{ text: "Go left" }] }, {}],
  });
});

test("GET /messages and the status of a suspended session read few entries of a long journal", async () => {
  const inner = memoryStore();
  let read = 0;
  const store: SessionStore = {
    ...inner,
    async *read(...args) {
      for await (const entry of inner.read(...args)) {
        read++;
        yield entry;
      }
    },
  };
  const server = openServer({ store });
  const id = await createSession(server, { body: { agent: "desk", input: "Hello" } });
  const asks = Array.from({ length: 100 }, () => "hello");
  const agent = createAgent({
    name: "desk",
    model: scriptedModel([...asks, ask]),
    tools: [pay],
    store,
    sessionId: `acme/${id}`,
    meta: { tenant: "acme", agent: "desk" },
  });
  for (let turn = 0; turn < 101; turn++) await agent.call(`turn ${turn}`);
  await agent.close();
  const { seq } = (await store.load(`acme/${id}`))!;
  read = 0;
  const page = await (await server.request("GET", `/v1/sessions/${id}/messages?after=50&limit=2`)).json();
  expect(page).toMatchObject({ total: 202, messages: [{ role: "user" }, { role: "assistant" }] });
  expect(read).toBeLessThan(seq / 6);
  read = 0;
  expect(await sessionOf(server, id)).toMatchObject({ phase: "suspended", pending: [{ callId: "c1" }] });
  expect(read).toBeLessThan(10);
});
