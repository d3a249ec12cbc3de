// Streams of events that are cut, and go on without a gap.
import { expect, onTestFinished, test } from "vitest";
import { userMsg, type AgentEvent, type Agent } from "agentchart";
import { serve } from "agentchart/server";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";
import { openServer, TOKENS, type TestServer } from "./open-server.ts";
import { lastIdOf, readEvents, type Frame, type ReadOptions } from "./read-events.ts";

const LOOK = { calls: [{ name: "look" }, { name: "look" }] };
const TURNS = Array.from({ length: 12 }, (_, turn) => [LOOK, `Ändert sich — ${turn} ✓`]).flat();

function chattyAgent(server: TestServer, sessionId = "acme/talk"): Agent {
  const look = toolOf("look", () => "seen");
  const { store } = server;
  return scripted(TURNS, { store, sessionId, meta: { tenant: "acme" }, tools: [look] }).agent;
}

async function openReader(server: TestServer) {
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  const path = `${url}/v1/sessions/talk/events`;
  return (options: Partial<ReadOptions> = {}) => readEvents(path, { token: TOKENS.acme, ...options });
}

const factsOf = (frames: readonly Frame[]): AgentEvent[] =>
  frames.flatMap(({ id, event }) => (id !== undefined && event ? [event] : []));
const endsOf = (frames: readonly Frame[]): number =>
  factsOf(frames).filter(({ type }) => type === "turn.end").length;

test("An event stream that is cut at any byte continues with Last-Event-ID without a gap or a repetition", async () => {
  const server = openServer();
  const read = await openReader(server);
  const agent = chattyAgent(server);
  await agent.call([userMsg("one"), userMsg("two"), userMsg("three")]); // one entry of the journal, three events
  const writing = (async () => {
    for (let turn = 1; turn < 12; turn++) await agent.call(`Turn ${turn}`);
  })();

  const pieces: Frame[] = [];
  let cuts = 0;
  while (endsOf(pieces) < 12) {
    const cutAfter = 60 + ((cuts * 397) % 2500);
    const until = (frames: readonly Frame[]) => endsOf([...pieces, ...frames]) === 12;
    pieces.push(...(await read({ lastEventId: lastIdOf(pieces), cutAfter, until })));
    cuts++;
  }
  await writing;
  const whole = await read({ until: (frames) => endsOf(frames) === 12 });

  expect(cuts).toBeGreaterThan(10);
  expect(factsOf(pieces)).toEqual(factsOf(whole));
  const ids = pieces.flatMap(({ id = [] }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const messages = factsOf(pieces).flatMap((event) => (event.type === "message" ? [event.message] : []));
  expect(messages).toEqual(await agent.messages());
  expect(JSON.stringify(messages.at(-1))).toContain("Ändert sich — 11 ✓");
  await agent.close();
});

test("A Last-Event-ID that is a journal position continues after that journal entry", async () => {
  const server = openServer();
  const read = await openReader(server);
  const agent = chattyAgent(server);
  await agent.call([userMsg("one"), userMsg("two")]);
  const { seq } = agent.status();
  await agent.call("more");
  const until = (frames: readonly Frame[]) => endsOf(frames) === 1;
  const facts = factsOf(await read({ lastEventId: String(seq), until }));
  expect(facts[0]).toMatchObject({ type: "message", message: { role: "user", content: [{ text: "more" }] } });
  expect(facts.every((event) => event.seq > seq)).toBe(true);

  const all = await read({ until: (frames) => endsOf(frames) === 2 });
  const second = all.find(({ event }) => event?.type === "message")!;
  const after = await read({ lastEventId: second.id, until: (frames) => endsOf(frames) === 2 });
  expect(factsOf(after)).toEqual(factsOf(all).slice(1));
  await agent.close();
});

test.for(["x", "-1", "1.2.3", "1e3", "9".repeat(16)])("The Last-Event-ID %j is refused", async (id) => {
  const server = openServer();
  const agent = chattyAgent(server);
  await agent.call("Hello");
  await agent.close();
  const response = await server.request("GET", "/v1/sessions/talk/events", {
    headers: { "Last-Event-ID": id },
  });
  expect([response.status, await response.json()]).toMatchObject([400, { code: "request/invalid" }]);
});

test("An idle event stream sends comments, and frees its watcher and its slot when it ends", async () => {
  const store = memoryStore();
  let watchers = 0;
  const watched = Object.assign(Object.create(store) as typeof store, {
    async *watch(...args: Parameters<NonNullable<typeof store.watch>>) {
      watchers++;
      try {
        yield* store.watch!(...args);
      } finally {
        watchers--;
      }
    },
  });
  const server = openServer({ store: watched, heartbeatMs: 20, maxStreams: 1 });
  const read = await openReader(server);
  const agent = chattyAgent(server);
  await agent.call("Hello");
  await agent.close();
  const silent = (frames: readonly Frame[]): boolean =>
    frames.filter(({ id, event }) => id === undefined && event === undefined).length > 5;
  await read({ until: silent });
  await expect.poll(() => watchers).toBe(0);
  await read({ until: silent }); // the slot of the first stream is free
  await expect.poll(() => watchers).toBe(0);
});

test("A tenant that has maxStreams open gets status 429 for the next one", async () => {
  const server = openServer({ maxStreams: 2 });
  const agent = chattyAgent(server);
  await agent.call("Hello");
  await agent.close();
  const open = () => server.request("GET", "/v1/sessions/talk/events");
  const streams = [await open(), await open()];
  const third = await open();
  expect([third.status, third.headers.get("Retry-After")]).toEqual([429, "5"]);
  const head = await server.request("HEAD", "/v1/sessions/talk/events");
  expect([head.status, head.headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
  await streams[0]!.body!.cancel();
  expect((await open()).status).toBe(200);
});

test("close() ends the event streams of a server", async () => {
  const server = openServer();
  const { url, close } = await serve(server.app);
  const agent = chattyAgent(server);
  await agent.call("Hello");
  await agent.close();
  const reading = readEvents(`${url}/v1/sessions/talk/events`, { token: TOKENS.acme });
  await expect.poll(() => server.records.length).toBe(1);
  await close();
  expect(endsOf(await reading)).toBe(1);
});
