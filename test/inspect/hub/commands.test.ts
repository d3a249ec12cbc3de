// Commands that reach a run through the hub.
import { openSession } from "agentchart/session";
import {
  createAgent,
  defineSlot,
  defineTool,
  suspend,
  textOf,
  type Json,
  type JsonObject,
  type SessionStore,
} from "agentchart";
import { planNotebook, planSlot } from "agentchart/plan";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, test } from "vitest";
import type { Step as WireStep } from "../../../src/inspect/protocol/protocol.ts";
import { toolOf, untilAborted } from "../../support/agents.ts";
import { HubPage } from "../../support/hub-page.ts";
import { asks, phaseOf, stage, STARS, waits } from "../../support/hub-stage.ts";

async function journalOf(store: SessionStore, sessionId: string): Promise<string> {
  const entries: unknown[] = [];
  for await (const entry of store.read(sessionId)) entries.push(entry);
  return JSON.stringify(entries);
}

test("an approval continues the turn, and the pending call is removed before the acknowledgement", async () => {
  const on = await stage([asks("pay", { amount: 5 }), "done"]);
  await on.agent.call("pay 5");
  const [call] = await waits(on);
  expect(call).toMatchObject({
    name: "pay",
    input: { amount: 5 },
    waitsFor: "approval",
    inputSchema: { required: ["amount"] },
  });
  const { callId, argsHash } = call!;
  const ack = await on.page.command(on.agent.sessionId, {
    type: "decide",
    callId,
    argsHash,
    decision: "approve",
  });
  expect(ack).toMatchObject({ ok: true });
  expect(on.page.pending.get(on.agent.sessionId)?.filter(({ decided }) => !decided)).toEqual([]);
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  expect(on.ran).toEqual([{ amount: 5 }]);
});

test("a decision in the inspector names it in the journal, and a redacted value of an edit is unchanged", async () => {
  const store = memoryStore();
  const on = await stage([asks("pay", { amount: 1, apiKey: "sk-1" }), "done"], { store });
  await on.agent.call("pay");
  const [call] = await waits(on);
  expect(call!.input).toEqual({ amount: 1, apiKey: "[redacted]" });
  const { callId, argsHash } = call!;
  const decision = { edit: { amount: 2, apiKey: "[redacted]" } };
  const ack = await on.page.command(on.agent.sessionId, { type: "decide", callId, argsHash, decision });
  expect(ack).toMatchObject({ ok: true });
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  expect(on.ran).toEqual([{ amount: 2, apiKey: "sk-1" }]);
  expect(await journalOf(store, on.agent.sessionId)).toContain('"decidedBy":"inspector"');
});

test("three calls are approved, edited with valid types only, and denied with a reason that the model reads", async () => {
  const on = await stage([asks("pay", { amount: 1 }, { amount: 2 }, { amount: 3 }), "done"]);
  await on.agent.call("pay");
  const calls = await waits(on, 3);
  const decide = (index: number, decision: unknown) => {
    const { callId, argsHash } = calls[index]!;
    return on.page.command(on.agent.sessionId, { type: "decide", callId, argsHash, decision });
  };
  expect(await decide(1, { edit: { amount: "20" } })).toMatchObject({
    ok: false,
    error: { code: "invalid" },
  });
  expect(await decide(0, "approve")).toMatchObject({ ok: true });
  expect(await decide(1, { edit: { amount: 20 } })).toMatchObject({ ok: true });
  expect(phaseOf(on)).toBe("suspended");
  expect(await decide(2, { deny: "too much" })).toMatchObject({ ok: true });
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  expect(on.ran).toEqual([{ amount: 1 }, { amount: 20 }]);
  expect(JSON.stringify(on.model.requests.at(-1))).toContain("too much");
});

test("the first of two answers wins, the second is refused as answered, and a repeated command is executed once", async () => {
  const on = await stage([asks("pay", { amount: 5 }), "done"]);
  const other = await HubPage.open(on.hub);
  await on.agent.call("pay");
  const [{ callId, argsHash } = { callId: "", argsHash: "" }] = await waits(on);
  const command = { type: "decide", callId, argsHash, decision: "approve" };
  const acks = await Promise.all([
    on.page.command(on.agent.sessionId, command, "one"),
    other.command(on.agent.sessionId, { ...command, decision: "deny" }, "two"),
  ]);
  expect(acks.map(({ ok, error }) => error?.code ?? ok).toSorted()).toEqual(["answered", true]);
  const again = await other.command(on.agent.sessionId, command, "one");
  expect(again).toMatchObject(acks[0]);
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  expect(on.ran.length).toBe(acks[0].ok ? 1 : 0);
  expect(await on.page.command(on.agent.sessionId, command, "three")).toMatchObject({
    error: { code: "answered" },
  });
});

test("an approval with another argsHash is refused as stale", async () => {
  const on = await stage([asks("pay", { amount: 5 }), "done"]);
  await on.agent.call("pay");
  const [call] = await waits(on);
  const stale = { type: "decide", callId: call!.callId, argsHash: "of-other-arguments", decision: "approve" };
  expect(await on.page.command(on.agent.sessionId, stale)).toMatchObject({
    ok: false,
    error: { code: "stale" },
  });
  expect(on.ran).toEqual([]);
  expect(on.agent.status().pending).toHaveLength(1);
});

test("a redacted secret is restored when the other arguments are edited", async () => {
  const on = await stage([asks("pay", { amount: 5, token: "t-1" }), "done"]);
  await on.agent.call("pay");
  const [call] = await waits(on);
  expect(call!.input).toEqual({ amount: 5, token: "[redacted]" });
  const { callId, argsHash, input } = call!;
  const edit = { ...input, amount: 6 };
  await on.page.command(on.agent.sessionId, { type: "decide", callId, argsHash, decision: { edit } });
  await expect.poll(() => on.ran).toEqual([{ amount: 6, token: "t-1" }]);
  expect(JSON.stringify(on.page.received)).not.toContain("t-1");
});

test("a tool that waits for an external result gets an answer that matches its schema", async () => {
  const on = await stage([asks("survey", {}), "thanks"]);
  await on.agent.call("ask");
  const [call] = await waits(on);
  expect(call).toMatchObject({ waitsFor: "externalResult", answerSchema: STARS });
  const { callId, argsHash } = call!;
  const answer = (text: string) =>
    on.page.command(on.agent.sessionId, { type: "decide", callId, argsHash, decision: { answer: text } });
  expect(await answer('{"stars":"five"}')).toMatchObject({ error: { code: "invalid" } });
  expect(await answer('{"stars":5}')).toMatchObject({ ok: true });
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  expect(JSON.stringify(on.model.requests.at(-1)!.messages.at(-1))).toContain("stars");
});

test("a question of a call is answered with a value of its schema, and the call goes on", async () => {
  const book = toolOf("book", (_, { resumed }) => {
    const ask = {
      id: "nights",
      kind: "form",
      message: "How many nights?",
      schema: { type: "integer" },
    } as const;
    return resumed ? JSON.stringify(resumed.answers) : suspend("It asks.", { then: "resume", asks: [ask] });
  });
  const on = await stage([asks("book", {}), "thanks"], { tools: [book] });
  await on.agent.call("book");
  const [call] = await waits(on);
  expect(call).toMatchObject({ waitsFor: "answer", reason: "How many nights?", ask: { kind: "form" } });
  const { callId, argsHash } = call!;
  const respond = (value: Json) =>
    on.page.command(on.agent.sessionId, { type: "decide", callId, argsHash, decision: { respond: value } });
  expect(await respond("two")).toMatchObject({ ok: false });
  expect(await respond(2)).toMatchObject({ ok: true });
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  expect(JSON.stringify(on.model.requests.at(-1)!.messages.at(-1))).toContain("respond");
});

test("extendBudget rejects a negative amount and continues the turn with a positive one", async () => {
  const on = await stage([asks("pay", { amount: 1 }), "done"], {
    budget: { modelCalls: 1 },
    permissions: { rules: [{ tool: "pay", action: "allow" }] },
    tools: [defineTool({ name: "pay", description: "", input: { type: "object" }, execute: () => "ok" })],
  });
  await on.agent.call("go");
  await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toContain("extendBudget");
  expect(
    await on.page.command(on.agent.sessionId, { type: "extendBudget", extra: { modelCalls: -1 } }),
  ).toMatchObject({
    error: { code: "invalid" },
  });
  expect(
    await on.page.command(on.agent.sessionId, { type: "extendBudget", extra: { modelCalls: 3 } }),
  ).toMatchObject({
    ok: true,
  });
  await expect.poll(() => phaseOf(on)).toBe("stopped");
});

test("a session at rest is summed up, and its transcript stays", async () => {
  const on = await stage(["one", "two", "They have talked.", "three"], {
    compaction: { keepRecentTokens: 1 },
  });
  await on.agent.call("words ".repeat(100));
  await on.agent.call("and then?");
  await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toEqual(["send", "compact"]);
  const compact = (text?: string) =>
    on.page.command(on.agent.sessionId, { type: "compact", ...(text !== undefined && { text }) });
  expect(await compact("Keep the colours.")).toMatchObject({ ok: true });
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  expect(JSON.stringify(on.model.requests[2]!.messages.at(-1))).toContain("Keep the colours.");
  expect(await compact()).toMatchObject({ ok: true });
  await on.agent.call("third");
  expect(JSON.stringify(on.model.requests.at(-1)!.messages[0])).toContain("They have talked.");
  expect(await on.agent.messages()).toHaveLength(6);
});

test("a session that never compacts does not offer it, and refuses it", async () => {
  const on = await stage(["one"], { compaction: false });
  await on.agent.call("hi");
  await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toEqual(["send"]);
  expect(await on.page.command(on.agent.sessionId, { type: "compact" })).toMatchObject({
    error: { code: "invalid" },
  });
});

test("a running turn accepts steer and interrupt, a resting one accepts send", async () => {
  const asked: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
  const held: ScriptedTurn = async function* (_request, signal) {
    asked.shift()!.resolve();
    yield { type: "text.delta", delta: "thinking" };
    await untilAborted(signal);
  };
  const on = await stage([held, "hello again"]);
  const first = asked[0]!.promise;
  const reply = on.agent.call("go");
  await first;
  await expect
    .poll(() => on.page.rows.get(on.agent.sessionId)?.can)
    .toEqual(["interrupt", "steer", "shutdown"]);
  expect(await on.page.command(on.agent.sessionId, { type: "send", text: "no" })).toMatchObject({
    error: { code: "invalid" },
  });
  expect(await on.page.command(on.agent.sessionId, { type: "steer", text: "left" })).toMatchObject({
    ok: true,
  });
  expect(await on.page.command(on.agent.sessionId, { type: "interrupt", text: "stop it" })).toMatchObject({
    ok: true,
  });
  expect((await reply).reason).toBe("INTERRUPTED");
  await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toEqual(["send", "compact"]);
  expect(await on.page.command(on.agent.sessionId, { type: "send", text: "and now?" })).toMatchObject({
    ok: true,
  });
  await expect.poll(() => JSON.stringify(on.page.contextOf(on.agent.sessionId))).toContain("hello again");
});

test.each(["with a store", "without a store"])(
  "a run is shut down at the next commit point and resumed in the same process, %s",
  async (where) => {
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let runs = 0;
    const slow = defineTool({
      name: "slow",
      description: "",
      input: { type: "object" },
      execute: async () => {
        runs++;
        started.resolve();
        await release.promise;
        return "slept";
      },
    });
    const on = await stage([asks("slow", {}), "done"], {
      tools: [slow],
      ...(where === "with a store" && { store: memoryStore() }),
    });
    const reply = on.agent.call("go").catch((error: { readonly code: string }) => error.code);
    await started.promise;
    const shutdown = on.page.command(on.agent.sessionId, { type: "shutdown" });
    await expect.poll(() => on.page.steps.get(on.agent.sessionId)?.at(-1)?.e).toBe("run.shutdown");
    release.resolve();
    expect(await shutdown).toMatchObject({ ok: true });
    expect(await reply).toBe("run/shutdown");
    await expect.poll(() => phaseOf(on)).toBe("unfinished");
    expect(on.page.rows.get(on.agent.sessionId)).toMatchObject({
      can: expect.arrayContaining(["resume"]) as never,
    });
    expect(await on.page.command(on.agent.sessionId, { type: "resume" })).toMatchObject({ ok: true });
    await expect.poll(() => phaseOf(on)).toBe("stopped");
    expect(runs).toBe(1);
    await expect.poll(() => JSON.stringify(on.page.contextOf(on.agent.sessionId))).toContain("done");
    const steps = on.page.steps.get(on.agent.sessionId)!;
    expect(steps.map(({ q }) => q)).toEqual(steps.map((_, index) => index + 1));
  },
);

test("a fork lists the calls that would run again, replaces a message and starts on request", async () => {
  const store = memoryStore();
  const on = await stage(
    [
      asks("pay", { amount: 5 }),
      "paid them",
      (request) => scriptedModel([JSON.stringify(request.messages)]).stream(request, {} as never),
    ],
    {
      store,
      permissions: { rules: [{ tool: "pay", action: "allow" }] },
      tools: [
        defineTool({ name: "pay", description: "", input: { type: "object" }, execute: () => "paid" }),
        defineTool({
          name: "look",
          description: "",
          input: { type: "object" },
          idempotent: true,
          execute: () => "seen",
        }),
        defineTool({ name: "ask", description: "", input: { type: "object" } }),
      ],
    },
  );
  await on.agent.call("pay ann");
  const { sessionId } = on.agent;
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  await expect.poll(() => JSON.stringify(on.page.steps.get(sessionId))).toContain("stopped.settling||");
  const before = await journalOf(store, sessionId);
  const steps = on.page.steps.get(sessionId)!;
  const asked = steps.find(({ j = 0, e }) => e.includes("callModel") && j > 0)!;
  const plan = await on.page.command(sessionId, { type: "forkPlan", seq: asked.j });
  const planned = {
    tools: ["pay", "look", "ask"],
    acting: ["pay"],
    hooks: [],
    model: "scripted",
    models: [],
    hasOthers: false,
    options: {},
  };
  expect(plan).toMatchObject({ ok: true, data: { willRun: ['pay {"amount":5}'], agent: planned } });
  const [question, answer, result] = await on.agent.messages();
  const messageId = question!.id;
  const placeOf = async (id: string, side: "with" | "before"): Promise<number> =>
    (await on.page.command(sessionId, { type: "forkPlan", seq: asked.j, at: { messageId: id, side } })).seq!;
  const stored = await openSession(store, sessionId);
  const lengthAt = async (seq: number): Promise<number> => (await stored.at(seq)).messages.length;
  expect(await lengthAt(await placeOf(question!.id, "with"))).toBe(1);
  expect(await lengthAt(await placeOf(answer!.id, "before"))).toBe(1);
  expect(await lengthAt(await placeOf(answer!.id, "with"))).toBe(2);
  expect(await lengthAt(await placeOf(result!.id, "with"))).toBe(3);
  expect(await placeOf("none", "with")).toBe(asked.j);
  // a fork at a step begins before it, wherever the store had got to when the process told of it
  const nthOf = ({ q, t, x }: WireStep): number =>
    steps.filter((each) => each.q < q && each.t === t && each.x.join() === x.join()).length;
  const places: number[] = [];
  for (const step of steps.filter(({ x }) => x.length > 0)) {
    const { t, x, q } = step;
    const told = await on.page.command(sessionId, {
      type: "forkPlan",
      seq: 0,
      step: { t, x, nth: nthOf(step) },
    });
    expect(told.ok, `step ${q}`).toBe(true); // before the first one it begins with nothing
    places.push(await lengthAt(told.seq!));
  }
  expect(places).toEqual(places.toSorted());
  expect([places[0], places.at(-1)]).toEqual([0, 3]);
  for (const changes of [{ messages: { none: "x" } }, { tools: ["fly"] }, { model: "none" }]) {
    const bad = { type: "fork", seq: asked.j, changes };
    expect(await on.page.command(sessionId, bad)).toMatchObject({ error: { code: "session/bad-change" } });
  }
  const misspelt = { type: "fork", seq: asked.j, changes: { sytem: "x" } };
  expect(await on.page.command(sessionId, misspelt)).toMatchObject({ error: { code: "config/invalid" } });
  const fork = await on.page.command(sessionId, {
    type: "fork",
    seq: asked.j,
    start: true,
    changes: { messages: { [messageId]: "pay bob" }, system: "Be quick." },
    times: 2,
  });
  const [forked = "", second = ""] = fork.data!["sessionIds"] as readonly string[];
  await expect.poll(() => on.page.rows.get(forked)?.phase).toBe("stopped");
  expect(on.page.rows.get(forked)).toMatchObject({ forkOf: { runId: sessionId, seq: asked.j } });
  on.page.subscribe(forked);
  await expect.poll(() => JSON.stringify(on.page.contextOf(forked))).toContain("pay bob");
  expect(JSON.stringify(on.page.contextOf(forked))).toContain("Be quick.");
  await expect.poll(() => on.page.rows.get(second)?.phase).toBe("stopped");
  expect(await journalOf(store, sessionId)).toBe(before);
});

test("a fork that repeats recorded results runs no tool, and one with live tools does", async () => {
  const store = memoryStore();
  const ran: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "",
    input: { type: "object" },
    execute: (input: object) => (ran.push(input), `paid ${ran.length}`),
  });
  const turn = [asks("pay", { amount: 5 }), "done"];
  const on = await stage([...turn, ...turn, ...turn], {
    store,
    permissions: { rules: [{ tool: "pay", action: "allow" }] },
    tools: [pay],
  });
  await on.agent.call("pay ann");
  const { sessionId } = on.agent;
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  const [question] = await on.agent.messages();
  const at = { messageId: question!.id, side: "with" };
  const { seq } = await on.page.command(sessionId, { type: "forkPlan", seq: 0, at });
  const resultOf = async (tools: string): Promise<string> => {
    const fork = await on.page.command(sessionId, { type: "fork", seq, start: true, tools });
    const [forked = ""] = fork.data!["sessionIds"] as readonly string[];
    await expect.poll(() => on.page.rows.get(forked)?.phase).toBe("stopped");
    const { messages } = await (await openSession(store, forked)).at();
    return JSON.stringify(messages);
  };
  expect(await resultOf("recorded")).toContain("paid 1");
  expect(ran).toHaveLength(1);
  expect(await resultOf("live")).toContain("paid 2");
  expect(ran).toHaveLength(2);
  const wrong = { type: "fork", seq, start: true, tools: "mocked" };
  expect(await on.page.command(sessionId, wrong)).toMatchObject({ error: { code: "invalid" } });
});

test("a fork before a message that came at rest gets it again, or the text that the page has edited", async () => {
  const store = memoryStore();
  const on = await stage(["One.", "Two.", "Three.", "Four.", "Five."], { store });
  await on.agent.call("First?");
  await on.agent.call("Second?");
  const { sessionId } = on.agent;
  await expect.poll(() => phaseOf(on)).toBe("stopped");
  const plan = (seq: number, at?: object) =>
    on.page.command(sessionId, { type: "forkPlan", seq, ...(at && { at }) });
  const [, , second] = await on.agent.messages();
  const first = await plan(0);
  expect(first).toMatchObject({ ok: true, data: { input: "First?", willRun: [] } });
  const later = await plan(0, { messageId: second!.id, side: "before" });
  expect(later.data).toMatchObject({ input: "Second?" });
  const with2 = await plan(0, { messageId: second!.id, side: "with" });
  expect(with2.data).not.toHaveProperty("input");
  const forked = async (seq: number | undefined, input?: string): Promise<readonly string[]> => {
    const body = { type: "fork", seq, start: true, ...(input !== undefined && { input }) };
    const { data } = await on.page.command(sessionId, body);
    const [id = ""] = data!["sessionIds"] as readonly string[];
    await expect.poll(() => on.page.rows.get(id)?.phase).toBe("stopped");
    await expect.poll(async () => (await (await openSession(store, id)).at()).reason).toBe("MODEL_STOP");
    return (await (await openSession(store, id)).at()).messages.map(textOf);
  };
  expect(await forked(first.seq)).toEqual(["First?", "Three."]);
  expect(await forked(later.seq, "Other?")).toEqual(["First?", "One.", "Other?", "Four."]);
  expect(await forked(with2.seq, "Unasked?")).toEqual(["First?", "One.", "Second?", "Five."]);
});

test("a message that another agent keeps from the session is refused, not lost", async () => {
  const store = memoryStore();
  const on = await stage(["done"], { store, sessionId: "s" });
  const other = createAgent({ name: "bot", model: scriptedModel([]), store, sessionId: "s" });
  await other.open();
  expect(await on.page.command("s", { type: "send", text: "Hi" })).toMatchObject({
    ok: false,
    error: { code: "session/conflict" },
  });
  await other.close();
  expect(await on.page.command("s", { type: "send", text: "Hi" })).toMatchObject({ ok: true });
});

test("a run whose agent was closed is shown as it was while another agent has the session", async () => {
  const store = memoryStore();
  const on = await stage([asks("pay", { amount: 5 })], { store, sessionId: "s" });
  await on.agent.call("pay 5");
  const [{ callId, argsHash } = { callId: "", argsHash: "" }] = await waits(on);
  await on.agent.close();
  const other = createAgent({ name: "bot", model: scriptedModel([]), store, sessionId: "s" });
  await other.open();
  const decide = { type: "decide", callId, argsHash, decision: "approve" };
  expect(await on.page.command("s", decide)).toMatchObject({ error: { code: "session/conflict" } });
  expect(on.page.rows.get("s")).toMatchObject({ phase: "suspended", pending: 1 });
  expect(on.page.rows.get("s")).not.toHaveProperty("worker");
  await other.close();
});

test("a read-only hub refuses commands", async () => {
  const on = await stage([asks("pay", { amount: 5 })], {}, { readonly: true });
  await on.agent.call("pay");
  const [call] = await waits(on);
  const { callId, argsHash } = call!;
  const command = { type: "decide", callId, argsHash, decision: "approve" };
  expect(await on.page.command(on.agent.sessionId, command)).toMatchObject({ error: { code: "readonly" } });
  expect(on.agent.status().pending[0]?.decided).toBeUndefined();
});

test("invalid commands are refused as invalid, commands for unknown runs as unavailable", async () => {
  const on = await stage(["one"]);
  for (const bad of [
    { type: "format" },
    { type: "steer" },
    { type: "decide", callId: 1 },
    { type: "fork", seq: -1 },
  ])
    expect(await on.page.command(on.agent.sessionId, bad)).toMatchObject({ error: { code: "invalid" } });
  expect(await on.page.command("unknown", { type: "resume" })).toMatchObject({
    error: { code: "unavailable" },
  });
  expect(await on.page.command(on.agent.sessionId, { type: "fork", seq: 1 })).toMatchObject({
    error: { code: "unavailable" },
  });
});

test("a person replaces the plan of a run, at rest and while a tool runs; an older revision is a conflict", async () => {
  const notebook = planNotebook();
  const subtasks = [{ name: "one" }, { name: "two" }];
  const create = { name: "Trip", description: "D", expected_outcome: "O", subtasks };
  const running = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const work = toolOf("work", async () => {
    running.resolve();
    await go.promise;
    return "ok";
  });
  const on = await stage([asks("create_plan", create), "planned", asks("work", {}), "done"], {
    hooks: [notebook.hook],
    tools: [work],
  });
  await on.agent.call("go");
  const seen = await on.agent.slots.get(planSlot);
  const set = (value: unknown, revision: number, name = "plan") =>
    on.page.command(on.agent.sessionId, { type: "setSlot", name, value, revision });
  await expect.poll(() => on.page.rows.get(on.agent.sessionId)?.can).toContain("setSlot");
  expect(await set({ ...seen.value, name: "Journey" }, 1)).toMatchObject({ ok: true });
  expect((await on.agent.slots.get(planSlot)).value).toEqual({ ...seen.value, name: "Journey" });
  expect(await set({ ...seen.value, name: "Late" }, 1)).toMatchObject({
    ok: false,
    error: { code: "slot/conflict" },
  });
  expect(await set({ name: "x" }, 2)).toMatchObject({ error: { code: "slot/invalid" } });
  expect(await set(null, 0, "other")).toMatchObject({
    error: { code: "invalid", message: expect.stringContaining("'other'") },
  });
  expect((await on.agent.slots.get(planSlot)).value?.name).toBe("Journey");
  const reply = on.agent.call("go on");
  await running.promise;
  expect(await set({ ...seen.value, name: "Meanwhile" }, 2)).toMatchObject({ ok: true });
  go.resolve();
  await reply;
  expect(JSON.stringify(on.model.requests.at(-1)!.messages.at(-1))).toContain("Meanwhile");
});

test("what the page did not get of a slot stays as it was, and cannot be assigned to another place", async () => {
  const long = "a long description ".repeat(20_000).slice(0, 30_000);
  const secret = defineSlot<readonly JsonObject[]>({
    name: "notes",
    initial: [],
    writableByClients: true,
  });
  const on = await stage(["ok"], { sessionOptions: { slots: [secret] } });
  await on.agent.slots.set(secret, [
    { text: long, apiKey: "sk-1" },
    { text: "b", apiKey: "sk-2" },
  ]);
  await on.agent.call("go");
  const context = () =>
    on.page.contextOf(on.agent.sessionId) as
      | { readonly slots: { readonly notes: { readonly value: readonly JsonObject[] } } }
      | undefined;
  await expect.poll(() => context()?.slots.notes.value.length).toBe(2);
  const [first, second] = context()!.slots.notes.value;
  expect(JSON.stringify([first, second])).not.toContain("sk-1");
  const set = (value: unknown) =>
    on.page.command(on.agent.sessionId, { type: "setSlot", name: "notes", value, revision: 1 });
  expect(await set([second])).toMatchObject({ error: { code: "invalid" } });
  expect(await set([first, { ...second, text: "new" }])).toMatchObject({ ok: true });
  expect((await on.agent.slots.get(secret)).value).toEqual([
    { text: long, apiKey: "sk-1" },
    { text: "new", apiKey: "sk-2" },
  ]);
});
