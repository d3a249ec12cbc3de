// Breakpoints about the steps that led to a call: states, edges, guards and changes of hooks.
import { expect, test } from "vitest";
import { AgentError, createAgent, defineHook, type Agent, type SessionStore } from "agentchart";
import { breakpoints, findBreaks, type Breakpoint } from "agentchart/inspect";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";

const call = (id: string, name: string, input = {}): ScriptedTurn => ({ calls: [{ id, name, input }] });
const down = { error: new AgentError("model/unavailable", "Down.", { isRetryable: true }) };

const guarding = defineHook({
  name: "guarding",
  preActing: ({ call: { name } }) =>
    name === "pay" ? { input: { cents: 1 } } : name === "steal" ? { deny: "no" } : {},
  postActing: ({ call: { name } }) =>
    name === "look" ? { result: { output: [{ type: "text", text: "seen" }] } } : {},
});

/** The model fails once, then pays, looks, tries to steal, and looks again. */
const TURNS = [
  down,
  call("a", "pay", { cents: 5 }),
  call("b", "look"),
  call("c", "steal"),
  call("d", "look"),
  "done",
];

function deskOf(store: SessionStore | undefined, sessionId: string): { agent: Agent; ran: string[] } {
  const ran: string[] = [];
  const agent = createAgent({
    name: "desk",
    model: scriptedModel(TURNS),
    modelOptions: { execution: { maxAttempts: 2, initialBackoffMs: 0 } },
    tools: ["pay", "look", "steal"].map((name) =>
      toolOf(name, (input) => (ran.push(`${name} ${JSON.stringify(input)}`), "ok")),
    ),
    hooks: [guarding],
    ...(store && { store }),
    sessionId,
  });
  return { agent, ran };
}

const CONDITIONS: readonly (readonly [Breakpoint, readonly string[], string])[] = [
  [{ state: "reasoning.backingOff" }, ["a"], "state reasoning.backingOff (reasoning.calling → "],
  [{ state: "reasoning" }, ["request", "request", "request", "request", "request"], "state reasoning ("],
  [{ state: "reasoning", tool: "*" }, ["a", "b", "d"], "state reasoning, * ("],
  [{ state: "summarizing*" }, [], ""],
  [
    { edge: { from: "acting", to: "reasoning" } },
    ["request", "request", "request", "request"],
    "edge acting → reasoning (acting.deciding → ",
  ],
  [{ edge: { on: "timer.due" }, tool: "look" }, ["b"], "edge * → * on timer.due, look ("],
  [{ guard: { name: "retryable", is: true } }, ["a"], "guard retryable true ("],
  [{ guard: { name: "listens(preCall)", is: true } }, [], ""],
  [{ hook: { name: "guard*", changed: "input" } }, ["a"], "hook guard* changed input in * (acting.preHooks"],
  [{ hook: { point: "postActing" } }, ["request", "request"], "hook * changed * in postActing ("],
  [{ hook: { changed: "deny" }, tool: "look" }, ["d"], "hook * changed deny in *, look ("],
  [{ hook: { name: "another" } }, [], ""],
];

test.each(CONDITIONS)(
  "%j stops where the session can rest next, and finds them in stored sessions",
  async (...row) => {
    const [condition, calls, reason] = row;
    for (const store of [memoryStore(), undefined]) {
      const { agent } = deskOf(store, "s");
      await agent.slots.set(breakpoints, [condition]);
      const stopped: string[] = [];
      let reply = await agent.call("go");
      for (; agent.status().phase === "suspended"; reply = await agent.call()) {
        if (reply.reason === "BREAKPOINT") {
          stopped.push("request");
          expect(reply.text).toContain(`Breakpoint: ${reason}`);
        }
        for (const { callId, reason: told } of reply.pending) {
          stopped.push(callId);
          expect(told).toContain(`Breakpoint: ${reason}`);
          await agent.decide(callId, "approve");
        }
      }
      expect(reply.text).toBe("done");
      await agent.close();
      expect(stopped).toEqual(calls);
      if (!store) continue;
      const found = await findBreaks(store, "s", [condition]);
      expect(found.map(({ callId = "request" }) => callId)).toEqual(calls);
      for (const { step, seq } of found) expect(step!.seq).toBeLessThanOrEqual(seq);
      const plain = deskOf(store, "plain");
      await plain.agent.call("go");
      await plain.agent.close();
      expect((await findBreaks(store, "plain", [condition])).map(({ callId = "request" }) => callId)).toEqual(
        calls,
      );
    }
  },
);

test("at a stop one goes a step, edits the arguments, and forks, and the fork stops as the session would", async () => {
  const store = memoryStore();
  const { agent, ran } = deskOf(store, "s");
  await agent.slots.set(breakpoints, [{ state: "reasoning.backingOff" }]);
  const [stop] = (await agent.call("go")).pending;
  expect(stop).toMatchObject({ callId: "a", waitsFor: "approval", input: { cents: 1 } });
  expect(stop!.reason).toMatch(/, position \d+\)$/u);
  expect(ran).toEqual([]);

  const session = await openSession(store, "s");
  const { sessionId } = await session.fork(agent.status().seq);
  const fork = deskOf(store, sessionId);
  await fork.agent.open();
  expect(fork.agent.status().pending).toMatchObject([{ callId: "a", reason: stop!.reason }]);
  await fork.agent.close();

  await agent.slots.set(breakpoints, [{ tool: "*" }]);
  await agent.decide("a", { edit: { cents: 2 } });
  expect((await agent.call()).pending).toMatchObject([{ callId: "b", reason: "Breakpoint: *" }]);
  expect(ran).toEqual(['pay {"cents":2}']);
  await agent.slots.set(breakpoints, []);
  await agent.decide("b", "approve");
  expect((await agent.call()).text).toBe("done");
  await agent.close();
});

test("what happened before the breakpoints were written does not stop a call, nor the way back from a stop", async () => {
  const { agent } = deskOf(memoryStore(), "s");
  await agent.slots.set(breakpoints, [{ tool: "pay" }]);
  await agent.call("go");
  await agent.slots.set(breakpoints, [{ state: "reasoning.backingOff" }, { state: "doCall" }]);
  await agent.decide("a", "approve");
  expect((await agent.call()).text).toBe("done");
  await agent.close();
});

test("the cost of a turn stops its next call", async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };
  const agent = createAgent({
    name: "desk",
    model: scriptedModel([
      { calls: [{ id: "a", name: "look", input: {} }], usage },
      { calls: [{ id: "b", name: "look", input: {} }], usage },
      "done",
    ]),
    modelOptions: { prices: { scripted: { input: 2, output: 0 } } },
    tools: [toolOf("look", () => "ok")],
  });
  await agent.slots.set(breakpoints, [{ cost: 3 }]);
  const reply = await agent.call("go");
  expect(reply.pending).toMatchObject([{ callId: "b", reason: "Breakpoint: cost 3 or more" }]);
  await agent.close();
});

test.each<[Breakpoint, string]>([
  [{ state: "reasoning.backing" }, '`state` "reasoning.backing" matches nothing of the chart.'],
  [{ state: "resoning" }, 'Did you mean "reasoning"?'],
  [{ edge: { from: "actin" } }, '`edge.from` "actin" matches nothing of the chart. Did you mean "acting"?'],
  [{ edge: { to: "no.*" } }, "`edge.to`"],
  [{ edge: { on: "timer.duo" } }, 'Did you mean "timer.due"?'],
  [{ guard: { name: "maxIter", is: true } }, 'Did you mean "maxIters"?'],
  [{ hook: { point: "preAct" } }, "`hook.point`"],
  [{ hook: { changed: "results" } }, 'Did you mean "result"?'],
])("%j is refused, as it would never be met", async (condition, message) => {
  const store = memoryStore();
  const { agent } = deskOf(store, "s");
  await agent.open();
  const written = agent.slots.set(breakpoints, [condition]);
  await expect(written).rejects.toMatchObject({ code: "slot/invalid" });
  await expect(written).rejects.toThrow(message);
  await agent.close();
  const found = findBreaks(store, "s", [{ tool: "pay" }, condition]);
  await expect(found).rejects.toMatchObject({ code: "config/invalid" });
  await expect(found).rejects.toThrow("Breakpoint 2: ");
  await expect(found).rejects.toThrow(message);
});
