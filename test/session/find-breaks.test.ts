// Conditions as a query over stored runs find what they stop live.
import { expect, test } from "vitest";
import { createAgent, defineHook, type Agent, type SessionStore } from "agentchart";
import { breakpoints, findBreaks, type Breakpoint } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import fc from "../support/fast-check.ts";

const TOOLS = ["refund", "look", "fails", "denied", "unknown"] as const;

type Run = {
  readonly turns: readonly ScriptedTurn[];
  readonly hookAdds: boolean;
  readonly parallel: boolean;
};

const call = fc.record({ name: fc.constantFrom(...TOOLS), n: fc.integer({ min: 0, max: 3 }) });
const answer = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  tokens: fc.integer({ min: 0, max: 400 }),
});
const runs: fc.Arbitrary<Run> = fc
  .record({
    rounds: fc.array(fc.array(answer, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    hookAdds: fc.boolean(),
    parallel: fc.boolean(),
  })
  .map(({ rounds, ...rest }) => {
    let id = 0;
    const turns = rounds.flatMap((answers): readonly ScriptedTurn[] => [
      ...answers.map(({ calls, tokens }) => ({
        calls: calls.map(({ name, n }) => ({ id: `c${id++}`, name, input: { n, in: { n: String(n) } } })),
        usage: { inputTokens: tokens, outputTokens: 1 },
      })),
      "done",
    ]);
    return { ...rest, turns };
  });

const conditions: fc.Arbitrary<Breakpoint> = fc.oneof(
  fc.record({ tool: fc.constantFrom("refund", "*", "l?ok", "fails", "denied") }),
  fc.record({
    tool: fc.constantFrom("refund", "*"),
    where: fc.tuple(
      fc.record({
        path: fc.constantFrom("n", "in.n", "added"),
        is: fc.constantFrom("=" as const, "!=" as const),
        value: fc.constantFrom(1, "2", true),
      }),
    ),
  }),
  fc.record({ same: fc.integer({ min: 2, max: 3 }) }),
  fc.record({ tokens: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ cost: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ cost: fc.integer({ min: 1, max: 900 }), tool: fc.constantFrom("refund", "*") }),
  fc.constantFrom<Breakpoint>(
    ...[
      { state: "*" },
      { state: "reasoning" },
      { state: "reasoning.checkingLimits", tokens: 300 },
      { state: "summarizing.calling" },
      { edge: { from: "doCall", to: "reasoning" } },
      { guard: { name: "overBudget", is: false } },
      { guard: { name: "listens(preReasoning)", is: false } },
      { guard: { name: "mustCompact", is: false }, cost: 100 },
      { hook: { changed: "*" } },
      { state: "acting.preHooks" },
      { state: "doCall" },
      { state: "acting.reviewing" },
      { state: "acting.executing", tool: "refund" },
      { edge: { from: "acting", to: "reasoning" } },
      { edge: { from: "reasoning.deciding", to: "acting.*" } },
      { edge: { on: "xstate.done.actor.tool.*" }, same: 2 },
      { guard: { name: "allowsAll", is: false } },
      { guard: { name: "allowsAll", is: true } },
      { guard: { name: "startsNothing", is: true } },
      { guard: { name: "listens(preReasoning)", is: false }, edge: { to: "acting" } },
      { hook: { name: "add*", changed: "input" } },
      { hook: { point: "postActing", changed: "result" } },
    ],
  ),
);

const adding = defineHook({
  name: "adding",
  preActing: ({ call: { input } }) => (input["n"] === 0 ? {} : { input: { ...input, added: true } }),
  postActing: ({ call: { input, name } }) =>
    name === "look" && input["n"] === 1 ? { result: { output: [{ type: "text", text: "changed" }] } } : {},
});

function agentOf({ turns, hookAdds, parallel }: Run, store: SessionStore, sessionId: string): Agent {
  return createAgent({
    name: "desk",
    model: scriptedModel(turns),
    tools: ["refund", "look", "fails", "denied"].map((name) =>
      toolOf(name, () => {
        if (name === "fails") throw new Error("no");
        return "ok";
      }),
    ),
    permissions: { rules: [{ tool: "denied", action: "deny" }] },
    modelOptions: { prices: { scripted: { input: 1_000_000, output: 1_000_000 } } },
    parallelToolCalls: parallel,
    ...(hookAdds && { hooks: [adding] }),
    store,
    sessionId,
  });
}

/** Plays all turns, with every stop approved, and returns the calls and requests before which it stopped. */
async function play(agent: Agent, run: Run): Promise<readonly string[]> {
  const stopped: string[] = [];
  for (const turn of run.turns.filter((each) => each === "done")) {
    let reply = await agent.call(turn);
    while (agent.status().phase === "suspended") {
      if (reply.reason === "BREAKPOINT") {
        expect(agent.status()).toMatchObject({ waitsFor: ["breakpoint"], pending: [] });
        expect(reply.text).toMatch(/^Breakpoint: /u);
        stopped.push("request");
      }
      for (const { callId, reason } of reply.pending) {
        expect(reason).toMatch(/^Breakpoint: /u);
        stopped.push(callId);
        await agent.decide(callId, "approve");
      }
      reply = await agent.call();
    }
  }
  return stopped;
}

test("a condition finds in 200 stored runs the calls and requests before which it stops live ones", async () => {
  let [stops, requests, runsWithStops] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(runs, conditions, async (run, condition) => {
      const store = memoryStore();
      const plain = agentOf(run, store, "plain");
      expect(await play(plain, run)).toEqual([]);
      await plain.close();
      const found = await findBreaks(store, "plain", [condition]);
      const live = agentOf(run, store, "live");
      await live.slots.set(breakpoints, [condition]);
      const stopped = await play(live, run);
      await live.close();
      expect(found.map(({ callId = "request" }) => callId)).toEqual(stopped);
      expect((await findBreaks(store, "live", [condition])).map(({ callId = "request" }) => callId)).toEqual(
        stopped,
      );
      stops += stopped.length;
      requests += stopped.filter((each) => each === "request").length;
      if (stopped.length > 0) runsWithStops++;
    }),
    { numRuns: 200 },
  );
  expect(stops).toBeGreaterThan(200);
  expect(requests).toBeGreaterThan(20); // few of the random conditions hold before a request
  expect(runsWithStops).toBeGreaterThan(60);
});
