// Guards of an edge that was taken, and of those before it.
import { expect, test } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartJson } from "../../../src/core/diagram/chart-json.ts";
import { indexChart } from "../../src/logic/chart-index.ts";
import { branchesOf, eventText, guardText, pathCoverage } from "../../src/logic/guards.ts";

const index = indexChart(chartJson(agentMachine));
const states = (...names: string[]): string[] => ["agent", ...names.map((name) => `agent.${name}`)];

test("branchesOf lists the alternatives before a taken edge as not taken", () => {
  const group = index.chart.edges.filter(
    ({ source, event }) => source === "agent.reasoning.deciding" && event === "",
  );
  const taken = group.at(-1)!;
  const [branch] = branchesOf(index, [taken.id]);
  expect(branch?.notTaken).toEqual(group.slice(0, -1));
  expect(branch?.notTaken.map(guardText)).toContain("stopRequested");
  expect(guardText(taken)).toBe("else");
  expect(branchesOf(index, [group[0]!.id])[0]?.notTaken).toEqual([]);
});

test("branchesOf does not list edges of other events", () => {
  const interrupt = index.chart.edges.find(
    ({ source, event }) => source === "agent.reasoning.calling.running" && event === "run.interrupt",
  )!;
  expect(branchesOf(index, [interrupt.id])[0]?.notTaken).toEqual([]);
});

test("branchesOf ignores unknown edges", () => {
  expect(branchesOf(index, ["nowhere||0"])).toEqual([]);
});

test("pathCoverage says whether edges lead from one configuration to another", () => {
  const idle = states("stopped", "stopped.idle");
  const hooks = states("doCall", "doCall.preCall");
  const calling = states("reasoning", "reasoning.calling", "reasoning.calling.running");
  const edge = (source: string, target: string): string =>
    index.chart.edges.find(
      ({ source: from, targets: [to] }) => from === `agent.${source}` && to === `agent.${target}`,
    )!.id;
  const call = edge("stopped.idle", "doCall.checkingPending");
  const on = [
    edge("doCall.checkingPending", "reasoning"),
    edge("reasoning.checkingLimits", "reasoning.calling"),
  ];
  expect(pathCoverage(index, idle, [edge("stopped.idle", "doCall.preCall")], hooks)).toBe("full");
  expect(pathCoverage(index, idle, [call, ...on], calling)).toBe("full");
  expect(pathCoverage(index, idle, [call], calling)).toBe("partial");
  expect(pathCoverage(index, idle, on, calling)).toBe("partial");
  expect(pathCoverage(index, idle, [], calling)).toBe("none");
  expect(pathCoverage(index, idle, ["nowhere||0"], calling)).toBe("none");
  expect(pathCoverage(index, idle, [], idle)).toBe("full");
  expect(pathCoverage(index, [], [], idle)).toBe("full");
});

test("guardText and eventText format guards and events", () => {
  const listens = index.chart.edges.find(({ guard }) => guard?.name === "listens")!;
  expect(guardText(listens)).toMatch(/^listens\(\w+\)$/);
  expect(eventText("xstate.done.actor.callModel")).toBe("done callModel");
  expect(eventText("xstate.error.actor.*")).toBe("error *");
  expect(eventText("")).toBe("(always)");
  expect(eventText("run.steer")).toBe("run.steer");
});
