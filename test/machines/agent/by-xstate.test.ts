import { setImmediate as tick } from "node:timers/promises";
import { userMsg } from "agentchart";
import { StateMachine, type InspectionEvent } from "xstate";
import { afterEach, describe, expect, test, vi } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { liveMachine } from "../../../src/agent/services/actors.ts";
import { eventsOf, scripted, toolOf, untilAborted } from "../../support/agents.ts";
import { call } from "../../support/trace.ts";
import { expectAsByXState, inspectionData } from "../chart/by-xstate.ts";
import { snapshotOf, type Given } from "./at.ts";
import type { ChartEvent } from "../../laws/explorer/pure.ts";
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

test("X3 each edge of the agent's chart is taken as XState's macrostep would take it", () => {
  for (const [from, , given, event] of rows)
    for (const id of [undefined, "1"])
      expectAsByXState(agentMachine, snapshotOf(from, given) as never, {
        ...event,
        ...(id !== undefined && { id }),
      });
});

/** Plays a session whose machine takes its steps by itself or as XState's macrostep. Returns all that may be seen of it. */
async function played(isXState: boolean, play: (config: object) => Promise<unknown>) {
  const steps = vi.spyOn(liveMachine, "transition");
  if (isXState) steps.mockImplementation(StateMachine.prototype.transition.bind(liveMachine) as never);
  const log: unknown[] = [];
  let ids = 0;
  const result = await play({
    sessionId: "s",
    now: () => 1_000,
    newId: () => `id${++ids}`,
    inspect: ({ rootId: _, ...event }: InspectionEvent) => void log.push(inspectionData(event)),
  });
  expect(steps).toHaveBeenCalled();
  vi.restoreAllMocks();
  return { log, result };
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

describe("X3 a session is told the same as by XState's macrostep", () => {
  test.each(Object.entries(SESSIONS))("%s", async (_, play) => {
    const ours = await played(false, play);
    expect(ours.log.length).toBeGreaterThan(10);
    expect(ours).toEqual(await played(true, play));
  });
});
