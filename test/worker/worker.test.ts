// Workers: inputs, suspensions, interrupts and subscribers.
import { describe, expect, test } from "vitest";
import { defineTool, textOf, toolResultMsg, type AgentEvent, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { bench, echoModel, ofType } from "./kit.ts";

const textsOf = async (store: SessionStore, id: string): Promise<string[]> =>
  (await (await openSession(store, id)).at()).messages.map(
    (message) => `${message.role}: ${textOf(message)}`,
  );

const tool = (name: string, execute: () => string | Promise<string>, fields: object = {}) =>
  defineTool({ name, description: name, input: { type: "object" }, execute, ...fields });

describe("a dispatched input", () => {
  test("is run by a worker, and the session rests", async () => {
    const { dispatcher, store, worker } = await bench();
    const sent = await dispatcher.dispatch("s", "hello", { agent: "echo", meta: { tenant: "t" } });
    expect(sent).toMatchObject({ state: "accepted", woken: true });
    await expect.poll(() => worker.stats().turns).toBe(1);
    await expect.poll(() => worker.stats().running).toBe(0);
    expect(await textsOf(store, "s")).toEqual(["user: hello", "assistant: echo: hello"]);
    expect(await dispatcher.status("s")).toMatchObject({
      phase: "stopped",
      reason: "MODEL_STOP",
      agent: "echo",
      meta: { tenant: "t", agent: "echo" },
      inputs: 0,
    });
  });

  test("is refused with the key of another input that waits", async () => {
    const { dispatcher } = await bench({ isIdle: true });
    const options = { agent: "echo", idempotencyKey: "k" };
    await dispatcher.dispatch("s", "once", options);
    await expect(dispatcher.dispatch("s", "other", options)).rejects.toMatchObject({
      code: "run/key-reused",
    });
  });

  test("is one input for one key, however often it is sent", async () => {
    const { dispatcher, store, worker } = await bench();
    const options = { agent: "echo", idempotencyKey: "k" };
    expect((await dispatcher.dispatch("s", "once", options)).state).toBe("accepted");
    expect((await dispatcher.dispatch("s", "once", options)).state).toBe("duplicate");
    await expect.poll(() => worker.stats().turns).toBe(1);
    expect((await dispatcher.dispatch("s", "once", options)).state).toBe("duplicate");
    await expect(dispatcher.dispatch("s", "other", options)).rejects.toMatchObject({
      code: "run/key-reused",
    });
    await dispatcher.dispatch("s", "twice");
    await expect.poll(() => worker.stats().turns).toBe(2);
    expect((await textsOf(store, "s")).filter((text) => text.startsWith("user"))).toEqual([
      "user: once",
      "user: twice",
    ]);
  });

  test("is taken in the order it was accepted, many sessions at once", async () => {
    const { dispatcher, store, worker } = await bench({ concurrency: 4 });
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    for (const text of ["1", "2", "3", "4"])
      await Promise.all(ids.map((id) => dispatcher.dispatch(id, text, { agent: "echo" })));
    await expect.poll(() => worker.stats().turns).toBe(48);
    for (const id of ids) {
      const said = (await textsOf(store, id)).filter((text) => text.startsWith("user"));
      expect(said).toEqual(["user: 1", "user: 2", "user: 3", "user: 4"]);
    }
  });

  test("waits for its delay, in the store, and does not hold back others", async () => {
    let ahead = 0;
    const { dispatcher, worker, queue, store } = await bench({ now: () => Date.now() + ahead });
    await dispatcher.dispatch("s", "later", { agent: "echo", delayMs: 60_000 });
    await dispatcher.dispatch("s", "now");
    await expect.poll(() => worker.stats().turns).toBe(1);
    expect(await dispatcher.status("s")).toMatchObject({ inputs: 1 });
    expect((await queue.stats()).delayed).toBe(1);
    ahead = 60_000;
    await expect.poll(() => worker.stats().turns).toBe(2);
    expect((await textsOf(store, "s")).filter((text) => text.startsWith("user"))).toEqual([
      "user: now",
      "user: later",
    ]);
  });

  test("of a new session needs an agent, and an invalid message is refused", async () => {
    const { dispatcher } = await bench();
    await expect(dispatcher.dispatch("s", "hello")).rejects.toMatchObject({ code: "config/invalid" });
    await expect(
      dispatcher.dispatch("s", [{ role: "user" } as never], { agent: "echo" }),
    ).rejects.toMatchObject({ code: "message/invalid" });
    await expect(dispatcher.status("s")).rejects.toMatchObject({ code: "session/not-found" });
    await expect(dispatcher.decide("s", "c", { nonsense: true } as never)).rejects.toMatchObject({
      code: "config/invalid",
    });
    await expect(dispatcher.dispatch("s", "x", { agent: "echo", priority: -1 })).rejects.toMatchObject({
      code: "config/invalid",
    });
  });

  test("for an agent that this worker does not have waits for a worker that has it", async () => {
    const first = await bench({ agents: {} });
    await first.dispatcher.dispatch("s", "hello", { agent: "echo" });
    await expect.poll(() => ofType(first, "session.unknown").length).toBeGreaterThan(0);
    await first.worker.close();
    const second = await bench({ store: first.store, queue: first.queue });
    await expect.poll(() => second.worker.stats().turns).toBe(1);
  });
});

describe("a suspended session", () => {
  const agents = (ran: string[] = []) => ({
    echo: () => ({
      name: "echo",
      model: echoModel,
      tools: [
        tool("pay", () => (ran.push("pay"), "paid"), { permission: "ask" }),
        tool("ship", () => (ran.push("ship"), "shipped"), { permission: "ask" }),
        defineTool({ name: "ext", description: "external", input: { type: "object" } }),
      ],
    }),
  });

  test("costs nothing until it is decided, and goes on once all is decided", async () => {
    const ran: string[] = [];
    const b = await bench({ agents: agents(ran) });
    await b.dispatcher.dispatch("s", "call pay ship", { agent: "echo" });
    await expect.poll(async () => (await b.dispatcher.status("s")).phase).toBe("suspended");
    await expect.poll(() => b.worker.stats().running).toBe(0);
    const { pending, waitsFor } = await b.dispatcher.status("s");
    expect([waitsFor, pending.map(({ name }) => name)]).toEqual([["approval"], ["pay", "ship"]]);
    await expect.poll(() => b.queue.stats()).toEqual({ waiting: 0, active: 0, delayed: 0 });
    await b.dispatcher.decide("s", pending[0]!.callId, "approve", { argsHash: pending[0]!.argsHash });
    await expect.poll(() => b.worker.stats().inputsTaken).toBe(2);
    expect(ran).toEqual([]);
    await b.dispatcher.decide("s", pending[1]!.callId, { deny: "not today" });
    await expect.poll(async () => (await b.dispatcher.status("s")).reason).toBe("MODEL_STOP");
    expect(ran).toEqual(["pay"]);
  });

  test("goes on with an answer, and with results", async () => {
    const b = await bench({ agents: agents() });
    for (const id of ["a", "b"]) await b.dispatcher.dispatch(id, "call ext", { agent: "echo" });
    await expect.poll(() => b.worker.stats().suspended).toBe(2);
    const callId = (await b.dispatcher.status("a")).pending[0]!.callId;
    await b.dispatcher.answer("a", callId, "forty-two");
    await b.dispatcher.dispatch("b", toolResultMsg([{ callId, name: "ext", text: "forty-three" }]));
    await expect.poll(async () => (await textsOf(b.store, "a")).at(-1)).toBe("assistant: echo: forty-two");
    await expect.poll(async () => (await textsOf(b.store, "b")).at(-1)).toBe("assistant: echo: forty-three");
  });

  test("a worker refuses an input that does not fit, reports the refusal, and never tries it again", async () => {
    const b = await bench({ agents: agents() });
    await b.dispatcher.dispatch("s", "call pay", { agent: "echo" });
    await expect.poll(() => b.worker.stats().suspended).toBe(1);
    await b.dispatcher.decide("s", "unknown", "approve", { idempotencyKey: "bad call" });
    await b.dispatcher.decide("s", "pay-1", "approve", { argsHash: "stale", idempotencyKey: "bad hash" });
    await b.dispatcher.steer("s", "left!", { idempotencyKey: "too early" });
    await b.store.putInput("s", { id: "garbage", data: { kind: "explode" } });
    const { inputId: last } = await b.dispatcher.dispatch("s", null);
    await expect.poll(async () => (await b.dispatcher.status("s")).inputs).toBe(0);
    expect(ofType(b, "input.refused").map(({ inputId, error }) => [inputId, error.code])).toEqual([
      ["bad call", "run/bad-results"],
      ["bad hash", "run/stale-decision"],
      ["too early", "run/invalid-event"],
      ["garbage", "message/invalid"],
      [last, "run/undecided"],
    ]);
    expect((await b.dispatcher.status("s")).phase).toBe("suspended");
  });

  test("lets text wait in the inbox until nothing is open, unless its agent says otherwise", async () => {
    const b = await bench({
      agents: {
        ...agents(),
        strict: () => ({ ...agents().echo(), turnOptions: { onTextWhilePending: "refuse" as const } }),
      },
    });
    for (const [id, agent] of [
      ["s", "echo"],
      ["strict", "strict"],
    ] as const) {
      await b.dispatcher.dispatch(id, "call pay", { agent });
      await b.dispatcher.dispatch(id, "and then?");
    }
    const undecided = () => ofType(b, "input.refused").filter(({ error }) => error.code === "run/undecided");
    await expect.poll(() => undecided().map(({ sessionId }) => sessionId)).toEqual(["strict"]);
    await expect.poll(() => b.dispatcher.status("strict")).toMatchObject({ phase: "suspended", inputs: 0 });
    await expect.poll(() => b.dispatcher.status("s")).toMatchObject({ phase: "suspended", inputs: 1 });
    await b.dispatcher.decide("s", "pay-1", "approve");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: and then?");
    expect((await textsOf(b.store, "s")).slice(-3)).toEqual([
      "assistant: echo: paid",
      "user: and then?",
      "assistant: echo: and then?",
    ]);
  });

  test("an interrupt of a session that no worker holds is stored, and the next input is taken", async () => {
    const b = await bench({ agents: agents() });
    await b.dispatcher.dispatch("s", "call pay", { agent: "echo" });
    await expect.poll(() => b.worker.stats().suspended).toBe(1);
    await b.dispatcher.interrupt("s", "stop it");
    await b.dispatcher.dispatch("s", "and now?");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: and now?");
    expect(await textsOf(b.store, "s")).toContain("user: stop it");
  });

  test("whose approval expires goes on by itself, with a denial", async () => {
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const b = await bench({
      now,
      agents: {
        echo: () => ({
          ...agents().echo(),
          sessionOptions: { now },
          permissions: { expiresAfterMs: 60_000 },
        }),
      },
    });
    await b.dispatcher.dispatch("s", "call pay", { agent: "echo" });
    await expect.poll(() => b.worker.stats().suspended).toBe(1);
    expect((await b.dispatcher.status("s")).wakeAt).toBeGreaterThan(0);
    ahead = 60_000;
    await expect.poll(async () => (await b.dispatcher.status("s")).reason).toBe("MODEL_STOP");
    expect((await textsOf(b.store, "s")).at(-1)).toContain("the call was not approved in time");
    expect((await b.dispatcher.status("s")).wakeAt).toBeUndefined();
  });

  test("approved in time goes on, although no worker was there to read it until the time was over", async () => {
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const expiring = {
      echo: () => ({ ...agents().echo(), sessionOptions: { now }, permissions: { expiresAfterMs: 60_000 } }),
    };
    const first = await bench({ now, agents: expiring });
    await first.dispatcher.dispatch("s", "call pay", { agent: "echo" });
    await expect.poll(() => first.worker.stats().suspended).toBe(1);
    const { wakeAt } = await first.dispatcher.status("s");
    await first.worker.close();
    const { callId } = (await first.dispatcher.status("s")).pending[0]!;
    await first.dispatcher.decide("s", callId, "approve");
    expect(now()).toBeLessThan(wakeAt!);
    ahead = 60_000;
    const second = await bench({ now, agents: expiring, store: first.store, queue: first.queue });
    await expect.poll(async () => (await second.dispatcher.status("s")).reason).toBe("MODEL_STOP");
    expect((await textsOf(first.store, "s")).at(-1)).toBe("assistant: echo: paid");
  });

  test("over its budget goes on when that is extended", async () => {
    const b = await bench({
      agents: {
        echo: () => ({
          name: "echo",
          model: echoModel,
          tools: [tool("go", () => "gone")],
          budget: { modelCalls: 1 },
        }),
      },
    });
    await b.dispatcher.dispatch("s", "call go", { agent: "echo" });
    await expect
      .poll(async () => (await b.dispatcher.status("s").catch(() => undefined))?.waitsFor)
      .toEqual(["budget"]);
    await b.dispatcher.extendBudget("s", { modelCalls: 1 });
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: gone");
  });
});

describe("a running turn", () => {
  const slow = () => {
    const gate = Promise.withResolvers<string>();
    let started = 0;
    const agents = {
      echo: () => ({
        name: "echo",
        model: echoModel,
        turnOptions: { interruptGraceMs: 50 },
        tools: [tool("wait", () => (started++, gate.promise))],
      }),
    };
    return { agents, gate, started: () => started };
  };

  test("a running session receives an interrupt before the inputs that wait behind it", async () => {
    const { agents, started } = slow();
    const b = await bench({ agents });
    await b.dispatcher.dispatch("s", "call wait", { agent: "echo" });
    await expect.poll(started).toBe(1);
    await b.dispatcher.dispatch("s", "next");
    await b.dispatcher.interrupt("s", "enough");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: next");
    const texts = await textsOf(b.store, "s");
    expect(texts.indexOf("user: enough")).toBeLessThan(texts.indexOf("user: next"));
    expect(ofType(b, "turn.end").map(({ reason }) => reason)).toEqual(["INTERRUPTED", "MODEL_STOP"]);
  });

  test("a running session receives an interrupt whose signal was lost", async () => {
    const { agents, started } = slow();
    const b = await bench({ agents });
    await b.dispatcher.dispatch("s", "call wait", { agent: "echo" });
    await expect.poll(started).toBe(1);
    await b.store.putInput("s", { id: "i", data: { kind: "interrupt", at: 0 } });
    await expect.poll(async () => (await b.dispatcher.status("s")).reason).toBe("INTERRUPTED");
  });

  test("is steered", async () => {
    const { agents, gate, started } = slow();
    const b = await bench({ agents });
    await b.dispatcher.dispatch("s", "call wait", { agent: "echo" });
    await expect.poll(started).toBe(1);
    await b.dispatcher.steer("s", "be brief");
    await expect.poll(() => b.worker.stats().inputsTaken).toBe(2);
    gate.resolve("waited");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: be brief");
  });

  test("is cancelled, and so is what waits behind it", async () => {
    const { agents, started } = slow();
    const b = await bench({ agents });
    await b.dispatcher.dispatch("s", "call wait", { agent: "echo" });
    await expect.poll(started).toBe(1);
    await b.dispatcher.dispatch("s", "dropped", { idempotencyKey: "dropped" });
    await b.dispatcher.cancel("s");
    await b.dispatcher.dispatch("s", "kept");
    await expect.poll(async () => (await textsOf(b.store, "s")).at(-1)).toBe("assistant: echo: kept");
    expect(await textsOf(b.store, "s")).not.toContain("user: dropped");
    expect(ofType(b, "input.refused")).toMatchObject([
      { inputId: "dropped", error: { code: "run/aborted" } },
    ]);
  });
});

describe("subscribers", () => {
  test("subscribers receive every fact in order from any position, and refusals", async () => {
    const b = await bench();
    const stop = new AbortController();
    const heard: AgentEvent[] = [];
    const listening = (async () => {
      for await (const event of b.dispatcher.subscribe("s", { signal: stop.signal })) heard.push(event);
    })();
    await b.dispatcher.dispatch("s", "one", { agent: "echo" });
    await b.dispatcher.dispatch("s", "two");
    const facts = () => heard.filter(({ n }) => n === 0);
    await expect.poll(() => facts().filter(({ type }) => type === "turn.end").length).toBe(2);
    await expect.poll(() => b.worker.stats().running).toBe(0);
    await b.dispatcher.steer("s", "too late");
    await expect
      .poll(() => facts().map(({ type }) => type))
      .toEqual(["message", "message", "turn.end", "message", "message", "turn.end", "input.refused"]);
    stop.abort();
    await listening;
    const after = facts()[2]!.seq;
    const again = new AbortController();
    const later: AgentEvent[] = [];
    for await (const event of b.dispatcher.subscribe("s", { after, signal: again.signal })) {
      later.push(event);
      if (later.length === 4) again.abort();
    }
    expect(later).toEqual(facts().slice(3));
  });

  test("subscribers receive deltas between the facts", async () => {
    const b = await bench({
      agents: {
        echo: () => ({
          name: "echo",
          model: {
            name: "slow",
            async *stream() {
              for (const delta of "deltas") {
                yield { type: "text.delta", delta };
                await new Promise((resolve) => setTimeout(resolve, 40));
              }
              yield { type: "finish", reason: "stop" };
            },
          },
        }),
      },
    });
    const stop = new AbortController();
    let text = "";
    let isOver = false;
    void (async () => {
      for await (const event of b.dispatcher.subscribe("s", { signal: stop.signal })) {
        if (event.type === "block.delta") text += event.delta;
        if (event.type === "turn.end") isOver = true;
      }
    })();
    await b.dispatcher.dispatch("s", "go", { agent: "echo" });
    await expect.poll(() => isOver).toBe(true);
    stop.abort();
    expect(text.length).toBeGreaterThan(0);
    expect("deltas").toContain(text);
  });
});
