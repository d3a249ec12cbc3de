// The option `inspector`: agents are observed once, whenever hubs come and go.
import { setTimeout } from "node:timers/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { createAgent, defineSlot, type Agent, type AgentConfig } from "agentchart";
import {
  inspector,
  startHub,
  type AgentInspector,
  type InspectorOptions,
  type StartedHub,
} from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { liveMachine } from "../../../src/agent/services/actors.ts";
import { stepsOf as chartSteps } from "../../../src/agent/steps.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { SessionStore } from "../../../src/store/port.ts";
import type { RunRow, StepPage } from "../../../src/inspect/protocol/protocol.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { toolOf } from "../../support/agents.ts";
import { ask, HubPage, testHome, testHub } from "../../support/hub-page.ts";

const RETRY: readonly [number, number] = [10, 50];

function testInspector(options: InspectorOptions): AgentInspector {
  const made = inspector({ retryMs: RETRY, ...options });
  onTestFinished(() => made.close());
  return made;
}

function bot(inspect: AgentConfig["inspect"], turns = ["one", "two", "three", "four"]): Agent {
  return createAgent({ name: "bot", model: scriptedModel(turns), ...(inspect && { inspect }) });
}

async function stepsIn(hub: StartedHub, runId: string): Promise<StepPage> {
  return (await (await ask(hub, `/api/runs/${runId}/steps?from=1`)).json()) as StepPage;
}

async function stepsWith(hub: StartedHub, agent: Agent, text: string): Promise<StepPage> {
  await expect
    .poll(async () => JSON.stringify(await stepsIn(hub, agent.sessionId)), { interval: 20 })
    .toContain(text);
  return stepsIn(hub, agent.sessionId);
}

/** Returns the hub's steps of a run once they contain all messages of the agent. */
async function completeSteps(hub: StartedHub, agent: Agent): Promise<StepPage> {
  const messages = JSON.parse(JSON.stringify(await agent.messages())) as object;
  const known = async () => contextIn(await stepsIn(hub, agent.sessionId))["messages"];
  await expect.poll(known, { interval: 20 }).toEqual(messages);
  return stepsIn(hub, agent.sessionId);
}

/** The context after the newest step. */
const contextIn = ({ keyframe = {}, items }: StepPage): JsonObject =>
  items.reduce<JsonObject>((context, { p = [] }) => applyPatch(context, p), keyframe);

const numbers = ({ items }: StepPage): readonly number[] => items.map(({ q }) => q);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

test("an agent without `inspect` registers no observer", async () => {
  const observed = ({ actor }: Agent): { isRead: boolean } => {
    const seen = { isRead: false };
    const event = { type: "hooks.listen", points: [] } as const;
    // only an observer reads from whom an event came
    const by = { enumerable: true, get: () => void (seen.isRead = true) };
    for (let count = 0; count < 20; count++)
      actor.send(Object.defineProperty({ ...event }, "by", by) as never);
    return seen;
  };
  const [plain, watched] = [bot(undefined), bot(testInspector({ home: testHome() }))].map(observed);
  await expect.poll(() => watched!.isRead).toBe(true);
  expect(plain!.isRead).toBe(false);
});

test("the inspector observes an agent once, until it is closed", async () => {
  const agent = bot(undefined);
  const source = chartSteps(agent);
  const { subscribe } = source;
  let observers = 0;
  vi.spyOn(source, "subscribe").mockImplementation((...listeners) => {
    const end = subscribe.apply(source, listeners);
    observers++;
    return () => {
      observers--;
      end();
    };
  });
  const inspect = testInspector({ home: testHome() });
  inspect.watch(agent as never);
  await agent.call("go");
  expect(observers).toBe(1);
  await agent.close();
  expect(observers).toBe(0);
});

test("an agent takes its steps in the short way while the inspector watches it, and in XState's own for an observer of its events", async () => {
  const microsteps = vi.spyOn(liveMachine, "getTransitionData");
  onTestFinished(() => microsteps.mockRestore());
  const taken = async (inspect: AgentConfig["inspect"]): Promise<number> => {
    microsteps.mockClear();
    const agent = bot(inspect);
    await agent.call("go");
    await agent.close();
    return microsteps.mock.calls.length;
  };
  const alone = await taken(undefined);
  expect(await taken(testInspector({ home: testHome() }))).toBe(alone);
  expect(await taken(() => {})).toBeGreaterThan(alone);
});

test("runs that start before and after the hub are both reported from their first step", async () => {
  const home = testHome();
  const inspect = testInspector({ home });
  const early = bot(inspect);
  await early.call("before");
  const hub = await testHub({ home });
  const late = bot(inspect);
  await late.call("after");
  for (const [agent, text] of [
    [early, "before"],
    [late, "after"],
  ] as const) {
    const page = await stepsWith(hub, agent, "stopped.settling||");
    expect(JSON.stringify(page)).toContain(text);
    expect(page.items[0]).toMatchObject({ q: 1, e: "xstate.init" });
    expect(numbers(page)).toEqual(upTo(page.total));
  }
});

test("watch() reports an agent that has run before, from its current state on", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const agent = bot(undefined);
  await agent.call("unseen");
  testInspector({ home }).watch(agent as never);
  await agent.call("seen");
  const page = await completeSteps(hub, agent);
  expect(page.items[0]).toMatchObject({ q: 1, e: "xstate.init", x: [] });
  expect(numbers(page)).toEqual(upTo(page.total));
});

test("the hub gets the journal's final position although the last append ends after the last step", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const stored = memoryStore();
  const store: SessionStore = Object.assign(Object.create(stored), {
    append: async (...args: Parameters<SessionStore["append"]>) => {
      await setTimeout(120);
      return stored.append(...args);
    },
  });
  const inspect = testInspector({ home });
  const agent = createAgent({ name: "bot", model: scriptedModel(["one"]), store, inspect });
  onTestFinished(() => agent.close());
  await agent.call("Go.");
  await expect
    .poll(
      async () =>
        ((await (await ask(hub, `/api/runs/${agent.sessionId}`)).json()) as { row: RunRow }).row.seq,
    )
    .toBe((await stored.load(agent.sessionId))!.seq);
});

test("a hub that is restarted receives every step once", async () => {
  const home = testHome();
  const first = await startHub({ home });
  const inspect = testInspector({ home });
  const agent = bot(inspect);
  await agent.call("first");
  const before = await stepsWith(first, agent, "stopped.settling||");
  await first.close();
  await agent.call("second");
  const second = await startHub({ home, port: Number(new URL(first.url).port) });
  onTestFinished(() => second.close());
  await agent.call("third");
  const whole = await completeSteps(second, agent);
  expect(numbers(whole)).toEqual(upTo(whole.total));
  expect(whole.items.slice(0, before.total)).toEqual(before.items);
});

/** A proxy to the hub whose connections can be cut and allowed again. */
async function breakableProxy(
  hub: StartedHub,
): Promise<{ readonly url: string; cut(): void; allow(): void }> {
  const { port } = new URL(hub.url);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), "127.0.0.1");
    const own = String((server.address() as AddressInfo).port);
    near.once("data", (data) => {
      far.write(String(data).replace(`127.0.0.1:${own}`, `127.0.0.1:${port}`));
      near.pipe(far).pipe(near);
    });
    for (const socket of [near, far]) open.add(socket.on("error", () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(hub.workerUrl).hash}`,
    cut: () => {
      isCut = true;
      open.forEach((socket) => socket.destroy());
    },
    allow: () => void (isCut = false),
  };
}

test("a connection that breaks resumes after the last received step", async () => {
  const hub = await testHub({ home: testHome() });
  const proxy = await breakableProxy(hub);
  const agent = bot(testInspector({ url: proxy.url }));
  const page = await HubPage.open(hub);
  page.subscribe(agent.sessionId);
  await agent.call("first");
  await expect.poll(() => JSON.stringify(page.steps.get(agent.sessionId))).toContain("stopped.settling||");
  proxy.cut();
  const lost = (): readonly RunRow[] =>
    page.received.flatMap((message) =>
      message.type === "runs" ? message.rows.filter(({ worker }) => worker?.isUp === false) : [],
    );
  await expect.poll(lost).not.toEqual([]);
  for (const { can } of lost()) expect(can).toEqual([]);
  await agent.call("second");
  proxy.allow();
  await expect.poll(() => page.rows.get(agent.sessionId)?.worker?.isUp).toBe(true);
  await expect.poll(() => page.contextOf(agent.sessionId)["messages"]).toEqual(await agent.messages());
  const steps = page.steps.get(agent.sessionId)!;
  expect(steps.map(({ q }) => q)).toEqual(upTo(steps.length));
});

test("the history for a late hub is bounded, reports the first step that is left, and has a correct context", async () => {
  const home = testHome();
  const inspect = testInspector({ home, keep: { steps: 300 } });
  const agent = bot(
    inspect,
    Array.from({ length: 240 }, (_, index) => `answer ${index}`),
  );
  for (let turn = 0; turn < 240; turn++) await agent.call(`question ${turn}`);
  const hub = await testHub({ home });
  const page = await completeSteps(hub, agent);
  expect(page.first).toBeGreaterThan(100);
  expect(page.total - page.first).toBeLessThan(300);
  expect(page.keyframe).toBeDefined();
  expect(numbers(page)).toEqual(upTo(page.total).slice(page.first - 1));
});

test("text and tool output are streamed before the message, and arguments stop at a secret", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const open = Promise.withResolvers<void>();
  const agent = createAgent({
    name: "bot",
    inspect: testInspector({ home }),
    tools: [
      toolOf("login", async (_input, { emit }) => {
        emit("working");
        await open.promise;
        return "in";
      }),
    ],
    model: scriptedModel([
      [
        { type: "text.delta", delta: "let me " },
        { type: "text.delta", delta: "see" },
        { type: "tool.delta", key: 0, name: "login", args: '{"user":"ann",' },
        { type: "tool.delta", key: 0, args: '"password":"hunt' },
        { type: "tool.delta", key: 0, args: 'er2"}' },
        { type: "finish", reason: "tool_calls" },
      ],
      "done",
    ]),
  });
  const page = await HubPage.open(hub);
  page.subscribe(agent.sessionId);
  await expect.poll(() => page.rows.has(agent.sessionId)).toBe(true);
  const reply = agent.call("go");
  const said = (kind: string): string =>
    page.stream
      .filter((delta) => delta.kind === kind)
      .map(({ delta }) => delta)
      .join("");
  await expect.poll(() => said("tool")).toBe("working");
  expect(said("text")).toBe("let me see");
  expect(said("tool_use")).toBe('{"user":"ann",');
  open.resolve();
  await reply;
  await expect.poll(() => page.rows.get(agent.sessionId)?.phase).toBe("stopped");
  await expect.poll(() => JSON.stringify(page.received)).toContain('"password":"[redacted]"');
  expect(JSON.stringify(page.received)).not.toContain("hunter2");
  expect(page.stream.map(({ n }) => n)).toEqual(upTo(page.stream.length));
});

test("an agent with long and hostile tool results runs and is reported", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const long = "z".repeat(5_000_000);
  const agent = createAgent({
    name: "bot",
    inspect: testInspector({ home }),
    tools: [
      toolOf("odd", () => ({
        state: "success",
        output: [{ type: "text", text: long }],
        metadata: { fn: () => 1, ...JSON.parse('{"__proto__":{"polluted":1}}') } as never,
      })),
    ],
    model: scriptedModel([
      [
        { type: "tool.delta", key: 0, name: "odd", args: "{}" },
        { type: "finish", reason: "tool_calls" },
      ],
      "done",
    ]),
  });
  expect((await agent.call("go")).text).toBe("done");
  const page = await stepsWith(hub, agent, "stopped.settling||");
  const text = JSON.stringify(page);
  expect(text.length).toBeLessThan(100_000);
  const [, sha] = /"\$blob":"([0-9a-f]{32})","length":5000000/.exec(text)!;
  const blob = await ask(hub, `/api/runs/${agent.sessionId}/blob/${sha!}`);
  expect(await blob.text()).toBe(long);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("processes that drive one session alternately report one run with a correct context", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const store = memoryStore();
  const [here, there] = [testInspector({ home }), testInspector({ home })];
  for (const [turn, inspect] of [here, there, here, here, there].entries()) {
    const model = scriptedModel([`answer ${turn}`]);
    const agent = createAgent({ name: "bot", model, inspect, store, sessionId: "shared" });
    await agent.call(`question ${turn}`);
    await agent.close();
    const page = await completeSteps(hub, agent);
    expect(numbers(page)).toEqual(upTo(page.total));
  }
});

test("createAgent rejects an invalid inspector address without quoting its token", () => {
  expect(() => bot("localhost:4000")).toThrow(/expected "auto" or an address/);
  expect(() => bot("nonsense#w=very-secret")).toThrow(/^(?!.*very-secret)/);
});

test("an agent runs with a wrong token and with a server that is not a hub", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  for (const url of [`${hub.url}#w=wrong`, "http://127.0.0.1:9#w=x"]) {
    const agent = bot(testInspector({ url }));
    expect((await agent.call("go")).text).toBe("one");
    await agent.close();
    expect((await ask(hub, `/api/runs/${agent.sessionId}`)).status).toBe(404);
  }
});

test("the slots of a session are in the context of each step", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const plan = defineSlot<readonly string[]>({ name: "plan", initial: [] });
  const add = toolOf("add", () => ({ output: [], slots: { plan: ["measure"] } }), { writes: [plan] });
  const model = scriptedModel([{ calls: [{ name: "add", input: {} }] }, "end"]);
  const agent = createAgent({ name: "bot", model, tools: [add], inspect: testInspector({ home }) });
  await agent.call("go");
  await agent.slots.set(plan, ["cut"]);
  const page = await stepsWith(hub, agent, '"cut"');
  expect(contextIn(page)["slots"]).toEqual({ plan: { value: ["cut"], version: 1, revision: 2 } });
  const written = page.items.findIndex(({ p }) => JSON.stringify(p ?? []).includes('"measure"'));
  expect(page.items[written]!.e).toMatch(/^xstate\.done\.actor\.tool\.add/);
});
