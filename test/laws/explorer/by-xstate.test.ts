import { expect, test } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { expectAsByXState } from "../../machines/chart/by-xstate.ts";
import { explore } from "./explore.ts";
import type { AgentMachine, AgentSnapshot } from "./pure.ts";
import { violationText } from "./report.ts";
import { BOUNDS } from "./worlds.ts";

/** Of so many steps one is compared. */
const EACH = 31;
const WORLDS = ["hooks at every point", "permissions", "one at a time"];

test(
  "X3 steps of the agent's chart from reachable states are those of XState's macrostep",
  { timeout: 600_000 },
  () => {
    let steps = 0;
    const states = new Set<string>();
    const transition: AgentMachine["transition"] = (snapshot, event, scope) => {
      if (steps++ % EACH === 0) {
        expectAsByXState(agentMachine, snapshot, event);
        states.add(JSON.stringify((snapshot as AgentSnapshot).value));
      }
      return agentMachine.transition(snapshot, event, scope);
    };
    const machine = Object.create(agentMachine, { transition: { value: transition } }) as AgentMachine;
    const worlds = BOUNDS.small.worlds.filter(({ name }) => WORLDS.includes(name));
    expect(explore({ ...BOUNDS.small, worlds }, { machine }).violations.map(violationText)).toEqual([]);
    expect(states.size).toBeGreaterThan(15);
  },
);
