import { setTimeout } from "node:timers/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { createAgent, type Agent, type AgentConfig } from "agentchart";
import {
  inspector,
  startHub,
  type AgentInspector,
  type InspectorOptions,
  type StartedHub,
} from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { applyPatch } from "../../src/inspect/protocol/patch.ts";
import type { SessionStore } from "../../src/store/port.ts";
import type { RunRow, StepPage } from "../../src/inspect/protocol/protocol.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { toolOf } from "../support/agents.ts";
import { ask, HubPage, testHome, testHub } from "../support/hub-page.ts";

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

async function reached(hub: StartedHub, agent: Agent, text: string): Promise<StepPage> {
  await expect
    .poll(async () => JSON.stringify(await stepsIn(hub, agent.sessionId)), { interval: 20 })
    .toContain(text);
  return stepsIn(hub, agent.sessionId);
}

/** What a hub knows of a run once it has heard all that its agent remembers. */
async function remembered(hub: StartedHub, agent: Agent): Promise<StepPage> {
  const messages = JSON.parse(JSON.stringify(await agent.messages())) as object;
  const known = async () => contextIn(await stepsIn(hub, agent.sessionId))["messages"];
  await expect.poll(known, { interval: 20 }).toEqual(messages);
  return stepsIn(hub, agent.sessionId);
}

/** Context after the newest step. */
const contextIn = ({ keyframe = {}, items }: StepPage): JsonObject =>
  items.reduce<JsonObject>((context, { p = [] }) => applyPatch(context, p), keyframe);

const numbers = ({ items }: StepPage): readonly number[] => items.map(({ q }) => q);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

test("without `inspect` no observer is registered", async () => {
  const isObserved = ({ actor }: Agent): boolean => {
    let isRead = false;
    const event = Object.defineProperty({}, "type", { enumerable: true, get: () => (isRead = true) });
    // XState hands an event on only if somebody observes
    const { system } = actor as unknown as { system: { _sendInspectionEvent(event: object): void } };
    system._sendInspectionEvent(event);
    return isRead;
  };
  const [plain, watched] = [bot(undefined), bot(testInspector({ home: testHome() }))];
  expect([isObserved(plain), isObserved(watched)]).toEqual([false, true]);
  await watched.close();
  expect(isObserved(watched)).toBe(false);
});

test("a run that began before the hub and one that begins after it are both seen from their first step", async () => {
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
    const page = await reached(hub, agent, "stopped.settling||");
    expect(JSON.stringify(page)).toContain(text);
    expect(page.items[0]).toMatchObject({ q: 1, e: "xstate.init" });
    expect(numbers(page)).toEqual(upTo(page.total));
  }
});

test("an agent that runs already can be watched from now on", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const agent = bot(undefined);
  await agent.call("unseen");
  testInspector({ home }).watch(agent as never);
  await agent.call("seen");
  const page = await remembered(hub, agent);
  expect(page.items[0]).toMatchObject({ q: 1, e: "xstate.init", x: [] });
  expect(numbers(page)).toEqual(upTo(page.total));
});

test("the hub knows how long the journal is, though the last append ends after the last step was told", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const stored = memoryStore();
  const store: SessionStore = Object.assign(Object.create(stored), {
    append: async (...given: Parameters<SessionStore["append"]>) => {
      await setTimeout(120);
      return stored.append(...given);
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

test("a hub that dies and comes back hears everything, nothing twice, and the agent never knew", async () => {
  const home = testHome();
  const first = await startHub({ home });
  const inspect = testInspector({ home });
  const agent = bot(inspect);
  await agent.call("first");
  const before = await reached(first, agent, "stopped.settling||");
  await first.close();
  await agent.call("second");
  const second = await startHub({ home, port: Number(new URL(first.url).port) });
  onTestFinished(() => second.close());
  await agent.call("third");
  const whole = await remembered(second, agent);
  expect(numbers(whole)).toEqual(upTo(whole.total));
  expect(whole.items.slice(0, before.total)).toEqual(before.items);
});

/** A way to the hub that can be cut, and mended. */
async function breakable(hub: StartedHub): Promise<{ readonly url: string; cut(): void; mend(): void }> {
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
    mend: () => void (isCut = false),
  };
}

test("a connection that breaks is taken up again where it was", async () => {
  const hub = await testHub({ home: testHome() });
  const way = await breakable(hub);
  const agent = bot(testInspector({ url: way.url }));
  const page = await HubPage.open(hub);
  page.follow(agent.sessionId);
  await agent.call("first");
  await expect.poll(() => JSON.stringify(page.steps.get(agent.sessionId))).toContain("stopped.settling||");
  way.cut();
  const lost = (): readonly RunRow[] =>
    page.heard.flatMap((message) =>
      message.type === "runs" ? message.rows.filter(({ worker }) => worker?.isUp === false) : [],
    );
  await expect.poll(lost).not.toEqual([]);
  for (const { can } of lost()) expect(can).toEqual([]);
  await agent.call("second");
  way.mend();
  await expect.poll(() => page.rows.get(agent.sessionId)?.worker?.isUp).toBe(true);
  await expect.poll(() => page.contextOf(agent.sessionId)["messages"]).toEqual(await agent.messages());
  const steps = page.steps.get(agent.sessionId)!;
  expect(steps.map(({ q }) => q)).toEqual(upTo(steps.length));
});

test("what is kept for a hub is bounded; the rest is counted as gone and context is still true", async () => {
  const home = testHome();
  const inspect = testInspector({ home, keep: { steps: 300 } });
  const agent = bot(
    inspect,
    Array.from({ length: 60 }, (_, index) => `answer ${index}`),
  );
  for (let turn = 0; turn < 60; turn++) await agent.call(`question ${turn}`);
  const hub = await testHub({ home });
  const page = await remembered(hub, agent);
  expect(page.first).toBeGreaterThan(100);
  expect(page.total - page.first).toBeLessThan(300);
  expect(page.keyframe).toBeDefined();
  expect(numbers(page)).toEqual(upTo(page.total).slice(page.first - 1));
});

test("streamed text comes before the message, tool output too, and arguments stop at a secret", async () => {
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
  page.follow(agent.sessionId);
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
  await expect.poll(() => JSON.stringify(page.heard)).toContain('"password":"[redacted]"');
  expect(JSON.stringify(page.heard)).not.toContain("hunter2");
  expect(page.stream.map(({ n }) => n)).toEqual(upTo(page.stream.length));
});

test("hostile values run through, and the agent does not fail", async () => {
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
  const page = await reached(hub, agent, "stopped.settling||");
  const text = JSON.stringify(page);
  expect(text.length).toBeLessThan(100_000);
  const [, sha] = /"\$blob":"([0-9a-f]{32})","length":5000000/.exec(text)!;
  const blob = await ask(hub, `/api/runs/${agent.sessionId}/blob/${sha!}`);
  expect(await blob.text()).toBe(long);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("processes that drive one session in turns tell one run, whose context is true throughout", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  const store = memoryStore();
  const [here, there] = [testInspector({ home }), testInspector({ home })];
  for (const [turn, inspect] of [here, there, here, here, there].entries()) {
    const model = scriptedModel([`answer ${turn}`]);
    const agent = createAgent({ name: "bot", model, inspect, store, sessionId: "shared" });
    await agent.call(`question ${turn}`);
    await agent.close();
    const page = await remembered(hub, agent);
    expect(numbers(page)).toEqual(upTo(page.total));
  }
});

test("an address that is none is refused at once, without its token", () => {
  expect(() => bot("localhost:4000")).toThrow(/expected "auto" or an address/);
  expect(() => bot("nonsense#w=very-secret")).toThrow(/^(?!.*very-secret)/);
});

test("a wrong token, another version and a server that is no hub leave the agent alone", async () => {
  const home = testHome();
  const hub = await testHub({ home });
  for (const url of [`${hub.url}#w=wrong`, "http://127.0.0.1:9#w=x"]) {
    const agent = bot(testInspector({ url }));
    expect((await agent.call("go")).text).toBe("one");
    await agent.close();
    expect((await ask(hub, `/api/runs/${agent.sessionId}`)).status).toBe(404);
  }
});
