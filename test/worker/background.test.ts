// Agents in the background of another session.
import { describe, expect, onTestFinished, test } from "vitest";
import {
  assistantMsg,
  createAgent,
  defineTool,
  textOf,
  toolResultsOf,
  type ChatModel,
  type Msg,
} from "agentchart";
import { deleteSession, openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import {
  backgroundAgents,
  backgroundTasksSlot,
  createDispatcher,
  createWorker,
  inProcessQueue,
  type BackgroundAgentsOptions,
  type WorkerAgentConfig,
} from "agentchart/worker";
import { endText } from "../../src/worker/turn-report.ts";
import { historyProblem } from "../support/history.ts";
import { bench, echoModel } from "./kit.ts";
import { mortal, type Death } from "./mortal.ts";

type Call = readonly [name: string, args: object];

const say = (...calls: readonly Call[]): string => `do ${JSON.stringify(calls)}`;
const start = (message: string, agent = "researcher"): Call => ["task_start", { agent, message }];

/** A model that makes the calls of the newest text that begins with "do", one after the other, and then says what it has heard. */
const desk: ChatModel = {
  name: "desk",
  async *stream({ messages }) {
    const from = messages.findLastIndex(({ role, content }) => role === "user" && isDo(content));
    const calls = JSON.parse(textOf(messages[from]!).slice(3)) as readonly Call[];
    const results = messages.slice(from).flatMap(toolResultsOf);
    const call = calls[results.length];
    if (call)
      yield {
        type: "tool.delta",
        key: 0,
        id: `${from}.${results.length}`,
        name: call[0],
        args: JSON.stringify(call[1]),
      };
    else yield { type: "text.delta", delta: "Done." };
    yield { type: "finish", reason: "stop" };
  },
};
const isDo = (content: Msg["content"]): boolean => textOf({ content } as Msg).startsWith("do ");

const textsIn = (messages: readonly Msg[]): string[] =>
  messages.map((message) => {
    const [result] = toolResultsOf(message);
    return result
      ? `tool: ${textOf({ content: result.output } as never)}`
      : `${message.name}: ${textOf(message)}`;
  });

type Agents = { readonly [name: string]: Partial<WorkerAgentConfig> };

/** A worker with a desk that starts agents in the background. */
async function office(agents: Agents = {}, options: Partial<BackgroundAgentsOptions> = {}) {
  const backend = { queue: inProcessQueue(), store: memoryStore() };
  const names = ["researcher", ...Object.keys(agents)];
  const tools = backgroundAgents({
    ...backend,
    agents: Object.fromEntries(names.map((name) => [name, `The ${name}.`])),
    ...options,
  });
  const { dispatcher } = await bench({
    ...backend,
    sweepMs: 20,
    agents: {
      desk: () => ({ name: "desk", model: desk, tools, meta: { tenant: "acme" } }),
      ...Object.fromEntries(
        names.map((name) => [name, () => ({ name, model: echoModel, ...agents[name] }) as never]),
      ),
    },
  });
  const at = async (id: string) => (await openSession(backend.store, id)).at();
  return {
    ...backend,
    tools,
    dispatcher,
    at,
    texts: async () => textsIn((await at("d")).messages),
    last: async () => textsIn((await at("d")).messages).at(-1),
  };
}

const held = () => {
  const gate = Promise.withResolvers<string>();
  const hold = defineTool({ name: "hold", description: "h", input: {}, execute: () => gate.promise });
  return { gate, hold };
};

describe("an agent in the background", () => {
  test("is started at once, and its end is the input of the next turn of a session at rest", async () => {
    const { gate, hold } = held();
    const { dispatcher, texts, at, store } = await office({ slow: { tools: [hold] } });
    await dispatcher.dispatch("d", say(start("call hold", "slow")), { agent: "desk" });
    await expect.poll(async () => (await texts()).at(-1)).toBe("desk: Done.");
    expect((await texts()).at(-2)).toBe(
      "tool: Started task 0.0 of 'slow'. You will be told when it has ended.",
    );
    gate.resolve("found");
    await expect.poll(async () => (await texts()).length).toBe(6);
    expect((await texts()).slice(4)).toEqual([
      "slow: Task 0.0 of 'slow' has ended.\necho: found",
      "desk: Done.",
    ]);
    expect((await at("d")).messages[4]!.metadata).toEqual({
      task: { id: "0.0", sessionId: "d/0.0", reason: "MODEL_STOP" },
    });
    const { sessions } = await store.list({ meta: { tenant: "acme" } });
    expect(sessions.map(({ sessionId, meta }) => [sessionId, meta["parent"]])).toEqual([
      ["d", undefined],
      ["d/0.0", { sessionId: "d", callId: "0.0", isBackground: true, path: ["desk"] }],
    ]);
    await deleteSession(store, "d");
    expect((await store.list({})).sessions).toEqual([]);
  });

  test("is waited for, and told to a running turn without another one", async () => {
    const { dispatcher, texts, at } = await office();
    const calls = [start("hello"), ["task_output", { id: "0.0", wait_seconds: 60 }]] as const;
    await dispatcher.dispatch("d", say(...calls, ["task_list", {}]), { agent: "desk" });
    await expect.poll(async () => (await texts()).join("\n")).toContain("has ended.\necho: hello");
    await expect.poll(async () => (await dispatcher.status("d")).inputs).toBe(0);
    await expect.poll(async () => (await at("d")).state).toBe("stopped.idle");
    expect(await texts()).toContain("tool: echo: hello");
    expect(await texts()).toContain('tool: 0.0 (researcher, "hello"): It has ended.');
    expect((await texts()).filter((text) => text.includes("Task 0.0"))).toHaveLength(1);
  });

  test("that waits for a person is decided in its own session, and reported only then", async () => {
    const pay = defineTool({
      name: "pay",
      description: "p",
      input: {},
      permission: "ask",
      execute: () => "paid",
    });
    const { dispatcher, texts, last } = await office({ clerk: { tools: [pay] } });
    await dispatcher.dispatch("d", say(start("call pay", "clerk")), { agent: "desk" });
    await expect.poll(async () => (await dispatcher.status("d/0.0")).phase).toBe("suspended");
    await dispatcher.dispatch("d", say(["task_output", { id: "0.0", wait_seconds: 60 }]));
    await expect
      .poll(async () => (await texts()).join("\n"))
      .toContain("tool: It waits for a person (approval): pay.");
    const { pending, inputs } = await dispatcher.status("d/0.0");
    expect(inputs).toBe(1); // its report
    await dispatcher.decide("d/0.0", pending[0]!.callId, "approve");
    await expect.poll(async () => (await texts()).join("\n")).toContain("has ended.\necho: paid");
    await expect.poll(last).toBe("desk: Done.");
  });

  test("is cancelled, and so is one that has not begun", async () => {
    const { hold } = held();
    const { dispatcher, texts, last } = await office({
      slow: { tools: [hold], turnOptions: { interruptGraceMs: 0 } },
    });
    await dispatcher.dispatch("d", say(start("call hold", "slow")), { agent: "desk" });
    await expect.poll(last).toBe("desk: Done.");
    await dispatcher.dispatch("d", say(["task_cancel", { id: "0.0" }]));
    await expect.poll(async () => (await texts()).join("\n")).toContain("ended.\nIt was cancelled.");
    await dispatcher.dispatch("later", "hello", { agent: "slow", delayMs: 60_000, reportTo: "d" });
    await dispatcher.cancel("later");
    await expect
      .poll(async () => (await texts()).join("\n"))
      .toContain("Task later of 'slow' has ended.\nIt has failed: It was cancelled before it was processed.");
  });

  test("that fails says why", async () => {
    const broken: ChatModel = {
      name: "broken",
      stream: () => {
        throw new Error("No connection.");
      },
    };
    const { dispatcher, texts } = await office({ broken: { model: broken } });
    await dispatcher.dispatch("d", say(start("hello", "broken")), { agent: "desk" });
    await expect
      .poll(async () => (await texts()).join("\n"))
      .toContain("broken: Task 0.0 of 'broken' has ended.\nIt has failed: No connection.");
  });

  test("is not reported to a session that is gone, nor with `report: false`", async () => {
    const { dispatcher, store, texts, last } = await office({}, { report: false });
    await dispatcher.dispatch("alone", "hello", { agent: "researcher", reportTo: "nobody" });
    const own = createAgent({ name: "own", model: echoModel, store, sessionId: "own" });
    await own.call("hello");
    await dispatcher.dispatch("alone too", "hello", { agent: "researcher", reportTo: "own" });
    await dispatcher.dispatch("d", say(start("hello"), ["task_output", { id: "0.0", wait_seconds: 60 }]), {
      agent: "desk",
    });
    await expect.poll(last).toBe("desk: Done.");
    expect((await texts())[2]).toBe("tool: Started task 0.0 of 'researcher'.");
    await expect.poll(async () => (await dispatcher.status("alone")).inputs).toBe(0);
    await expect(dispatcher.status("nobody")).rejects.toThrow("Session not found");
    await expect.poll(async () => (await dispatcher.status("alone too")).inputs).toBe(0);
    expect((await dispatcher.status("own")).inputs).toBe(0); // no worker would take it
    expect(await texts()).toHaveLength(6);
  });

  test("reports right after its turn, before the inputs behind it", async () => {
    const { dispatcher, texts } = await office();
    await dispatcher.dispatch("d", say(), { agent: "desk" });
    await dispatcher.dispatch("r", "one", { agent: "researcher", reportTo: "d" });
    await dispatcher.dispatch("r", "two", { reportTo: "d" });
    await dispatcher.dispatch("r", "three");
    await expect.poll(async () => (await texts()).join("\n")).toContain("echo: two");
    const reports = (await texts()).filter((text) => text.startsWith("researcher"));
    expect(reports).toEqual([
      "researcher: Task r of 'researcher' has ended.\necho: one",
      "researcher: Task r of 'researcher' has ended.\necho: two",
    ]);
  });
});

describe("wrong use of agents in the background", () => {
  const first = async (agents: Agents, options: Partial<BackgroundAgentsOptions>, ...calls: Call[]) => {
    const { dispatcher, texts, last } = await office(agents, options);
    await dispatcher.dispatch("d", say(...calls), { agent: "desk" });
    await expect.poll(last).toBe("desk: Done.");
    return texts();
  };

  test("is an error for the model", async () => {
    const { hold } = held();
    const slow = { slow: { tools: [hold], turnOptions: { interruptGraceMs: 0 } } };
    const texts = await first(
      slow,
      { maxRunning: 1 },
      ["task_output", { id: "x" }],
      start("  "),
      start("hello", "nobody"),
      start("call hold", "slow"),
      start("hello"),
      ["task_cancel", { id: "y" }],
    );
    expect(texts.filter((text) => text.startsWith("tool"))).toEqual([
      'tool: Error: There is no task "x"; there are: none.',
      "tool: Error: Message is required",
      expect.stringContaining("agent"),
      "tool: Started task 0.3 of 'slow'. You will be told when it has ended.",
      "tool: Error: 1 tasks run already, the most that may; wait for one or cancel it.",
      'tool: Error: There is no task "y"; there are: 0.3.',
    ]);
  });

  test("names the path of agents that start each other", async () => {
    const { dispatcher, texts, tools } = await office({ boss: { model: desk, tools: [] } });
    expect(tools.map(({ name }) => name)).toEqual(["task_start", "task_output", "task_cancel", "task_list"]);
    await dispatcher.dispatch("d", say(start("x", "researcher")), {
      agent: "desk",
      meta: { parent: { sessionId: "p", callId: "c", isBackground: true, path: ["researcher"] } },
    });
    await expect.poll(async () => (await texts()).join("\n")).toContain("researcher/desk/researcher");
  });

  test("without the store of the workers, or without agents, is refused", async () => {
    const { tools, queue, store } = await office();
    const agent = createAgent({ name: "desk", model: desk, tools });
    await agent.call(say(start("hello")));
    expect(textsIn(await agent.messages()).join("\n")).toContain(
      "has no `store`; expected that of the workers",
    );
    expect(() => backgroundAgents({ queue, store, agents: {} })).toThrow("expected at least one");
    expect(() => backgroundAgents({ queue, store } as never)).toThrow("an object of descriptions");
  });
});

/** A desk that starts an agent, on a worker that dies at one of its appends, and then on one that does not. */
async function live(death?: Death) {
  let ahead = 0;
  const real = memoryStore({ now: () => Date.now() + ahead });
  const ran: string[] = [];
  const first = mortal(real, death);
  const workerOn = (store: typeof real, isAlive: () => boolean) => {
    const queue = inProcessQueue();
    const look = defineTool({
      name: "look",
      description: "l",
      input: {},
      onRestart: "retry",
      execute: (_, { callId }) => (isAlive() ? (ran.push(callId), "seen") : new Promise<string>(() => {})),
    });
    const tools = backgroundAgents({ queue, store, agents: { researcher: "Looks." } });
    const agents = {
      desk: () => ({ name: "desk", model: desk, tools }),
      researcher: () => ({ name: "researcher", model: echoModel, tools: [look] }),
    };
    return createWorker({
      store,
      queue,
      agents,
      leaseMs: 60_000,
      sweepMs: 20,
      pollMs: 20,
      storeTimeoutMs: 0,
    });
  };
  const workers = [
    workerOn(first.store as never, () => !first.isDead()),
    workerOn(real, () => true),
  ] as const;
  onTestFinished(async () => {
    first.bury();
    await Promise.all(workers.map((worker) => worker.close({ deadlineMs: 0 })));
  });
  const dispatcher = createDispatcher({ store: real, queue: inProcessQueue() });
  await dispatcher.dispatch("d", say(start("call look")), { agent: "desk", idempotencyKey: "1" });
  await workers[0].start();
  const isTold = async (): Promise<boolean> => {
    if (first.isDead() && ahead === 0) {
      ahead = 60_000;
      await workers[1].start();
    }
    const { phase, inputs, seq } = await dispatcher.status("d");
    if (seq === 0 || phase !== "stopped" || inputs > 0) return false;
    const { messages } = await (await openSession(real, "d")).at();
    return textsIn(messages).some((text) => text.startsWith("researcher"));
  };
  await expect.poll(isTold, { interval: 20 }).toBe(true);
  await expect.poll(async () => (await dispatcher.status("d/0.0")).inputs).toBe(0);
  const { messages } = await (await openSession(real, "d")).at();
  const { messages: inner, context } = await (await openSession(real, "d/0.0")).at();
  expect([historyProblem(messages), historyProblem(inner)]).toEqual([undefined, undefined]);
  return { appends: first.appends(), texts: textsIn(messages), inner: textsIn(inner), ran, context };
}

test("a worker that dies at any append starts a task once and reports it once", async () => {
  const whole = await live();
  const deaths = Array.from({ length: whole.appends }, (_, index) => index + 1).flatMap((append) =>
    (["before", "after"] as const).map((when) => ({ append, when })),
  );
  expect(deaths.length).toBeGreaterThan(15);
  await Promise.all(
    deaths.map(async (death) => {
      const label = JSON.stringify(death);
      const { texts, inner } = await live(death);
      expect(texts, label).toEqual(whole.texts);
      expect(inner, label).toEqual(whole.inner);
    }),
  );
  expect(whole.texts.filter((text) => text.startsWith("researcher"))).toHaveLength(1);
});

test("the tasks are in a slot of the session", async () => {
  const { dispatcher, at, last } = await office();
  await dispatcher.dispatch("d", say(start("x".repeat(200))), { agent: "desk" });
  await expect.poll(last).toBe("desk: Done.");
  expect((await at("d")).context["slots"]).toMatchObject({
    [backgroundTasksSlot.name]: { value: [{ id: "0.0", agent: "researcher", title: "x".repeat(80) }] },
  });
});

test("a long answer is told up to a whole character", () => {
  const reply = assistantMsg(`x${"😀".repeat(20_000)}`);
  const text = endText({ reason: "MODEL_STOP", reply });
  expect(text).toHaveLength(20_001);
  expect(text.isWellFormed()).toBe(true);
});
