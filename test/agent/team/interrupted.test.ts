// Interrupts of an agent whose calls have agents inside.
import { describe, expect, test } from "vitest";
import {
  createAgent,
  toolResultMsg,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type ChatModel,
  type SessionStore,
} from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { agentTool, pipeline, sequence } from "agentchart/team";
import { historyProblem } from "../../support/history.ts";
import { outputOf, resultsOf, toolOf } from "../../support/agents.ts";
import { eventsProblem } from "../../support/paired-events.ts";

type Asked = { readonly id: string; readonly name: string };

/** A model that makes these calls in its first answer to the newest message, and says then what came of them. */
function caller(...calls: readonly Asked[]): ChatModel {
  return {
    name: "caller",
    async *stream({ messages }) {
      const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
      const results = resultsOf(turn);
      if (results.length > 0) yield { type: "text.delta", delta: `Did ${results.map(outputOf).join(", ")}.` };
      else
        for (const [key, { id, name }] of calls.entries())
          yield {
            type: "tool.delta",
            key,
            id: `${id}${messages.length}`,
            name,
            args: '{"message":"do it"}',
          };
      yield { type: "usage", usage: { inputTokens: 10, outputTokens: 1 } };
      yield { type: "finish", reason: "stop" };
    },
  };
}

const clerkOf = (paid: string[]) => ({
  name: "clerk",
  model: caller({ id: "c", name: "pay" }),
  tools: [toolOf("pay", (_, { callId }) => (paid.push(callId), "paid"), { permission: "ask" })],
});

/** A desk, and a clerk below it who asks before it pays. */
function deskOf(
  options: { readonly session?: "perName"; readonly calls?: readonly Asked[]; readonly paid?: string[] },
  config: Partial<AgentConfig> = {},
): Agent {
  const { session = "perCall", calls = [{ id: "a", name: "call_clerk" }], paid = [] } = options;
  return createAgent({
    name: "desk",
    model: caller(...calls),
    tools: [agentTool({ agent: clerkOf(paid), session })],
    sessionId: "p",
    ...config,
  });
}

/** What the turn of an agent has used. */
function usedBy(agent: Agent): { readonly modelCalls: number; readonly inputTokens: number } {
  const { modelCalls, usage } = (
    agent.actor.getSnapshot() as {
      context: { progress: { stats: { modelCalls: number; usage: { inputTokens: number } } } };
    }
  ).context.progress.stats;
  return { modelCalls, inputTokens: usage.inputTokens };
}

/** The sessions of a store with what they rest in. */
async function restsOf(store: SessionStore) {
  const { sessions } = await store.list();
  return sessions.map(({ sessionId, phase, reason }) => [sessionId, phase, reason]);
}

describe("an agent that waits inside of a call whose turn is interrupted", () => {
  test("is interrupted too, at every depth, and what it has used counts", async () => {
    const store = memoryStore();
    const paid: string[] = [];
    const boss = {
      name: "boss",
      model: caller({ id: "b", name: "call_clerk" }),
      tools: [agentTool({ agent: clerkOf(paid) })],
    };
    const agent = createAgent({
      name: "desk",
      model: caller({ id: "a", name: "call_boss" }),
      tools: [agentTool({ agent: boss })],
      store,
      sessionId: "p",
    });
    expect((await agent.call("go")).pending).toHaveLength(1);
    expect(usedBy(agent)).toEqual({ modelCalls: 1, inputTokens: 10 });
    expect(agent.interrupt()).toBe(true);
    expect(usedBy(agent)).toEqual({ modelCalls: 3, inputTokens: 30 });
    await agent.close();
    expect(await restsOf(store)).toEqual([
      ["p", "stopped", "INTERRUPTED"],
      ["p/a1", "stopped", "INTERRUPTED"],
      ["p/a1/b1", "stopped", "INTERRUPTED"],
    ]);
    const clerk = createAgent({ ...clerkOf(paid), store, sessionId: "p/a1/b1" });
    expect(historyProblem(await clerk.messages())).toBeUndefined();
    expect(usedBy(clerk).modelCalls).toBe(1);
    await clerk.close();
    expect(paid).toEqual([]);
  });

  test("is interrupted also in a process that has restored the parent", async () => {
    const store = memoryStore();
    const first = deskOf({}, { store });
    await first.call("go");
    await first.close();
    const second = deskOf({}, { store });
    await second.open();
    second.interrupt();
    expect(usedBy(second).modelCalls).toBe(2);
    await second.close();
    expect(await restsOf(store)).toEqual([
      ["p", "stopped", "INTERRUPTED"],
      ["p/a1", "stopped", "INTERRUPTED"],
    ]);
  });

  test.each([true, false])("can be called again if it remembers (stored: %s)", async (isStored) => {
    const paid: string[] = [];
    const agent = deskOf({ session: "perName", paid }, isStored ? { store: memoryStore() } : {});
    await agent.call("go");
    agent.interrupt();
    const [pending] = (await agent.call("again", { whenBusy: "queue" })).pending; // hooks may still see the interrupt
    await agent.decide(pending!.callId, "approve");
    expect((await agent.call()).text).toBe("Did session_id: clerk\n\nDid paid..");
    expect(paid).toHaveLength(1);
    await agent.close();
  });

  test("is interrupted by its next call if the process died before", async () => {
    const real = memoryStore();
    let isDead = false;
    const store = new Proxy(real, {
      get(target, key) {
        const member = Reflect.get(target, key, target) as unknown;
        if (key === "load" && isDead) return () => Promise.reject(new Error("dead"));
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    const first = deskOf({ session: "perName" }, { store });
    await first.call("go");
    isDead = true;
    first.interrupt();
    await first.close();
    isDead = false;
    expect(await restsOf(store)).toContainEqual(["p/clerk", "suspended", "APPROVAL_REQUIRED"]);
    const paid: string[] = [];
    const second = deskOf({ session: "perName", paid }, { store });
    const [pending] = (await second.call("again")).pending;
    await second.decide(pending!.callId, "approve");
    expect((await second.call()).text).toContain("Did paid.");
    expect(paid).toHaveLength(1);
    await second.close();
  });
});

test("an agent waits on while another call of the batch is refused by it", async () => {
  const paid: string[] = [];
  const calls = ["a", "b"].map((id) => ({ id, name: "call_clerk" }));
  const agent = deskOf({ session: "perName", calls, paid }, { store: memoryStore() });
  const { pending } = await agent.call("go");
  expect(pending).toMatchObject([{ callId: "a1/c1", name: "pay" }]);
  await agent.decide("a1/c1", "approve");
  await agent.call();
  expect(paid).toEqual(["c1"]);
  const results = resultsOf(await agent.messages());
  expect(results.map(({ state }) => state)).toEqual(["success", "error"]);
  expect(outputOf(results[1]!)).toContain("the conversation waits for a person's answer to an earlier call");
  await agent.close();
});

test("a call of an agent that is answered by the caller ends the agent, and what it has used counts", async () => {
  const store = memoryStore();
  const agent = deskOf({}, { store });
  await agent.call("go");
  const answer = toolResultMsg([{ callId: "a1", name: "call_clerk", text: "never mind" }]);
  const reply = await agent.call(answer);
  expect(reply.text).toBe("Did never mind.");
  expect(reply.turn.modelCalls).toBe(3);
  await agent.close();
  expect(await restsOf(store)).toEqual([
    ["p", "stopped", "MODEL_STOP"],
    ["p/a1", "stopped", "INTERRUPTED"],
  ]);
});

test("an agent of a pipeline that lives in this process waits no more when the pipeline is interrupted", async () => {
  const clerk = createAgent(clerkOf([]));
  const line = pipeline({ name: "line", steps: sequence(clerk) });
  await line.call("go");
  expect(clerk.status().phase).toBe("suspended");
  line.interrupt();
  await line.close();
  expect(clerk.status()).toMatchObject({ phase: "stopped", reason: "INTERRUPTED" });
});

test("S30 agents that stream at once when their parent is interrupted keep what they have said, and it counts", async () => {
  let streaming = 0;
  const both = Promise.withResolvers<void>();
  const talker: ChatModel = {
    name: "talker",
    async *stream(_, { signal }) {
      yield { type: "text.delta", delta: "Once upon" };
      if (++streaming === 2) both.resolve();
      await new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true }),
      );
    },
  };
  const store = memoryStore();
  const agent = createAgent({
    name: "desk",
    model: caller({ id: "a", name: "call_talker" }, { id: "b", name: "call_talker" }),
    tools: [agentTool({ agent: { name: "talker", model: talker } })],
    parallelToolCalls: true,
    store,
    sessionId: "p",
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const turn = agent.call("go");
  await both.promise;
  agent.interrupt();
  const reply = await turn;
  expect(reply).toMatchObject({ reason: "INTERRUPTED", turn: { modelCalls: 3 } });
  expect(historyProblem(await agent.messages())).toBeUndefined();
  expect(eventsProblem(events.filter(({ source }) => !source))).toBeUndefined();
  await agent.close();
  expect(await restsOf(store)).toEqual(["p", "p/a1", "p/b1"].map((id) => [id, "stopped", "INTERRUPTED"]));
  for (const id of ["p/a1", "p/b1"]) {
    const child = createAgent({ name: "talker", model: talker, store, sessionId: id });
    const messages = await child.messages();
    expect(messages.flatMap(({ content }) => content)).toContainEqual({ type: "text", text: "Once upon" });
    expect(historyProblem(messages)).toBeUndefined();
    await child.close();
  }
});
