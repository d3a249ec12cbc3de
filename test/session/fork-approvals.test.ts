// Approvals are not inherited by forks.
import { expect, test } from "vitest";
import { suspend, type Agent, type Decision } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";

const batch = (...ids: readonly string[]) => ({
  calls: ids.map((id) => ({ id, name: "pay", input: { n: 1 } })),
});

/** Goes on with a session until its turn is over, and approves what it is asked in the way of `decision`. */
async function approveAll(agent: Agent, decision: Decision): Promise<void> {
  for (let reply = await agent.call("go"); reply.pending.length > 0; reply = await agent.call())
    for (const { callId, argsHash, ask } of reply.pending)
      await agent.decide(callId, ask ? { respond: "yes" } : decision, { argsHash });
}

type Kind = {
  readonly fields: Omit<Parameters<typeof toolOf>[2] & object, "permission">;
  /** What the tool returns in its first round, if it goes on in another one. */
  readonly asks?: true;
};

/** The tools that need an approval: what differs in how their calls run and are stored. */
const TOOLS: { readonly [kind: string]: Kind } = {
  plain: { fields: {} },
  "idempotent, so that it is repeated after a crash": { fields: { idempotent: true } },
  "that asks after its approval, and goes on": { fields: {}, asks: true },
  "that runs one call at a time": { fields: { maxParallel: 1 } },
};

const DECISIONS: readonly Decision[] = [
  "approve",
  { approve: true },
  { approve: true, remember: "tool" },
  { approve: true, remember: "input" },
  { edit: { n: 2 } },
];

const CASES = Object.keys(TOOLS).flatMap((kind) => DECISIONS.map((decision) => [kind, decision] as const));

test.for(CASES)(
  "I7 no fork, at any position, runs a tool %s that was approved with %j in the original",
  async ([kind, decision]) => {
    const { fields, asks } = TOOLS[kind]!;
    const store = memoryStore();
    let runs = 0;
    const pay = toolOf(
      "pay",
      (_, ctx) => {
        runs++;
        if (asks && !ctx.resumed)
          return suspend("Sure?", {
            then: "resume",
            asks: [{ id: "sure", kind: "question", message: "Sure?" }],
            state: 1,
          } as never);
        return "paid";
      },
      { permission: "ask", ...fields },
    );
    const config = { tools: [pay], store };
    const script = [batch("c1", "c2"), batch("c3"), "The end"];
    const { agent } = scripted(script, { ...config, sessionId: "s" });
    await approveAll(agent, decision);
    const last = agent.status().seq;
    await agent.close();
    const original = runs;
    expect(original).toBeGreaterThan(2);

    const session = await openSession(store, "s");
    let asked = 0;
    for (let seq = 1; seq <= last; seq++) {
      const at = await session.at(seq);
      const left = script.slice(at.messages.filter(({ role }) => role === "assistant").length);
      const { sessionId } = await session.fork(seq);
      const fork = scripted(left.length > 0 ? left : ["Again"], { ...config, sessionId }).agent;
      await fork.open();
      const reply = await fork
        .call(fork.status().phase === "stopped" ? "go on" : undefined)
        .catch(() => undefined);
      expect(runs, `position ${seq}`).toBe(original);
      expect(fork.status().pending.every(({ decided }) => decided === undefined)).toBe(true);
      asked += reply && reply.pending.length > 0 ? 1 : 0;
      await fork.close();
    }
    expect(asked).toBeGreaterThan(0);
  },
);

test("a fork runs what is approved in the fork, once", async () => {
  const store = memoryStore();
  const ran: unknown[] = [];
  const config = {
    tools: [toolOf("pay", (input) => `paid ${ran.push(input)}`, { permission: "ask" })],
    store,
  };
  const { agent } = scripted([batch("c1")], { ...config, sessionId: "s" });
  await agent.call("go");
  await agent.decide("c1", "approve");
  const { seq } = agent.status();
  await agent.close();
  const { sessionId, runsAgain } = await (await openSession(store, "s")).fork(seq);
  expect(runsAgain).toMatchObject([{ callId: "c1", waitsFor: "approval" }]);
  const fork = scripted(["The end"], { ...config, sessionId }).agent;
  await fork.open();
  await fork.decide("c1", { edit: { n: 3 } });
  expect((await fork.call()).text).toBe("The end");
  expect(ran).toEqual([{ n: 3 }]);
  const again = scripted(["The end"], { ...config, sessionId: "s" }).agent;
  expect((await again.call()).text).toBe("The end");
  expect(ran).toEqual([{ n: 3 }, { n: 1 }]);
});
