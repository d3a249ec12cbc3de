// Agents as actors of a machine: their replies, questions, ends and sessions.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  assign,
  createActor,
  setup,
  spawnChild,
  toPromise,
  waitFor,
  type AnyActorRef,
  type InspectionEvent,
} from "xstate";
import { z } from "zod";
import { AgentError, createAgent, type AgentConfig, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { agentLogic, codeModel, type AgentActorInput, type AgentRefused } from "agentchart/team";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf, untilAborted } from "../../support/agents.ts";

/** A machine that invokes one agent, and keeps what came of it. */
function machineOf(
  turns: readonly ScriptedTurn[],
  config: Partial<AgentConfig> = {},
  input: AgentActorInput = { message: "go" },
) {
  const model = scriptedModel(turns);
  const machine = setup({
    types: {
      context: {} as { text: string; reason: string; error: unknown; seen: readonly string[] },
    },
    actors: { researcher: agentLogic({ name: "researcher", model, ...config }) },
  }).createMachine({
    context: { text: "", reason: "", error: undefined, seen: [] },
    initial: "working",
    states: {
      working: {
        invoke: {
          id: "researcher",
          src: "researcher",
          input,
          onSnapshot: {
            actions: assign({
              seen: ({ context, event }) => {
                const { phase, pending } = event.snapshot;
                const now = [phase, ...pending.map(({ name }) => name)].join(" ");
                return context.seen.at(-1) === now ? context.seen : [...context.seen, now];
              },
            }),
          },
          onDone: {
            target: "done",
            actions: assign({
              text: ({ event }) => event.output.text,
              reason: ({ event }) => event.output.reason,
            }),
          },
          onError: { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
        },
        on: { LEAVE: "left" },
      },
      left: {},
      done: { type: "final" },
      failed: { type: "final" },
    },
  });
  return { machine, model };
}

const asking = (runs: unknown[]) => [
  toolOf("pay", (input) => (runs.push(input), "paid"), { permission: "ask" }),
];
const PAYING: readonly ScriptedTurn[] = [
  { calls: [{ id: "call_1", name: "pay", input: { sum: 1 } }] },
  "Paid.",
];

function refusalsOf(ref: { on(type: "agent.refused", listener: (event: AgentRefused) => void): unknown }) {
  const refused: AgentRefused[] = [];
  ref.on("agent.refused", (event) => refused.push(event));
  return refused;
}

describe("an agent that a machine invokes", () => {
  test("is done with its reply, and has left its session then", async () => {
    const store = memoryStore();
    const { machine, model } = machineOf(["Found."], { store }, { message: "What is new?", sessionId: "s" });
    const actor = createActor(machine).start();
    await toPromise(actor);
    expect(actor.getSnapshot().context).toMatchObject({ text: "Found.", reason: "MODEL_STOP" });
    expect(actor.getSnapshot().context.seen).toEqual(["opening", "running"]);
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: "user" });
    const again = createAgent({ name: "researcher", model, store, sessionId: "s" });
    await again.open(); // rejects session/conflict if the actor still had it
    expect(await again.messages()).toHaveLength(2);
    await again.close();
  });

  test("fails with the typed error of its turn", async () => {
    const error = new AgentError("model/auth", "The key is wrong.");
    const { machine } = machineOf([{ error }]);
    const actor = createActor(machine).start();
    await waitFor(actor, (snapshot) => snapshot.matches("failed"));
    const { error: found } = actor.getSnapshot().context;
    expect(AgentError.is(found)).toBe(true);
    expect(found).toMatchObject({ code: "model/auth" });
  });

  test.each([
    [{ key: "" }, "config/invalid"],
    [{ mesage: "go" }, "config/invalid"],
    [{ message: 7 }, "message/invalid"],
  ])("with the input %j fails with %s", async (input, code) => {
    const { machine } = machineOf(["Found."], {}, input as AgentActorInput);
    const actor = createActor(machine);
    actor.start();
    await waitFor(actor, (snapshot) => snapshot.matches("failed"));
    expect(actor.getSnapshot().context.error).toMatchObject({ code });
  });

  test("waits for an approval, which the parent decides", async () => {
    const runs: unknown[] = [];
    const { machine } = machineOf(PAYING, { tools: asking(runs) });
    const actor = createActor(machine).start();
    const child = actor.getSnapshot().children.researcher!;
    await waitFor(child, (snapshot) => snapshot.phase === "suspended");
    const [call] = child.getSnapshot().pending;
    expect(child.getSnapshot()).toMatchObject({ status: "active", waitsFor: ["approval"] });
    expect(runs).toEqual([]);
    child.send({ type: "decide", callId: call!.callId, decision: "approve", argsHash: call!.argsHash });
    await toPromise(actor);
    expect(runs).toEqual([{ sum: 1 }]);
    expect(actor.getSnapshot().context).toMatchObject({
      text: "Paid.",
      seen: ["opening", "running", "suspended pay", "suspended", "running"],
    });
  });

  test("emits a command that it refuses, and goes on", async () => {
    const { machine } = machineOf(PAYING, { tools: asking([]) });
    const actor = createActor(machine).start();
    const child = actor.getSnapshot().children.researcher!;
    const refused = refusalsOf(child);
    await waitFor(child, (snapshot) => snapshot.phase === "suspended");
    child.send({ type: "decide", callId: "call_9", decision: "approve" });
    child.send({ type: "decide", callId: "call_1", decision: "approve", argsHash: "other" });
    child.send({ type: "steer", message: "Hurry." });
    child.send({ type: "resume" });
    await expect
      .poll(() => refused.map(({ error }) => error.code))
      .toEqual(["run/bad-results", "run/stale-decision", "run/not-running", "run/undecided"]);
    expect(refused[0]?.command).toMatchObject({ type: "decide", callId: "call_9" });
    expect(child.getSnapshot()).toMatchObject({ status: "active", phase: "suspended" });
    child.send({ type: "decide", callId: "call_1", decision: "deny" });
    await toPromise(actor);
    expect(actor.getSnapshot().context.text).toBe("Paid.");
  });

  test("is done with an interrupted reply when the parent interrupts it, while it runs or waits", async () => {
    const { machine } = machineOf(PAYING, {
      tools: [toolOf("pay", (_, { signal }) => untilAborted(signal))],
    });
    const running = createActor(machine).start();
    const child = running.getSnapshot().children.researcher!;
    child.on("agent.event", ({ event }) => {
      if (event.type === "tool.start") child.send({ type: "interrupt", message: "Stop." });
    });
    await toPromise(running);
    expect(running.getSnapshot().context.reason).toBe("INTERRUPTED");
    const waiting = createActor(machineOf(PAYING, { tools: asking([]) }).machine).start();
    const other = waiting.getSnapshot().children.researcher!;
    await waitFor(other, (snapshot) => snapshot.phase === "suspended");
    other.send({ type: "interrupt" });
    await toPromise(waiting);
    expect(waiting.getSnapshot().context.reason).toBe("INTERRUPTED");
  });

  test("takes an interrupt that is sent before its turn has begun", async () => {
    const model = scriptedModel([{ calls: [{ name: "look" }] }, "Never."]);
    const tools = [toolOf("look", (_, { signal }) => untilAborted(signal))];
    const logic = agentLogic({ name: "researcher", model, tools, store: memoryStore() });
    const actor = createActor(logic, { input: { message: "go" } }).start();
    actor.send({ type: "interrupt" });
    expect(await toPromise(actor)).toMatchObject({ reason: "INTERRUPTED" });
  });

  test("sees a message with which the parent steers it", async () => {
    const model = scriptedModel([{ calls: [{ name: "look" }] }, "Seen."]);
    const tools = [toolOf("look", () => "x")];
    const actor = createActor(agentLogic({ name: "researcher", model, tools }), { input: { message: "go" } });
    actor.on("agent.event", ({ event }) => {
      if (event.type === "tool.start") actor.send({ type: "steer", message: "Hurry." });
    });
    actor.start();
    await toPromise(actor);
    const texts = model.requests[1]!.messages.filter(({ role }) => role === "user");
    expect(JSON.stringify(texts)).toContain("Hurry.");
  });

  test("goes on when the parent extends its budget", async () => {
    const model = scriptedModel([{ calls: [{ name: "look" }] }, "Seen."]);
    const tools = [toolOf("look", () => "x")];
    const budget = { modelCalls: 1 };
    const actor = createActor(agentLogic({ name: "researcher", model, tools, budget }), {
      input: { message: "go" },
    }).start();
    await waitFor(actor, (snapshot) => snapshot.waitsFor.includes("budget"));
    actor.send({ type: "extendBudget", extra: { modelCalls: 1 } });
    expect(await toPromise(actor)).toMatchObject({ text: "Seen." });
  });

  test("goes on by itself when an approval expires", async () => {
    const runs: unknown[] = [];
    const model = scriptedModel(PAYING);
    const permissions = { expiresAfterMs: 20 };
    const actor = createActor(agentLogic({ name: "researcher", model, tools: asking(runs), permissions }), {
      input: { message: "go" },
    }).start();
    expect(await toPromise(actor)).toMatchObject({ text: "Paid." });
    expect(runs).toEqual([]);
  });

  test("goes on when its clock says that an approval has expired, although the timer fires before", async () => {
    const runs: unknown[] = [];
    const begun = Date.now();
    const now = (): number => begun + Math.floor((Date.now() - begun) / 2);
    const actor = createActor(
      agentLogic({
        name: "researcher",
        model: scriptedModel(PAYING),
        tools: asking(runs),
        permissions: { expiresAfterMs: 20 },
        sessionOptions: { now },
      }),
      { input: { message: "go" } },
    ).start();
    expect(await toPromise(actor)).toMatchObject({ text: "Paid." });
    expect(runs).toEqual([]);
  });

  test("goes on when an approval expires that waits for longer than a timer can", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const permissions = { expiresAfterMs: 60 * 86_400_000 };
    const model = scriptedModel(PAYING);
    const actor = createActor(agentLogic({ name: "researcher", model, tools: asking([]), permissions }), {
      input: { message: "go" },
    }).start();
    await waitFor(actor, (snapshot) => snapshot.phase === "suspended");
    await vi.advanceTimersByTimeAsync(59 * 86_400_000);
    expect(actor.getSnapshot().phase).toBe("suspended");
    await vi.advanceTimersByTimeAsync(86_400_000);
    vi.useRealTimers();
    await expect.poll(() => actor.getSnapshot().output?.text).toBe("Paid.");
  });

  test("gives the answer of the shape that is asked for", async () => {
    const model = scriptedModel([
      { calls: [{ name: "generate_response", input: { response: { found: 3 } } }] },
    ]);
    const logic = agentLogic({ name: "researcher", model }, { output: z.object({ found: z.number() }) });
    const reply = await toPromise(createActor(logic, { input: { message: "go" } }).start());
    expect(reply.output.found).toBe(3);
  });

  test("with the key of an earlier actor has the outcome of that one, and calls no model", async () => {
    const store = memoryStore();
    const model = scriptedModel(["Found."]);
    const logic = agentLogic({ name: "researcher", model, store });
    const input = { message: "go", key: "k", sessionId: "s" };
    await toPromise(createActor(logic, { input }).start());
    expect(await toPromise(createActor(logic, { input }).start())).toMatchObject({ text: "Found." });
    expect(model.requests).toHaveLength(1);
    const other = createActor(logic, { input: { ...input, message: "other" } });
    other.subscribe({ error: () => {} });
    await expect(toPromise(other.start())).rejects.toMatchObject({ code: "run/key-reused" });
  });

  test("runs its chart in the system of the parent", async () => {
    const { machine } = machineOf(["Found."]);
    const events: InspectionEvent[] = [];
    const actor = createActor(machine, { inspect: (event) => void events.push(event) }).start();
    await toPromise(actor);
    const created = events
      .filter(({ type }) => type === "@xstate.actor")
      .map(({ actorRef }) => actorRef as AnyActorRef);
    const pathOf = (ref: AnyActorRef | undefined): string[] => (ref ? [...pathOf(ref._parent), ref.id] : []);
    expect(new Set(events.map(({ rootId }) => rootId)).size).toBe(1);
    expect(created.map(pathOf).map((path) => path.slice(1).join("/"))).toContain("researcher/researcher");
  });

  test.each([
    [{ sessionId: "s" }, "`sessionId`"],
    [{ inspect: (): void => {} }, "XState observer"],
    [{ maxIter: 3 }, "maxIters"],
  ])("of the configuration %j is refused", (config, problem) => {
    const given = { name: "researcher", model: scriptedModel([]), ...config };
    expect(() => agentLogic(given as never)).toThrow(problem);
  });
});

describe("a stopped actor", () => {
  test("parks its turn, and the next actor with its key goes on with it", async () => {
    const store = memoryStore();
    const gate = Promise.withResolvers<string>();
    let runs = 0;
    const tools = [toolOf("look", () => (runs++, gate.promise))];
    const turns: ScriptedTurn[] = [{ calls: [{ name: "look" }] }, "Seen."];
    const input = { message: "go", sessionId: "s", key: "k" };
    const { machine, model } = machineOf(turns, { store, tools }, input);
    const actor = createActor(machine).start();
    await expect.poll(() => runs).toBe(1);
    actor.send({ type: "LEAVE" });
    expect(actor.getSnapshot().children).toEqual({});
    gate.resolve("seen");
    const left = async () => (await store.list({ prefix: "s" })).sessions[0]?.phase;
    await expect.poll(left).toBe("unfinished");
    expect(model.requests).toHaveLength(1);
    const next = createActor(agentLogic({ name: "researcher", model, store, tools }), { input }).start();
    expect(await toPromise(next)).toMatchObject({ text: "Seen." });
    expect(runs).toBe(1);
  });
});

describe("a spawned agent", () => {
  const spawning = (store?: SessionStore) =>
    setup({
      types: { context: {} as { done: readonly string[] } },
      actors: {
        researcher: agentLogic({
          name: "researcher",
          model: codeModel(() => ({ reply: "Found." })),
          ...(store && { store }),
        }),
      },
    }).createMachine({
      context: { done: [] },
      entry: [
        spawnChild("researcher", { id: "one", input: { message: "1" } }),
        spawnChild("researcher", { id: "two", input: { message: "2" } }),
      ],
      on: {
        "xstate.done.actor.*": {
          actions: assign({ done: ({ context, event }) => [...context.done, event.type.split(".").at(-1)!] }),
        },
      },
    });

  test.each([["without a store"], ["with a store"]])("is done once, restored or not, %s", async (where) => {
    const store = where === "with a store" ? memoryStore() : undefined;
    const actor = createActor(spawning(store)).start();
    await waitFor(actor, ({ context }) => context.done.length === 2);
    const persisted = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as never;
    expect(persisted).toMatchObject({ children: { one: { snapshot: { status: "active" } } } });
    actor.stop();
    const restored = createActor(spawning(store), { snapshot: persisted }).start();
    const { children } = restored.getSnapshot();
    expect(children["one"]?.getSnapshot()).toMatchObject({ status: "done", output: { text: "Found." } });
    await new Promise(setImmediate);
    expect(restored.getSnapshot().context.done.toSorted()).toEqual(["one", "two"]);
  });
});

test("a persisted agent that was changed or cut is refused with a typed error", async () => {
  const pay = toolOf("pay", () => "paid", { permission: "ask" });
  const logic = agentLogic({ name: "payer", model: scriptedModel(PAYING), tools: [pay] });
  const first = createActor(logic, { input: { message: "go" } }).start();
  await waitFor(first, ({ phase }) => phase === "suspended");
  const json = JSON.stringify(first.getPersistedSnapshot());
  first.stop();
  const restored = (text: string) => {
    const actor = createActor(logic, { snapshot: JSON.parse(text) as never, input: {} });
    const { status, error } = actor.getSnapshot();
    return status === "error" ? error : status;
  };
  expect(json).toContain('"text":"go"');
  expect(restored(json)).toBe("active");
  const changed = json.replace('"text":"go"', '"text":"stop"');
  expect(restored(changed)).toMatchObject({ name: "AgentError", code: "session/damaged" });
  const { session: _, ...cut } = JSON.parse(json) as { readonly session: unknown };
  expect(restored(JSON.stringify(cut))).toMatchObject({ code: "session/damaged" });
});

test("a call about which was decided before the session was open is not asked about again", async () => {
  const pay = toolOf("pay", () => "paid", { permission: "ask" });
  const model = codeModel(({ results: [first] }) =>
    first ? { reply: first[0]!.state } : { calls: [{ name: "pay", input: {} }] },
  );
  const logic = agentLogic({ name: "payer", model, tools: [pay], store: memoryStore() });
  const first = createActor(logic, { input: { message: "go" } }).start();
  const { pending } = await waitFor(first, ({ phase }) => phase === "suspended");
  const snapshot = first.getPersistedSnapshot();
  first.stop();
  const second = createActor(logic, { snapshot, input: {} }).start();
  second.send({ type: "decide", callId: pending[0]!.callId, decision: "approve" });
  const asked: number[] = [];
  second.subscribe((now) => asked.push(now.pending.length));
  expect((await toPromise(second)).text).toBe("success");
  expect(asked.every((count) => count === 0)).toBe(true);
});
