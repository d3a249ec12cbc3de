import { expect, test } from "vitest";
import { agentMachine } from "../../machines/agent/agent.machine.ts";
import { chartJson } from "../../src/diagram/chart-json.ts";
import { configurationName, indexChart, isRest, toneOf, topOf } from "../src/logic/chart-index.ts";
import { choicesOf, eventText, guardText, knownWay } from "../src/logic/guards.ts";

const index = indexChart(chartJson(agentMachine));
const states = (...names: string[]): string[] => ["agent", ...names.map((name) => `agent.${name}`)];

test("guards before the taken one, of the same source and event, were false", () => {
  const group = index.chart.edges.filter(
    ({ source, event }) => source === "agent.reasoning.deciding" && event === "",
  );
  const taken = group.at(-1)!;
  const [choice] = choicesOf(index, [taken.id]);
  expect(choice?.notTaken).toEqual(group.slice(0, -1));
  expect(choice?.notTaken.map(guardText)).toContain("stopRequested");
  expect(guardText(taken)).toBe("else");
  expect(choicesOf(index, [group[0]!.id])[0]?.notTaken).toEqual([]);
});

test("edges of other events are not said to be false", () => {
  const interrupt = index.chart.edges.find(
    ({ source, event }) => source === "agent.acting.executing.running" && event === "run.interrupt",
  )!;
  expect(choicesOf(index, [interrupt.id])[0]?.notTaken).toEqual([]);
});

test("an edge that the chart does not know is left out", () => {
  expect(choicesOf(index, ["nowhere||0"])).toEqual([]);
});

test("edges that lead from the states before to those after are the whole way, others a part of it", () => {
  const idle = states("stopped", "stopped.idle");
  const preparing = states("doCall", "doCall.preparing");
  const checking = states("doCall", "doCall.checkingPending");
  const call = "agent.stopped.idle|call|1";
  const on = "agent.doCall.preparing||1";
  expect(knownWay(index, idle, [call], preparing)).toBe("whole");
  expect(knownWay(index, idle, [call, on], checking)).toBe("whole");
  expect(knownWay(index, idle, [call], checking)).toBe("part");
  expect(knownWay(index, idle, [on], checking)).toBe("part");
  expect(knownWay(index, idle, [], checking)).toBe("nothing");
  expect(knownWay(index, idle, ["nowhere||0"], checking)).toBe("nothing");
  expect(knownWay(index, idle, [], idle)).toBe("whole");
  expect(knownWay(index, [], [], idle)).toBe("whole");
});

test("guards and events are written for people", () => {
  const asks = index.chart.edges.find(({ guard }) => guard?.name === "listens")!;
  expect(guardText(asks)).toMatch(/^listens\(\w+\)$/);
  expect(eventText("xstate.done.actor.callModel")).toBe("done callModel");
  expect(eventText("xstate.error.actor.*")).toBe("error *");
  expect(eventText("")).toBe("(always)");
  expect(eventText("run.steer")).toBe("run.steer");
});

test("a configuration is named by its innermost states", () => {
  expect(configurationName(states("acting", "acting.executing", "acting.executing.running"))).toBe(
    "acting.executing.running",
  );
  expect(configurationName(["m", "m.p", "m.p.a", "m.p.a.x", "m.p.b", "m.p.b.y"])).toBe("p.a.x + p.b.y");
});

test("rest is where no service runs and nothing goes on by itself", () => {
  expect(isRest(index, states("stopped", "stopped.idle"))).toBe(true);
  expect(isRest(index, states("suspended", "suspended.waiting"))).toBe(true);
  expect(isRest(index, states("reasoning", "reasoning.calling", "reasoning.calling.running"))).toBe(false);
  expect(isRest(index, states("acting", "acting.deciding"))).toBe(false);
});

test("every top state of the agent's chart has a colour of its own", () => {
  const tops = (index.children.get("agent") ?? []).map(({ id }) => toneOf(index, ["agent", id]));
  expect(new Set(tops).size).toBe(tops.length);
  expect(topOf(index, "agent.acting.executing.running")).toBe("agent.acting");
  expect(topOf(index, "agent")).toBeUndefined();
});
