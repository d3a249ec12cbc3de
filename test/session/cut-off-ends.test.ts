// Turns whose end was cut off by a crash are ended before anything else.
import { expect, onTestFinished, test } from "vitest";
import {
  AgentError,
  createAgent,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type Hook,
  type JsonObject,
  type SessionStore,
} from "agentchart";
import { openSession, type JournalEntry } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { toolOf } from "../support/agents.ts";
import { mortal } from "../worker/mortal.ts";

const LEASE_MS = 60_000;
const ask: ScriptedTurn = { calls: [{ id: "c1", name: "pay" }] };
const down: ScriptedTurn = { error: new AgentError("model/auth", "down") };

/** How a turn comes to hooks at its end. */
type Way = {
  readonly point: "postCall" | "onInterrupt" | "onError";
  readonly turns: readonly ScriptedTurn[];
  readonly act?: (agent: Agent, isAt: Promise<void>) => Promise<unknown>;
  /** How the turn of the key comes to rest, in the second process. */
  readonly reason: string;
  readonly text: string;
  /** The ends of turns that the journal has then. */
  readonly ends: readonly string[];
};

const ways: { readonly [state: string]: Way } = {
  "stopped.postCall": {
    point: "postCall",
    turns: ["paid"],
    reason: "MODEL_STOP",
    text: "paid",
    ends: ["1 MODEL_STOP"],
  },
  "suspended.postCall": {
    point: "postCall",
    turns: [ask],
    reason: "APPROVAL_REQUIRED",
    text: "",
    ends: ["1 APPROVAL_REQUIRED"],
  },
  "stopped.onInterrupt": {
    point: "onInterrupt",
    turns: [ask],
    act: async (agent) => {
      agent.subscribe(() => agent.interrupt(), { types: ["model.start"] });
      return agent.call("pay", { idempotencyKey: "k1" });
    },
    reason: "INTERRUPTED",
    text: "I noticed that you have interrupted me. What can I do for you?",
    ends: ["1 INTERRUPTED"],
  },
  "stopped.onError": {
    point: "onError",
    turns: [down],
    reason: "ERROR",
    text: "down",
    ends: ["1 ERROR"],
  },
};

/** A session that was cut off in a hook at the end of its turn, and what goes on with it. */
async function cutOff({ point, turns, act }: Way, hears = true) {
  let ahead = 0;
  const real = memoryStore({ now: () => Date.now() + ahead });
  const first = mortal(real);
  const isAt = Promise.withResolvers<void>();
  const hook: Hook = {
    name: "slow",
    [point]: () => {
      isAt.resolve();
      return new Promise(() => {});
    },
  };
  const config: Omit<AgentConfig, "model"> = {
    name: "bot",
    tools: [toolOf("pay", () => "done", { permission: "ask" })],
    sessionId: "s",
    sessionOptions: { leaseMs: LEASE_MS },
    meta: { agent: "bot" },
  };
  const agent = createAgent({ ...config, store: first.store, model: scriptedModel(turns), hooks: [hook] });
  const call = act ? act(agent, isAt.promise) : agent.call("pay", { idempotencyKey: "k1" });
  call.catch(() => {});
  await isAt.promise;
  first.bury();
  ahead = LEASE_MS;
  const heard: AgentEvent[] = [];
  const again: string[] = [];
  const next = (more: readonly ScriptedTurn[] = []) => {
    const second = createAgent({
      ...config,
      store: real,
      model: scriptedModel(more),
      ...(hears && { hooks: [{ name: "slow", [point]: () => void again.push(point) }] }),
    });
    second.subscribe((event) => heard.push(event), { types: ["turn.end"] });
    onTestFinished(() => second.close());
    return second;
  };
  const ends = async (): Promise<string[]> => {
    const all: string[] = [];
    for await (const { type, data } of (await openSession(real, "s")).entries())
      if (type === "turn.end") all.push(`${String(data["turn"])} ${String(data["reason"])}`);
    return all;
  };
  return { config, store: real, next, ends, heard, again };
}

type Told = { readonly reason: string; readonly text: string };
const told = (reply: Promise<Told>): Promise<readonly [string, string]> =>
  reply.then(
    ({ reason, text }) => [reason, text],
    (error: unknown) => ["ERROR", (error as Error).message],
  );

test.each(
  Object.entries(ways).flatMap(([state, way]) => [true, false].map((hears) => [state, hears, way] as const)),
)(
  "a turn that was cut off in %s ends with its outcome in the next process (hooks: %s)",
  async (_, hears, way) => {
    const { next, ends, heard, again } = await cutOff(way, hears);
    const agent = next();
    expect(await told(agent.call())).toEqual([way.reason, way.text]);
    expect(await ends()).toEqual(way.ends);
    expect(heard.map((event) => "reason" in event && event.reason)).toEqual([way.reason]);
    expect(again).toEqual(hears ? [way.point] : []);
    expect(agent.status()).toMatchObject({ reason: way.reason });
  },
);

test.each(Object.entries(ways))("opening ends the turn that was cut off in %s, once", async (_, way) => {
  const { next, ends, again } = await cutOff(way);
  const agent = next();
  await agent.open();
  await agent.open();
  expect(await ends()).toEqual(way.ends);
  expect(again).toEqual([way.point]);
  expect(agent.status().phase).toBe(way.reason === "APPROVAL_REQUIRED" ? "suspended" : "stopped");
});

test.each(Object.entries(ways).filter(([, { reason }]) => reason !== "ERROR"))(
  "a key whose turn was cut off in %s gives its outcome, at once and after other turns",
  async (state, way) => {
    const { next, ends } = await cutOff(way);
    const agent = next([...(state === "suspended.postCall" ? ["all is paid"] : []), "two"]);
    expect(await told(agent.call("pay", { idempotencyKey: "k1" }))).toEqual([way.reason, way.text]);
    let own: readonly [string, string] = [way.reason, way.text];
    if (state === "suspended.postCall") {
      await agent.decide("c1", "approve");
      own = ["MODEL_STOP", "all is paid"];
      expect(await told(agent.call())).toEqual(own);
    }
    expect((await agent.call("other", { idempotencyKey: "k2" })).text).toBe("two");
    expect(await told(agent.call("pay", { idempotencyKey: "k1" }))).toEqual(own);
    await agent.close();
    expect(await told(next().call("pay", { idempotencyKey: "k1" }))).toEqual(own);
    expect((await ends()).at(-1)).toBe("2 MODEL_STOP");
  },
);

test.each(["stopped.postCall", "stopped.onInterrupt"])(
  "another input first ends the turn that was cut off in %s",
  async (state) => {
    const way = ways[state]!;
    const { next, ends } = await cutOff(way);
    const agent = next(["two"]);
    expect((await agent.call("other", { idempotencyKey: "k2" })).text).toBe("two");
    expect(await told(agent.call("pay", { idempotencyKey: "k1" }))).toEqual([way.reason, way.text]);
    expect(await ends()).toEqual([...way.ends, "2 MODEL_STOP"]);
  },
);

test("a decision first ends the turn that was cut off while it was suspended", async () => {
  const { next, ends } = await cutOff(ways["suspended.postCall"]!);
  const agent = next(["all is paid"]);
  await agent.decide("c1", "approve");
  expect((await agent.call()).text).toBe("all is paid");
  expect(await ends()).toEqual(["1 APPROVAL_REQUIRED", "1 MODEL_STOP"]);
});

test("a call whose refusal was cut off is refused in the next process, and its key is free", async () => {
  const { next, ends, config, store } = await cutOff({
    ...ways["suspended.postCall"]!,
    point: "onError",
    act: async (agent) => {
      await agent.call("pay", { idempotencyKey: "k1" });
      return agent.call("more", { idempotencyKey: "k2" });
    },
  });
  const agent = next(["paid", "more is done"]);
  await agent.decide("c1", "approve");
  expect(await ends()).toEqual(["1 APPROVAL_REQUIRED", "1 APPROVAL_REQUIRED"]);
  expect((await agent.call()).text).toBe("paid");
  expect((await agent.call("more", { idempotencyKey: "k2" })).text).toBe("more is done");
  await agent.close();
  expect(config.name).toBe("bot");
  const messages = (await (await openSession(store, "s")).at()).messages.filter(
    ({ role }) => role === "user",
  );
  expect(messages).toHaveLength(2);
});

test.each(Object.entries(ways))("a worker ends the turn that was cut off in %s", async (_, way) => {
  const { store, config, ends } = await cutOff(way);
  const queue = inProcessQueue();
  const { store: __, sessionId: ___, ...rest } = config as AgentConfig;
  const worker = createWorker({
    store,
    queue,
    agents: { bot: () => ({ ...rest, model: scriptedModel([]) }) } as never,
    sweepMs: 20,
    leaseMs: LEASE_MS,
  });
  onTestFinished(() => worker.close({ deadlineMs: 0 }));
  await worker.start();
  await expect.poll(ends).toEqual(way.ends);
  const { phase, reason } = await createDispatcher({ store, queue }).status("s");
  expect([phase, reason]).toEqual([way.reason === "APPROVAL_REQUIRED" ? "suspended" : "stopped", way.reason]);
});

/** A copy of a session as an earlier release left it that died at the end of its first turn, without the entries that `drop` says. */
async function asBefore(store: SessionStore, drop: (entry: JournalEntry) => boolean): Promise<SessionStore> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read("s")) {
    const { ending: _, ...progress } = (entry.data["progress"] ?? {}) as JsonObject;
    const data = entry.data["progress"] ? { ...entry.data, progress } : entry.data;
    if (!drop(entry)) entries.push({ ...entry, data, seq: entries.length + 1 });
  }
  const copy = memoryStore();
  const lease = (await copy.acquire("s", { owner: "test", ttlMs: 1_000 }))!;
  const { position } = (await store.load("s"))!;
  await copy.append("s", { expectedSeq: 0, fence: lease.fence, entries, position });
  for (const key of ["k1", "k2"]) await copy.putInput("s", { id: key, data: {} });
  await copy.append("s", {
    expectedSeq: entries.length,
    fence: lease.fence,
    entries: [],
    position,
    ackInputs: ["k1", "k2"],
  });
  await copy.release(lease);
  return copy;
}

test.each([
  ["hooks had its outcome", true],
  ["nothing says its outcome", false],
])(
  "a key whose end an earlier release has lost never gives the reply of another turn: %s",
  async (_, hears) => {
    const store = memoryStore();
    const hooks: Hook[] = hears ? [{ name: "slow", postCall: () => {} }] : [];
    const config = { name: "bot", sessionId: "s" };
    const agent = createAgent({ ...config, store, hooks, model: scriptedModel(["one", "two"]) });
    await agent.call("a", { idempotencyKey: "k1" });
    await agent.call("b", { idempotencyKey: "k2" });
    await agent.close();
    let ends = 0;
    const copy = await asBefore(store, ({ type }) => type === "turn.end" && ends++ === 0);
    const later = createAgent({ ...config, store: copy, model: scriptedModel([]) });
    onTestFinished(() => later.close());
    const first = later.call("a", { idempotencyKey: "k1" });
    if (hears) expect((await first).text).toBe("one");
    else await expect(first).rejects.toMatchObject({ code: "run/pending" });
    expect((await later.call("b", { idempotencyKey: "k2" })).text).toBe("two");
  },
);

test.each(Object.entries(ways))(
  "a turn that an earlier release left in %s ends with what is known",
  async (state, way) => {
    const { config, store } = await cutOff(way);
    const copy = await asBefore(store, () => false);
    const agent = createAgent({ ...config, store: copy, model: scriptedModel([]) });
    onTestFinished(() => agent.close());
    const [reason, text] = await told(agent.call());
    expect(reason).toBe(way.reason);
    if (state !== "stopped.onError") expect(text).toBe(way.text);
    expect((await openSession(copy, "s")).sessionId).toBe("s");
  },
);
