// Idempotency keys of inputs.
import { describe, expect, test } from "vitest";
import { AgentError, textOf, toolResultMsg, userMsg, type Agent, type AgentConfig } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { memoryStore } from "agentchart/store/memory";
import { z } from "zod";
import { scripted, toolOf } from "../support/agents.ts";

const down = { error: new AgentError("model/auth", "no key") };
const clerk = { calls: [{ id: "c1", name: "clerk" }] };

/** The same session in one process after the other. */
function processes(config: Partial<AgentConfig> = {}) {
  const store = memoryStore();
  return (turns: readonly ScriptedTurn[]) =>
    scripted(turns, { store, sessionId: "s", tools: [toolOf("clerk")], ...config }).agent;
}

/** A store that refuses, once, the append that ends a turn if it is asked to. */
function failingAtEnd() {
  const store = memoryStore();
  const { append } = store;
  let fails = false;
  store.append = (sessionId, batch) => {
    if (!fails || !batch.entries.some(({ type }) => type === "turn.end")) return append(sessionId, batch);
    fails = false;
    return Promise.reject(new AgentError("store/failed", "disk"));
  };
  return { store, failEnd: () => void (fails = true) };
}

describe("an idempotency key that was used before", () => {
  test("a used idempotency key returns the reply of its own call in another process, whatever came after", async () => {
    const open = processes();
    const first = open(["one", "two"]);
    await first.call("a", { idempotencyKey: "ka" });
    await first.call("b", { idempotencyKey: "kb" });
    await first.shutdown();
    const second = open([]);
    expect((await second.call("a", { idempotencyKey: "ka" })).text).toBe("one");
    expect((await second.call("b", { idempotencyKey: "kb" })).text).toBe("two");
    expect(await second.messages()).toHaveLength(4);
  });

  test("a used idempotency key returns a structured output, and a suspended turn with its open calls", async () => {
    const output = z.object({ n: z.number() });
    const open = processes();
    const first = open([
      { calls: [{ id: "g", name: "generate_response", input: { response: { n: 1 } } }] },
      clerk,
    ]);
    await first.call("a", { idempotencyKey: "ka", output });
    const asked = await first.call("b", { idempotencyKey: "kb" });
    await first.shutdown();
    const second = open([]);
    expect((await second.call("a", { idempotencyKey: "ka", output })).output).toEqual({ n: 1 });
    const again = await second.call("b", { idempotencyKey: "kb" });
    expect([again.reason, again.content, again.pending]).toEqual([
      asked.reason,
      asked.content,
      asked.pending,
    ]);
  });

  test.each<[string, boolean]>([
    ["at once", false],
    ["after another call", true],
  ])("gets its own reply %s if the store failed at the end of its turn", async (_, another) => {
    const { store, failEnd } = failingAtEnd();
    const { agent } = scripted(["one", "two"], { store, sessionId: "s" });
    failEnd();
    const lost = agent.call("a", { idempotencyKey: "ka" });
    await expect(lost).rejects.toMatchObject({ code: "store/failed" });
    if (another) expect((await agent.call("b")).text).toBe("two");
    const again = await agent.call("a", { idempotencyKey: "ka" });
    expect([again.text, again.reason]).toEqual(["one", "MODEL_STOP"]);
  });

  test("the idempotency key of a refused call can be used again", async () => {
    const agent = processes()([clerk, "thanks", "hello"]);
    await agent.call("a");
    const refused = agent.call("b", { idempotencyKey: "kb" });
    await expect(refused).rejects.toMatchObject({ code: "run/pending" });
    await agent.call(toolResultMsg([{ callId: "c1", name: "clerk", text: "yes" }]));
    expect((await agent.call("b", { idempotencyKey: "kb" })).text).toBe("hello");
    expect((await agent.messages()).map(textOf).slice(-3)).toEqual(["thanks", "b", "hello"]);
  });

  test("a used idempotency key continues a failed turn, and does not store the input twice", async () => {
    const open = processes();
    const first = open([down]);
    await expect(first.call("a", { idempotencyKey: "ka" })).rejects.toMatchObject({ code: "model/auth" });
    await first.shutdown();
    const second = open(["fine"]);
    expect((await second.call("a", { idempotencyKey: "ka" })).text).toBe("fine");
    expect((await second.messages()).map(textOf)).toEqual(["a", "fine"]);
  });

  test("a used idempotency key returns the error of its turn once another turn has followed", async () => {
    const agent = processes()([down, "b"]);
    await expect(agent.call("a", { idempotencyKey: "ka" })).rejects.toMatchObject({ code: "model/auth" });
    await agent.call("b");
    await expect(agent.call("a", { idempotencyKey: "ka" })).rejects.toMatchObject({ message: "no key" });
    expect(await agent.messages()).toHaveLength(3);
  });

  test("a used idempotency key returns the reply of a turn that was shut down and ended in another process", async () => {
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<string>();
    const open = processes({ tools: [toolOf("clerk", () => (started.resolve(), gate.promise))] });
    const first = open([clerk]);
    const call = first.call("a", { idempotencyKey: "ka" });
    call.catch(() => {});
    await started.promise;
    const stopping = first.shutdown();
    gate.resolve("yes");
    await stopping;
    await expect(call).rejects.toMatchObject({ code: "run/shutdown" });
    const second = open(["ended", "later"]);
    await second.call();
    await second.call("b");
    await second.shutdown();
    expect((await open([]).call("a", { idempotencyKey: "ka" })).text).toBe("ended");
  });
});

describe("without a store", () => {
  test("a key whose turn failed goes on with it, and does not give the input twice", async () => {
    const { agent } = scripted([down, "fine", "b"]);
    await expect(agent.call("a", { idempotencyKey: "ka" })).rejects.toMatchObject({ code: "model/auth" });
    expect((await agent.call("a", { idempotencyKey: "ka" })).text).toBe("fine");
    await agent.call("b");
    expect((await agent.call("a", { idempotencyKey: "ka" })).text).toBe("fine");
    expect((await agent.messages()).map(textOf)).toEqual(["a", "fine", "b", "b"]);
  });

  test("a key that was refused is free again", async () => {
    const { agent } = scripted([clerk, "thanks", "hello"], { tools: [toolOf("clerk")] });
    await agent.call("a");
    const refused = agent.call("b", { idempotencyKey: "kb" });
    await expect(refused).rejects.toMatchObject({ code: "run/pending" });
    await agent.call(toolResultMsg([{ callId: "c1", name: "clerk", text: "yes" }]));
    expect((await agent.call("b", { idempotencyKey: "kb" })).text).toBe("hello");
  });
});

describe("the final outcome of an input", () => {
  const resumptions: readonly [string, (agent: Agent) => Promise<unknown>][] = [
    ["the same key", (agent) => agent.call("pay", { idempotencyKey: "k" })],
    ["a call without input", (agent) => agent.call()],
  ];
  const setups: readonly [string, () => Partial<AgentConfig>][] = [
    ["with a store", () => ({ store: memoryStore(), sessionId: "s" })],
    ["without a store", () => ({})],
  ];

  test.each(
    setups.flatMap(([where, setup]) => resumptions.map(([how, goOn]) => [where, how, setup, goOn] as const)),
  )("%s is that of the turn that went on by %s after it had failed", async (_, __, setup, goOn) => {
    const { agent } = scripted([down, "paid", "more"], setup());
    await expect(agent.call("pay", { idempotencyKey: "k" })).rejects.toMatchObject({ code: "model/auth" });
    await goOn(agent);
    expect((await agent.call("pay", { idempotencyKey: "k" })).text).toBe("paid");
    await agent.call("another");
    expect((await agent.call("pay", { idempotencyKey: "k" })).text).toBe("paid");
    expect((await agent.messages()).map(textOf)).toEqual(["pay", "paid", "another", "more"]);
  });

  test.each(resumptions)("is the same in every later process after %s", async (_, goOn) => {
    const open = processes();
    const first = open([down]);
    await expect(first.call("pay", { idempotencyKey: "k" })).rejects.toMatchObject({ code: "model/auth" });
    await first.shutdown();
    const second = open(["paid"]);
    await goOn(second);
    await second.shutdown();
    const third = open(["more"]);
    expect((await third.call("pay", { idempotencyKey: "k" })).text).toBe("paid");
    await third.call("another", { idempotencyKey: "k2" });
    expect((await third.call("pay", { idempotencyKey: "k" })).text).toBe("paid");
  });

  test.each(setups)(
    "%s is the present state while the turn is suspended, and its end later",
    async (_, setup) => {
      const two = {
        calls: [
          { id: "c1", name: "pay" },
          { id: "c2", name: "pay" },
        ],
      };
      const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
      const { agent } = scripted([two, "Done."], { ...setup(), tools });
      const key = { idempotencyKey: "k" };
      expect((await agent.call("go", key)).pending).toHaveLength(2);
      await agent.decide("c1", "approve");
      const again = await agent.call("go", key);
      expect([again.reason, again.pending.map(({ decided }) => decided)]).toEqual([
        "APPROVAL_REQUIRED",
        ["approve", undefined],
      ]);
      await agent.decide("c2", "approve");
      await agent.call();
      const last = await agent.call("go", key);
      expect([last.reason, last.text, last.pending]).toEqual(["MODEL_STOP", "Done.", []]);
    },
  );

  test("is the present state in another process, too", async () => {
    const open = processes({ tools: [toolOf("pay", () => "paid", { permission: "ask" })] });
    const first = open([{ calls: [{ id: "c1", name: "pay" }] }]);
    await first.call("go", { idempotencyKey: "k" });
    await first.decide("c1", { deny: "No." });
    await first.shutdown();
    const again = await open([]).call("go", { idempotencyKey: "k" });
    expect(again.pending.map(({ decided }) => decided)).toEqual([{ deny: "No." }]);
  });
});

describe("a key that is used for another input", () => {
  const reused = { code: "run/key-reused", data: { idempotencyKey: "k" } };

  test("is refused, in this process and in another one", async () => {
    const open = processes();
    const first = open(["one"]);
    const running = first.call("a", { idempotencyKey: "k" });
    await expect(first.call("b", { idempotencyKey: "k" })).rejects.toMatchObject(reused);
    await running;
    await expect(first.call("b", { idempotencyKey: "k" })).rejects.toMatchObject(reused);
    await first.shutdown();
    const second = open([]);
    await expect(second.call("b", { idempotencyKey: "k" })).rejects.toMatchObject(reused);
    expect((await second.call("a", { idempotencyKey: "k" })).text).toBe("one");
  });

  test("is refused while the first input still waits in the inbox", async () => {
    const store = memoryStore();
    const data = { messages: [JSON.parse(JSON.stringify(userMsg("a")))] };
    await store.putInput("s", { id: "k", data });
    const { agent } = scripted(["one"], { store, sessionId: "s" });
    await expect(agent.call("b", { idempotencyKey: "k" })).rejects.toMatchObject(reused);
    expect((await agent.call("a", { idempotencyKey: "k" })).text).toBe("one");
  });
});
