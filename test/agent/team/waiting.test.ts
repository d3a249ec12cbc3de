// Agents inside of calls that wait for a person, at any depth.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAgent, suspend, type Agent, type AgentConfig, type Decision } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { historyProblem } from "../../support/history.ts";
import { outputOf, resultsOf, toolOf } from "../../support/agents.ts";

/** A model that is a function of the history: asked again, in any process, it says the same. `calls` go in its first answer. */
function once(calls: readonly { readonly id: string; readonly name: string; readonly input?: object }[]) {
  return {
    name: "clerk",
    async *stream({ messages }: { readonly messages: readonly unknown[] }) {
      const results = resultsOf(messages as never);
      if (results.length > 0)
        yield { type: "text.delta", delta: `Did ${results.map(outputOf).join(", ")}.` } as const;
      else
        for (const [key, { id, name, input = { message: "do it" } }] of calls.entries())
          yield { type: "tool.delta", key, id, name, args: JSON.stringify(input) } as const;
      yield { type: "finish", reason: "stop" } as const;
    },
  };
}

/** A desk, two agents below it, and `wipe` of the innermost one, which asks. */
function deep(wiped: string[], config: Partial<AgentConfig>): Agent {
  const wipe = toolOf("wipe", (_, { idempotencyKey }) => (wiped.push(idempotencyKey), "wiped"), {
    permission: "ask",
  });
  const cleaner = {
    name: "cleaner",
    model: once([{ id: "call_9", name: "wipe", input: { disk: 1 } }]),
    tools: [wipe],
  };
  const boss = {
    name: "boss",
    model: once([{ id: "call_7", name: "call_cleaner" }]),
    tools: [agentTool({ agent: cleaner })],
  };
  return createAgent({
    name: "desk",
    model: once([{ id: "call_1", name: "call_boss" }]),
    tools: [agentTool({ agent: boss })],
    sessionId: "p",
    ...config,
  });
}

test.each(["budget", "stopped"])("a call inside whose id is %s is denied alone", async (id) => {
  const wipe = toolOf("wipe", () => "wiped", { permission: "ask" });
  const cleaner = { name: "cleaner", model: once([{ id, name: "wipe", input: {} }]), tools: [wipe] };
  const model = once([{ id: "call_1", name: "call_cleaner" }]);
  const agent = createAgent({ name: "desk", model, tools: [agentTool({ agent: cleaner })] });
  const [{ callId } = { callId: "" }] = (await agent.call("go")).pending;
  expect(callId).toBe(`call_1/${id}`);
  await agent.decide(callId, { deny: "No." });
  expect((await agent.call()).text).toMatch(/^Did Did .*No\./);
});

describe("an approval two agents below", () => {
  test("F19 is asked for by the outermost one, and decided in another process", async () => {
    const wiped: string[] = [];
    const store = memoryStore();
    const first = deep(wiped, { store });
    const reply = await first.call("go");
    expect(reply.pending).toMatchObject([
      {
        callId: "call_1/call_7/call_9",
        name: "wipe",
        input: { disk: 1 },
        waitsFor: "approval",
        path: ["call_boss", "call_cleaner"],
      },
    ]);
    await first.close();
    const second = deep(wiped, { store });
    await second.open();
    const [pending] = second.status().pending;
    await second.decide(pending!.callId, "approve", { argsHash: pending!.argsHash });
    expect((await second.call()).text).toBe("Did Did Did wiped...");
    expect(wiped).toEqual(["p/call_1/call_7/call_9"]);
    expect(historyProblem(await second.messages())).toBeUndefined();
    await second.close();
    const { sessions } = await store.list();
    expect(sessions.map(({ sessionId, phase }) => [sessionId, phase])).toEqual([
      ["p", "stopped"],
      ["p/call_1", "stopped"],
      ["p/call_1/call_7", "stopped"],
    ]);
  });

  test("goes on from the snapshot of the outermost one without a store", async () => {
    const wiped: string[] = [];
    const first = deep(wiped, {});
    await first.call("go");
    const second = deep(wiped, { sessionOptions: { snapshot: first.snapshot() } });
    await second.decide("call_1/call_7/call_9", { deny: "no" });
    expect((await second.call()).text).toBe("Did Did Did Permission denied by user: no...");
    expect(wiped).toEqual([]);
  });

  test("that expires is denied inside, and the turn goes on", async () => {
    let now = 1_000;
    const wiped: string[] = [];
    const agent = deep(wiped, {
      store: memoryStore(),
      sessionOptions: { now: () => now },
      permissions: { expiresAfterMs: 500 },
    });
    await agent.call("go");
    now += 10_000;
    expect((await agent.call()).reason).toBe("MODEL_STOP");
    expect(wiped).toEqual([]);
    await agent.close();
  });
});

describe("two agents that wait at once", () => {
  const pair = (ran: string[], isStored: boolean): Agent => {
    const pay = toolOf("pay", (_, { idempotencyKey }) => (ran.push(idempotencyKey), "paid"), {
      permission: "ask",
    });
    const clerk = { name: "clerk", model: once([{ id: "c", name: "pay" }]), tools: [pay] };
    return createAgent({
      name: "desk",
      model: once([
        { id: "a", name: "call_clerk" },
        { id: "b", name: "call_clerk" },
      ]),
      tools: [agentTool({ agent: clerk })],
      parallelToolCalls: true,
      ...(isStored && { store: memoryStore() }),
      sessionId: randomUUID(),
    });
  };

  test.each([
    ["a", "b", true],
    ["b", "a", true],
    ["a", "b", false],
    ["b", "a", false],
  ])("are answered %s before %s (stored: %s)", async (one, other, isStored) => {
    const ran: string[] = [];
    const agent = pair(ran, isStored);
    const reply = await agent.call("go");
    expect(reply.pending.map(({ callId }) => callId)).toEqual(["a/c", "b/c"]);
    await agent.decide(`${one}/c`, "approve");
    await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
    await agent.decide(`${other}/c`, { deny: "no" });
    expect((await agent.call()).reason).toBe("MODEL_STOP");
    expect(ran).toEqual([`${agent.sessionId}/${one}/c`]);
    await agent.close();
  });

  test("of which one asks twice keep the answer of the other", async () => {
    let rounds = 0;
    const form = toolOf("form", (_, { resumed }) => {
      rounds++;
      if (resumed?.round === 2) return JSON.stringify(resumed.answers);
      return suspend("?", {
        then: "resume",
        asks: [{ id: `q${resumed ? 2 : 1}`, kind: "question", message: "?" }],
      });
    });
    const agent = createAgent({
      name: "desk",
      model: once([{ id: "a", name: "call_clerk" }]),
      tools: [
        agentTool({ agent: { name: "clerk", model: once([{ id: "c", name: "form" }]), tools: [form] } }),
      ],
    });
    await agent.call("go");
    await agent.decide("a/c/q1", { respond: 1 });
    expect((await agent.call()).pending).toMatchObject([{ callId: "a/c/q2", ask: { kind: "question" } }]);
    await agent.decide("a/c/q2", { respond: 2 });
    expect((await agent.call()).text).toBe('Did Did {"q2":{"respond":2}}..');
    expect(rounds).toBe(3);
  });
});

test("a tool of an agent that is answered from outside gets its answer through the parent", async () => {
  const agent = createAgent({
    name: "desk",
    model: once([{ id: "a", name: "call_clerk" }]),
    tools: [
      agentTool({
        agent: { name: "clerk", model: once([{ id: "c", name: "phone" }]), tools: [toolOf("phone")] },
      }),
    ],
  });
  const reply = await agent.call("go");
  expect(reply.pending).toMatchObject([{ callId: "a/c", waitsFor: "externalResult", name: "phone" }]);
  await agent.decide("a/c", { answer: "yes" });
  expect((await agent.call()).text).toBe("Did Did yes..");
});

test("an agent that a hook stops before its tools run goes on when a person says so", async () => {
  const agent = (): Agent =>
    createAgent({
      name: "desk",
      model: once([{ id: "a", name: "call_clerk" }]),
      tools: [
        agentTool({
          agent: {
            name: "clerk",
            model: once([{ id: "c", name: "pay" }]),
            tools: [toolOf("pay", () => "paid")],
            turnOptions: { stopWhen: ({ content }) => content.some(({ type }) => type === "tool_use") },
          },
        }),
      ],
    });
  const goesOn = agent();
  expect((await goesOn.call("go")).pending).toMatchObject([{ callId: "a/stopped" }]);
  await goesOn.decide("a/stopped", { respond: "yes" });
  expect((await goesOn.call()).text).toBe("Did Did paid..");
  const stays = agent();
  await stays.call("go");
  await stays.decide("a/stopped", { decline: true });
  await stays.call();
  expect(outputOf(resultsOf(await stays.messages())[0])).toBe("Error: Execution error: It was stopped.");
});

describe("an agent that has used up its budget", () => {
  const limited = (config: Partial<AgentConfig> = {}): Agent =>
    createAgent({
      name: "desk",
      model: once([{ id: "a", name: "call_clerk" }]),
      tools: [
        agentTool({
          agent: {
            name: "clerk",
            model: once([{ id: "c", name: "look" }]),
            tools: [toolOf("look", () => "x")],
          },
          budget: { modelCalls: 1 },
        }),
      ],
      ...config,
    });

  test.each([
    [{ respond: { extend: { modelCalls: 1 } } }, "Did Did x.."],
    [{ decline: true }, "Did Error: Execution error: Agent 'clerk' has used up its budget.."],
  ] as const)("is an ask, answered with %j", async (answer, text) => {
    const agent = limited();
    const reply = await agent.call("go");
    expect(reply.pending).toMatchObject([{ callId: "a/budget", waitsFor: "answer", ask: { kind: "form" } }]);
    await expect(agent.decide("a/budget", { respond: { extend: {} } })).rejects.toMatchObject({
      code: "run/bad-results",
    });
    await agent.decide("a/budget", answer as Decision);
    expect((await agent.call()).text).toBe(text);
  });

  test("goes on within the parent's budget, which is extended with it", async () => {
    const agent = limited({
      budget: { modelCalls: 3 },
      tools: [
        agentTool({
          agent: {
            name: "clerk",
            model: once([{ id: "c", name: "look" }]),
            tools: [toolOf("look", () => "x")],
          },
        }),
      ],
    });
    expect((await agent.call("go")).reason).toBe("BUDGET_EXCEEDED"); // 1 and 2 of 3
    await agent.extendBudget({ modelCalls: 1 });
    expect(await agent.call()).toMatchObject({ reason: "MODEL_STOP", turn: { modelCalls: 4 } });
  });
});

test("ten model calls of a parent with three parallel agents are never eleven", async () => {
  let modelCalls = 0;
  const counting = (): AgentConfig["model"] => ({
    name: "counting",
    async *stream({ messages }) {
      modelCalls++;
      const { length } = resultsOf(messages);
      yield { type: "tool.delta", key: 0, id: `look_${length}`, name: "look", args: "{}" };
      yield { type: "finish", reason: "tool_calls" };
    },
  });
  const parent = once(["a", "b", "c"].map((id) => ({ id, name: "call_worker" })));
  const agent = createAgent({
    name: "desk",
    model: {
      name: "parent",
      stream: (request) => (modelCalls++, parent.stream(request)),
    },
    tools: [
      agentTool({
        agent: { name: "worker", model: counting(), tools: [toolOf("look", () => "x")], maxIters: 99 },
      }),
    ],
    budget: { modelCalls: 10 },
    parallelToolCalls: true,
    store: memoryStore(),
    sessionId: "p",
  });
  const reply = await agent.call("go");
  expect(modelCalls).toBe(10);
  expect(reply.pending.map(({ callId }) => callId)).toEqual(["a/budget", "b/budget", "c/budget"]);
  for (const { callId } of reply.pending) await agent.decide(callId, { decline: true });
  const end = await agent.call();
  expect(end.reason).toBe("BUDGET_EXCEEDED");
  expect([modelCalls, end.turn.modelCalls]).toEqual([10, 10]);
  await agent.close();
});

test("a share that is nothing asks before its agent begins", async () => {
  const agent = createAgent({
    name: "desk",
    model: once([
      { id: "a", name: "call_w" },
      { id: "b", name: "call_w" },
    ]),
    tools: [agentTool({ agent: { name: "w", model: scriptedModel(["Done."]) } })],
    budget: { modelCalls: 2 },
  });
  const reply = await agent.call("go");
  expect(reply.pending).toMatchObject([{ callId: "b/budget" }]);
  await agent.decide("b/budget", { respond: { extend: { modelCalls: 1 } } });
  const end = await agent.call();
  expect(resultsOf(await agent.messages()).map(({ id }) => id)).toEqual(["a", "b"]);
  expect(end.turn.modelCalls).toBe(3);
});
