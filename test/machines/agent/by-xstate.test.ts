// X4 for the agent's chart: every row of the tables, and whole sessions, by XState's unmodified machine.
import { setImmediate as tick } from "node:timers/promises";
import { userMsg } from "agentchart";
import { StateMachine, type AnyMachineSnapshot } from "xstate";
import { afterEach, describe, expect, test, vi } from "vitest";
import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import { agentMachine, agentSlots } from "../../../machines/agent/agent.machine.ts";
import { acceleratedMachine, AcceleratedMachine } from "../../../machines/chart/accelerator.ts";
import { liveMachine } from "../../../src/agent/services/actors.ts";
import { eventsOf, scripted, toolOf, untilAborted } from "../../support/agents.ts";
import { GOLDEN_RUNS } from "../../support/golden-runs.ts";
import { call, traced } from "../../support/trace.ts";
import { Twins } from "../chart/x4.ts";
import { snapshotOf, type Given } from "./at.ts";
import type { ChartEvent } from "../../../src/testing/explorer/pure.ts";
import { ACTING } from "./tables/acting.ts";
import { CALL } from "./tables/call.ts";
import { COMPACTION, COMPACTION_REFUSED } from "./tables/compaction.ts";
import { EXECUTING } from "./tables/executing.ts";
import { REASONING } from "./tables/reasoning.ts";
import { REFUSED } from "./tables/refused.ts";
import { NOTED, REST } from "./tables/rest.ts";
import { SUMMARIZING } from "./tables/summarizing.ts";

afterEach(() => void vi.restoreAllMocks());

const rows = [CALL, REASONING, ACTING, EXECUTING, SUMMARIZING, REST, COMPACTION, NOTED, REFUSED]
  .flat()
  .concat(COMPACTION_REFUSED as never) as (readonly [string, string, Given, ChartEvent, ...unknown[]])[];

test("X4 each edge of the agent's chart is taken as XState's unmodified machine takes it", () => {
  const twins = new Twins(agentResolver as never, agentSlots, acceleratedMachine, agentMachine);
  expect(rows.length).toBeGreaterThan(250);
  for (const [from, , given, event] of rows) twins.send(snapshotOf(from, given), event);
});

test("X1 agentMachine is a plain StateMachine: none of XState's decisions is overridden", () => {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(agentMachine)).toSorted();
  expect(own).toEqual([
    "constructor",
    ...["getPersistedSnapshot", "merged", "provide", "restoreSnapshot", "transition"],
  ]);
  expect(agentMachine.getTransitionData).toBe(StateMachine.prototype.getTransitionData);
});

test.each(Object.entries(GOLDEN_RUNS))("X4 each step of the recorded run %s is XState's", async (_, play) => {
  const recorded: (readonly [AnyMachineSnapshot, object])[] = [];
  const steps = vi.spyOn(liveMachine, "transition");
  const transition = AcceleratedMachine.prototype.transition.bind(liveMachine as never);
  steps.mockImplementation(((
    snapshot: AnyMachineSnapshot,
    event: { readonly type: string },
    scope: never,
  ) => {
    if (event.type !== "xstate.stop")
      recorded.push([{ ...snapshot, children: { ...snapshot.children } }, event]);
    return transition(snapshot, event, scope);
  }) as never);
  await play(traced);
  vi.restoreAllMocks();
  expect(recorded.length).toBeGreaterThan(1);
  const twins = new Twins(agentResolver as never, agentSlots, acceleratedMachine, agentMachine);
  for (const [snapshot, event] of recorded) twins.send(snapshot, event);
});

/** Plays a session whose machine takes its steps by itself or by XState's interpreter. Returns all that is told of it. */
async function played(isXState: boolean, play: (config: object) => Promise<unknown>) {
  const steps = vi.spyOn(liveMachine, "resolveState");
  let ids = 0;
  const told: unknown[] = [];
  const result = await play({
    sessionId: "s",
    sessionOptions: { now: () => 1_000, newId: () => `id${++ids}` },
    ...(isXState && { inspect: ({ type }: { readonly type: string }) => void told.push(type) }),
  });
  expect(told.includes("@xstate.microstep")).toBe(isXState);
  expect(steps).toHaveBeenCalled();
  vi.restoreAllMocks();
  return result;
}

const sleepy = toolOf("sleepy", (_, { signal }) => untilAborted(signal));
const tools = [toolOf("ok", () => "done"), toolOf("bad", () => Promise.reject(new Error("broken"))), sleepy];
const GO = userMsg("go");

async function* fails(promise: Promise<never>): AsyncGenerator<never> {
  yield await promise;
}

const noop = { name: "noop", preReasoning: () => {}, postActing: () => {}, postCall: () => {} };

const SESSIONS: { readonly [title: string]: (config: object) => Promise<unknown> } = {
  "rounds of calls at once, with hooks": async (config) => {
    const calls = ["c1", "c2", "c3"].map((id, at) => ({ id, name: at === 1 ? "bad" : "ok" }));
    const { agent } = scripted([{ calls }, { calls: [{ id: "c4", name: "ok" }] }, "end"], {
      ...config,
      tools,
      hooks: [noop],
    });
    const events = await eventsOf(agent.stream(GO));
    return { events, messages: await agent.messages() };
  },
  "a turn that is interrupted while calls run": async (config) => {
    const calls = [call("c1"), { id: "c2", name: "sleepy" }];
    const { agent } = scripted([{ calls }, "end"], { ...config, tools });
    const events: unknown[] = [];
    for await (const event of agent.stream(GO)) {
      events.push(event);
      if (event.type === "tool.end") agent.interrupt();
    }
    return { events, messages: await agent.messages() };
  },
  "a session that is closed while its model answers": async (config) => {
    const { agent } = scripted([(_, signal) => fails(untilAborted(signal))], config);
    const reply = agent.call(GO).catch((error: unknown) => String(error));
    await tick();
    await agent.close();
    return reply;
  },
};

describe("X4 an agent that is observed, and so interpreted by XState, tells the same", () => {
  test.each(Object.entries(SESSIONS))("%s", async (_, play) => {
    expect(await played(false, play)).toEqual(await played(true, play));
  });
});
