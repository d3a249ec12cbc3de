// Each limit of a budget by itself.
import { describe, expect, test } from "vitest";
import type { AgentConfig, Budget, Snapshot } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { memoryStore } from "../../../src/store/memory.ts";
import { historyProblem } from "../../support/history.ts";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

type Limit = Exclude<keyof Budget, "onExceeded">;

const USAGE = { inputTokens: 100, outputTokens: 10 };
/** What one round of a model call and a tool call uses of each limit. */
const ROUND: { readonly [limit in Limit]: number } = {
  modelCalls: 1,
  toolCalls: 1,
  inputTokens: 100,
  outputTokens: 10,
  totalTokens: 110,
  cost: 0.0003,
  wallMs: 1_000,
};
const LIMITS = Object.keys(ROUND) as Limit[];
const round = (id: string): ScriptedTurn => ({ calls: [{ id, name: "work" }], usage: USAGE });
const ROUNDS = [round("c1"), round("c2"), round("c3"), { text: "end", usage: USAGE }];

/** An agent whose tool takes a second, and whose clock nothing else moves. */
function worker(budget: Budget, turns: readonly ScriptedTurn[] = ROUNDS, config: Partial<AgentConfig> = {}) {
  let now = 1_000_000;
  const ran: string[] = [];
  const work = toolOf("work", (_, { callId }) => {
    now += ROUND.wallMs;
    ran.push(callId);
    return "done";
  });
  const prices = { scripted: { input: 2, output: 10 } };
  const made = scripted(turns, {
    tools: [work],
    budget,
    ...config,
    modelOptions: { prices, ...config.modelOptions },
    sessionOptions: { now: () => now, ...config.sessionOptions },
  });
  return { ...made, ran, pass: (ms: number) => (now += ms), now: () => now };
}

/** A limit that the first round uses up: what runs before it is known to be over. */
const RAN: { readonly [limit in Limit]: readonly string[] } = {
  modelCalls: ["c1"],
  toolCalls: ["c1"],
  inputTokens: [],
  outputTokens: [],
  totalTokens: [],
  cost: [],
  wallMs: ["c1"],
};

const plain = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot));

describe.each(LIMITS)("a limit of %s", (limit) => {
  const one = { [limit]: ROUND[limit] } as Budget;
  const rest = { phase: "suspended", waitsFor: ["budget"], reason: "BUDGET_EXCEEDED" };

  test("an exceeded limit of %s suspends before anything else runs, and so does each further call", async () => {
    const { agent, ran, model } = worker(one);
    for (const input of ["go", undefined, undefined]) {
      const reply = await agent.call(input);
      expect(reply).toMatchObject({ reason: "BUDGET_EXCEEDED", text: expect.stringContaining(`${limit} `) });
      expect(agent.status()).toMatchObject(rest);
    }
    expect(ran).toEqual(RAN[limit]);
    expect(model.requests).toHaveLength(limit === "toolCalls" ? 2 : 1);
  });

  test("the counter and the extension of a limit of %s survive a restore until the turn ends", async () => {
    const first = worker(one);
    await first.agent.call("go");
    const second = worker(one, ROUNDS.slice(first.model.requests.length), {
      sessionOptions: { snapshot: plain(first.agent.snapshot()), now: first.now },
    });
    expect(second.agent.status()).toMatchObject(rest);
    expect((await second.agent.call()).reason).toBe("BUDGET_EXCEEDED");
    await second.agent.extendBudget({ [limit]: ROUND[limit] * 10 });

    const left = ROUNDS.slice(first.model.requests.length + second.model.requests.length);
    const third = worker(one, left, {
      sessionOptions: { snapshot: plain(second.agent.snapshot()), now: first.now },
    });
    const reply = await third.agent.call();
    expect(reply).toMatchObject({ reason: "MODEL_STOP", text: "end" });
    expect(reply.turn).toMatchObject({
      modelCalls: 4,
      toolCalls: 3,
      usage: { inputTokens: 400, outputTokens: 40 },
    });
    expect(reply.turn.usage.cost).toBeCloseTo(0.0012);
    expect([...first.ran, ...second.ran, ...third.ran]).toEqual(["c1", "c2", "c3"]);
    expect(historyProblem(await third.agent.messages())).toBeUndefined();
  });

  test("the counter of a limit of %s is kept in a store", async () => {
    const stored = { store: memoryStore(), sessionId: "s" };
    const first = worker(one, ROUNDS, stored);
    await first.agent.call("go");
    await first.agent.extendBudget({ [limit]: ROUND[limit] * 10 });
    await first.agent.close();
    const asked = first.model.requests.length;
    const second = worker(one, ROUNDS.slice(asked), { ...stored, sessionOptions: { now: first.now } });
    await second.agent.open();
    expect(second.agent.status()).toMatchObject(rest);
    expect((await second.agent.call()).text).toBe("end");
  });

  test("an exceeded limit of %s with onExceeded stop leaves a valid history, and the next turn has the whole limit", async () => {
    const turns = [...ROUNDS.slice(0, limit === "toolCalls" ? 2 : 1), "fresh"];
    const { agent } = worker({ ...one, onExceeded: "stop" }, turns);
    const reply = await agent.call("go");
    expect(reply).toMatchObject({ reason: "BUDGET_EXCEEDED", text: expect.stringContaining(`${limit} `) });
    expect(agent.status()).toMatchObject({ phase: "stopped", waitsFor: [], pending: [] });
    const messages = await agent.messages();
    expect(historyProblem(messages)).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({ reason: "BUDGET_EXCEEDED" });
    const cancelled = resultsOf(messages).filter(({ state }) => state === "error");
    for (const result of cancelled) expect(outputOf(result)).toContain(limit);
    expect(cancelled).toHaveLength(limit === "modelCalls" || limit === "wallMs" ? 0 : 1);
    expect((await agent.call("again")).text).toBe("fresh");
  });

  test("a limit of %s that is not reached changes nothing", async () => {
    const { agent } = worker({ [limit]: ROUND[limit] * 10 });
    expect((await agent.call("go")).text).toBe("end");
  });
});

test("of several exceeded limits the text names one, and each is extended separately", async () => {
  const { agent } = worker({ ...ROUND });
  const extended = new Set<Limit>();
  for (let reply = await agent.call("go"); reply.reason === "BUDGET_EXCEEDED"; reply = await agent.call()) {
    const over = LIMITS.find((limit) => reply.text.includes(`: ${limit} `))!;
    expect(extended.has(over)).toBe(false);
    extended.add(over);
    await agent.extendBudget({ [over]: ROUND[over] * 10 });
  }
  expect([...extended].toSorted()).toEqual(LIMITS.toSorted());
  expect(agent.status()).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
});

test("the time in which a turn is suspended does not count against wallTimeMs, in this process or the next", async () => {
  const budget = { wallMs: ROUND.wallMs };
  const first = worker(budget);
  await first.agent.call("go");
  first.pass(3_600_000);
  await first.agent.extendBudget({ wallMs: ROUND.wallMs });
  const snapshot = plain(first.agent.snapshot());
  first.pass(3_600_000);
  const second = worker(budget, ROUNDS.slice(1), { sessionOptions: { snapshot, now: first.now } });
  const reply = await second.agent.call();
  expect([reply.text, second.ran]).toEqual(["end", ["c2", "c3"]]);
});

test("extendBudget during a turn applies to that turn", async () => {
  const { agent, model } = worker({ modelCalls: 1 }, ROUNDS, {
    hooks: [
      {
        name: "generous",
        postActing: async () => {
          await agent.extendBudget({ modelCalls: 1 });
        },
      },
    ],
  });
  expect((await agent.call("go")).text).toBe("end");
  model.done();
});
