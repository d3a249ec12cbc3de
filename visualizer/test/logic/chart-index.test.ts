// The index of a chart.
import { expect, test } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartJson } from "../../../src/core/diagram/chart-json.ts";
import { configurationName, indexChart, isRest, toneOf, topOf } from "../../src/logic/chart-index.ts";

const index = indexChart(chartJson(agentMachine));
const states = (...names: string[]): string[] => ["agent", ...names.map((name) => `agent.${name}`)];

test("configurationName returns the innermost states", () => {
  expect(configurationName(states("acting", "acting.executing", "acting.executing.running"))).toBe(
    "acting.executing.running",
  );
  expect(configurationName(["m", "m.p", "m.p.a", "m.p.a.x", "m.p.b", "m.p.b.y"])).toBe("p.a.x + p.b.y");
});

test("isRest is true where no service runs and no transition is automatic", () => {
  expect(isRest(index, states("stopped", "stopped.idle"))).toBe(true);
  expect(isRest(index, states("suspended", "suspended.waiting"))).toBe(true);
  expect(isRest(index, states("reasoning", "reasoning.calling", "reasoning.calling.running"))).toBe(false);
  expect(isRest(index, states("acting", "acting.deciding"))).toBe(false);
});

test("toneOf gives every top-level state of the agent's chart its own colour", () => {
  const tops = (index.children.get("agent") ?? []).map(({ id }) => toneOf(index, ["agent", id]));
  expect(new Set(tops).size).toBe(tops.length);
  expect(toneOf(undefined, ["m", "m.constructor"])).toBe("slate");
  expect(topOf(index, "agent.acting.executing.running")).toBe("agent.acting");
  expect(topOf(index, "agent")).toBeUndefined();
});
