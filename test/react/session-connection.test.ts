// The hook of React that connects a page to a session.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { PendingCall } from "agentchart";
import { serve } from "agentchart/server";
import { createWorker } from "agentchart/worker";
import {
  SessionConnection,
  type ConnectedView,
  type ConnectionOptions,
} from "../../src/ui/react/session-connection.ts";
import { SessionError } from "../../src/ui/react/session-error.ts";
import { openPageServer } from "../server/open-page-server.ts";
import { openServer, TOKENS } from "../server/open-server.ts";
import { AGENTS, paid, resetAgents, sayOtherHalf } from "../server/page-agents.ts";
import { faultyProxy, type FaultyProxy } from "../support/faulty-proxy.ts";

/** A page of a session, without React around it. */
class Page {
  readonly connection: SessionConnection;
  /** Each view that was shown. */
  readonly views: ConnectedView[] = [];

  constructor(options: Partial<ConnectionOptions> & { readonly url: string }) {
    this.connection = new SessionConnection({ sessionId: "talk", token: TOKENS.acme, ...options });
    onTestFinished(this.connection.subscribe(() => void this.views.push(this.view)));
  }

  get view(): ConnectedView {
    return this.connection.getView();
  }

  /** What a person sees. */
  get shown(): readonly string[] {
    return shown(this.view);
  }

  call(id: string): PendingCall {
    return this.view.pending.find(({ callId }) => callId === id)!;
  }

  async reaches(status: ConnectedView["status"]): Promise<void> {
    await expect.poll(() => this.view.status).toBe(status);
  }
}

function shown({ messages }: ConnectedView): readonly string[] {
  return messages.flatMap(({ role, parts }) =>
    parts.flatMap((part) => {
      if (part.type === "text") return `${role}: ${String(part["text"])}`;
      if (part.type === "dynamic-tool") return `${String(part["toolCallId"])} ${String(part["state"])}`;
      return part.type === "step-start" ? [] : part.type;
    }),
  );
}

const PAID = [
  "user: Pay.",
  "assistant: Let me pay.",
  "c1 output-available",
  "c2 output-denied",
  "assistant: It is paid.",
];

async function cuttable(url: string): Promise<{ readonly url: string; readonly proxy: FaultyProxy }> {
  const proxy = await faultyProxy(url, 80);
  onTestFinished(() => proxy.close());
  return { url: proxy.urlOf(url), proxy };
}

/** Cuts the network: what connects is closed at once. */
const cut = (proxy: FaultyProxy): void => proxy.answerWith(Buffer.alloc(0));

test("A page begins a session, sees text while it is written, and ends with the messages that are stored", async () => {
  const { server, url } = await openPageServer();
  const page = new Page({ url, agent: "halves" });
  await expect.poll(() => page.view.isConnected).toBe(true); // there is no session yet
  expect(page.view).toMatchObject({ status: "ready", messages: [], error: undefined });

  const sent = page.connection.send("Say it.");
  expect(page.view.status).toBe("submitted");
  await sent;
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: First half, ");
  expect(page.view).toMatchObject({ status: "running", reason: undefined });
  expect(page.view.messages[1]!.parts.at(-1)).toMatchObject({ type: "text", state: "streaming" });
  sayOtherHalf();
  await page.reaches("ready");
  expect(page.view).toMatchObject({ reason: "MODEL_STOP", pending: [], error: undefined });
  const stored = await (await server.request("GET", "/v1/sessions/talk/chat")).json();
  expect(page.view.messages).toEqual(stored);

  const [asked] = page.view.messages;
  await page.connection.send("Once more.");
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: Again.");
  await page.reaches("ready");
  expect(page.views.map(({ state }) => state)).toContain("stopped.idle");
  expect(page.view.messages[0]).toBe(asked);
  expect(new Page({ url }).view.messages).toEqual([]);
});

test("A page approves, denies and edits calls; a second page sees what is left", async () => {
  const { url } = await openPageServer();
  const [page, other] = [new Page({ url, agent: "desk" }), new Page({ url, agent: "desk" })];
  await page.connection.send("Pay.");
  await page.reaches("suspended");
  await expect.poll(() => other.view.pending.length).toBe(2);
  expect(page.view).toMatchObject({
    reason: "APPROVAL_REQUIRED",
    pending: [{ name: "pay" }, { name: "pay" }],
  });
  const stale = other.call("c2");

  await page.connection.decide(page.call("c2"), "deny");
  expect(page.view).toMatchObject({ status: "suspended", pending: [{ callId: "c1" }] });
  await expect
    .poll(async () => {
      const late = new Page({ url }); // a page that is loaded while the session waits
      await expect.poll(() => late.view.pending.length).toBe(1);
      return late.view.pending.map(({ callId }) => callId);
    })
    .toEqual(["c1"]);
  expect(paid).toEqual([]);

  await page.connection.decide(page.call("c1"), { edit: { euros: 5 } });
  for (const { view } of [page, other]) expect(view.pending.length).toBeLessThan(2);
  for (const seen of [page, other]) {
    await expect.poll(() => seen.shown.at(-1)).toBe("assistant: It is paid.");
    await seen.reaches("ready");
    expect(seen.shown).toEqual(PAID);
    expect(seen.view).toMatchObject({ pending: [], error: undefined, reason: "MODEL_STOP" });
  }
  await expect(other.connection.decide(stale, "approve")).rejects.toMatchObject({
    status: 409,
    code: "run/stale-decision",
  });
  expect(other.view.error?.code).toBe("run/stale-decision");
  expect(other.view).toMatchObject({ status: "ready", pending: [] });
  expect(page.view.error).toBeUndefined();
  expect(paid).toEqual([{ euros: 5 }]);
});

test("A question is answered; a call that goes on is no longer waited for", async () => {
  const { url } = await openPageServer();
  const page = new Page({ url, agent: "hotel" });
  await page.connection.send("Book.");
  await page.reaches("suspended");
  const [question] = page.view.pending;
  expect(question).toMatchObject({
    reason: "When?",
    ask: { kind: "form" },
    answerSchema: { type: "string" },
  });
  await page.connection.decide(question!, { respond: "tomorrow" });
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: It is booked.");
  expect(page.view.pending).toEqual([]);
});

test("A sub-agent is seen while it writes, and its session as any other", async () => {
  const { url } = await openPageServer();
  const page = new Page({ url, agent: "boss" });
  expect(page.view.subagents).toEqual([]);
  await page.connection.send("Say it.");
  const writing = [{ callId: "c1", name: "helper", text: "First half, " }];
  await expect.poll(() => page.view.subagents).toEqual(writing);
  const late = new Page({ url }); // loaded while it writes
  await expect.poll(() => late.view.subagents).toEqual(writing);
  const inside = new Page({ url, sessionId: "talk/c1" });
  await expect.poll(() => inside.shown).toEqual(["user: Say it."]);
  sayOtherHalf();
  await expect.poll(() => inside.shown.at(-1)).toBe("assistant: First half, second half.");
  await inside.reaches("ready");
  for (const seen of [page, late]) {
    await seen.reaches("ready");
    expect(seen.view.subagents).toEqual([]);
    expect(seen.shown).toEqual(["user: Say it.", "c1 output-available", "assistant: It is said."]);
  }
});

test("A turn is steered and interrupted", async () => {
  const { url } = await openPageServer();
  const page = new Page({ url, agent: "halves" });
  await page.connection.send("Say it.");
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: First half, ");
  await page.connection.steer("Be brief.");
  await page.connection.interrupt("Enough.");
  await expect.poll(() => page.view.reason).toBe("INTERRUPTED");
  await page.reaches("ready");
  await page.connection.steer("Too late.");
  await expect.poll(() => page.view.error).toMatchObject({ code: "run/invalid-event" });
  expect(page.view.status).toBe("ready");
  expect(new Page({ url }).view.error).toBeUndefined();
});

test("A connection that is cut goes on where it was, whatever was on its way", async () => {
  const { server, url: direct } = await openPageServer();
  const { url, proxy } = await cuttable(direct);
  const page = new Page({ url, agent: "desk" });
  await page.connection.send("Pay.");
  await page.reaches("suspended");
  const call = page.call("c1");
  cut(proxy);
  await expect.poll(() => page.view.isConnected).toBe(false);
  const decided = page.connection.decide(call, "approve"); // tried until the network is there
  setTimeout(() => proxy.restore(), 300);
  await decided;
  cut(proxy);
  proxy.restore();
  await page.connection.decide(page.call("c2"), "deny");
  await expect.poll(() => page.shown).toEqual(PAID);
  const stored = await (await server.request("GET", "/v1/sessions/talk/chat")).json();
  expect(page.view.messages).toEqual(stored);
  expect(paid).toEqual([{ euros: 7 }]);
});

test("What was sent takes effect once, also if its answer is lost", async () => {
  const { server, url: direct } = await openPageServer();
  const { url, proxy } = await cuttable(direct);
  const page = new Page({ url, agent: "halves" });
  await expect.poll(() => page.view.isConnected).toBe(true);
  proxy.fail("answers");
  const sent = page.connection.send("Say it.");
  await expect.poll(async () => (await server.store.load("acme/talk"))?.seq ?? 0).toBeGreaterThan(0);
  proxy.restore();
  await sent;
  sayOtherHalf();
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: First half, second half.");
  expect(page.shown.filter((line) => line.startsWith("user"))).toEqual(["user: Say it."]);
});

test("A stream that says nothing any more is opened anew", async () => {
  const { url: direct } = await openPageServer({ heartbeatMs: 50 });
  const { url, proxy } = await cuttable(direct);
  const page = new Page({ url, agent: "halves", stallMs: 5_000 }); // a busy machine opens a stream in less
  await page.connection.send("Say it.");
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: First half, ");
  proxy.fail("half-open");
  await expect.poll(() => page.view.isConnected).toBe(false);
  proxy.restore();
  sayOtherHalf();
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: First half, second half.");
  await page.reaches("ready");
});

test("A stream that may be silent for ever stays open", async () => {
  const { url } = await openPageServer();
  const page = new Page({ url, agent: "halves", stallMs: Infinity });
  await page.connection.send("Say it.");
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: First half, ");
  sayOtherHalf();
  await page.reaches("ready");
  const online = page.views.map(({ isConnected }) => isConnected);
  expect(online.slice(online.indexOf(true))).not.toContain(false);
});

test("A server that does not answer is not a reason to give up, a refusal is", async () => {
  const { url } = await openPageServer();
  const unknown = new Page({ url });
  await expect.poll(() => unknown.view.error).toMatchObject({ code: "session/not-found" });
  await expect(unknown.connection.send("Hello?")).rejects.toMatchObject({
    code: "session/not-found",
    status: 404,
  });
  const forbidden = new Page({ url, agent: "desk", token: TOKENS.reader });
  await expect(forbidden.connection.send("Pay.")).rejects.toMatchObject({ code: "request/forbidden" });
  const stranger = new Page({ url, agent: "desk", token: "no token of this server" });
  await expect.poll(() => stranger.view.error).toMatchObject({ code: "request/unauthorized" });
  expect(stranger.view).toMatchObject({ isConnected: false, status: "ready" });
  await expect(stranger.connection.send("Pay.")).rejects.toBeInstanceOf(SessionError);
  const elsewhere = new Page({ url: `${url}/nowhere`, agent: "desk" });
  await expect(elsewhere.connection.send("Pay.")).rejects.toMatchObject({ status: 404 });
});

test("A token that has expired is asked for again", async () => {
  const { url } = await openPageServer();
  const tokens = ["expired", "expired too"];
  const page = new Page({ url, agent: "halves", token: async () => tokens.shift() ?? TOKENS.acme });
  await expect.poll(() => page.view.isConnected).toBe(true);
  expect(page.view.error).toBeUndefined();
});

test("A page whose token is replaced connects again", async () => {
  const { url } = await openPageServer();
  const page = new Page({ url, agent: "halves", token: "expired" });
  await expect.poll(() => page.view.error).toMatchObject({ code: "request/unauthorized" });
  page.connection.options = { ...page.connection.options, token: TOKENS.acme };
  await expect.poll(() => page.view.isConnected).toBe(true);
  expect(page.view.error).toBeUndefined();
  await page.connection.send("Say it.");
  await expect.poll(() => page.shown.at(-1)).toBe("assistant: First half, ");
});

/** Serves what no server of Agentchart does. */
async function otherServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("A page of another server, which has an answer to everything, is no session", async () => {
  const url = await otherServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html>");
  });
  const page = new Page({ url, agent: "desk" });
  await expect.poll(() => page.view.error).toMatchObject({ code: "request/bad-answer" });
  expect(page.views.map(({ isConnected }) => isConnected)).not.toContain(true);
  const sent = await page.connection.send("Pay.").catch((error: unknown) => error);
  expect(sent).toBeInstanceOf(SessionError);
  expect(sent).toMatchObject({ code: "request/bad-answer", status: 200 });
});

test("What waits is asked for again after a decision, also while an earlier answer is on its way", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const call = { callId: "c1", name: "pay", input: {}, argsHash: "h", waitsFor: "approval" };
  const events = [
    { type: "pending", calls: [call] },
    { type: "turn.end", reason: "APPROVAL_REQUIRED" },
  ].map((event, index) => ({ ...event, seq: index + 1, n: index, at: 0, turn: 1 }));
  let reads = 0;
  const url = await otherServer(({ method, url: path }, response) => {
    if (path!.endsWith("/events")) {
      response.setHeader("Content-Type", "text/event-stream");
      response.write(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    } else if (method === "POST") {
      response.statusCode = 409;
      response.end('{"code":"run/stale-decision","detail":"It was decided."}');
    } else if (reads++ === 0) {
      void held.then(() => response.end(JSON.stringify({ phase: "suspended", seq: 2, pending: [call] })));
    } else response.end(JSON.stringify({ phase: "stopped", seq: 2, pending: [] }));
  });
  const page = new Page({ url });
  await expect.poll(() => [page.view.status, reads]).toEqual(["suspended", 1]);
  await expect(page.connection.decide(page.call("c1"), "approve")).rejects.toThrow("It was decided.");
  release();
  await expect.poll(() => page.view.pending).toEqual([]);
  expect(reads).toBe(2);
});

test("A page that leaves closes its stream, and one that comes back goes on", async () => {
  const { url } = await openPageServer({ maxStreams: 1 });
  const connection = new SessionConnection({ url, sessionId: "talk", token: TOKENS.acme, agent: "desk" });
  for (let times = 0; times < 3; times++) {
    const leave = connection.subscribe(() => {});
    if (times === 0) await connection.send("Pay.");
    await expect.poll(() => connection.getView().status).toBe("suspended");
    await expect.poll(() => connection.getView().isConnected).toBe(true);
    leave();
    await expect.poll(() => connection.getView().isConnected).toBe(false);
  }
  expect(shown(connection.getView())).toEqual([
    ...PAID.slice(0, 2),
    "c1 approval-requested",
    "c2 approval-requested",
  ]);
});

test("A page that loads while its input waits for a worker shows it, and once only", async () => {
  resetAgents();
  const server = openServer();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  const first = new Page({ url, agent: "halves" });
  await first.connection.send("Say it.");
  await expect.poll(() => first.shown).toEqual(["user: Say it."]);

  const second = new Page({ url });
  await expect.poll(() => second.shown).toEqual(["user: Say it."]);
  expect(second.view.status).toBe("submitted");

  const { queue, store } = server;
  const worker = createWorker({ queue, store, agents: AGENTS, sweepMs: 200 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  sayOtherHalf();
  for (const page of [first, second]) {
    await page.reaches("ready");
    expect(page.shown.filter((text) => text.startsWith("user"))).toEqual(["user: Say it."]);
  }
});
