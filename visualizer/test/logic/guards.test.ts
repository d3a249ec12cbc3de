// Guards of an edge that was taken, and of those before it.
import { expect, test } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartJson } from "../../../src/core/diagram/chart-json.ts";
import { indexChart } from "../../src/logic/chart-index.ts";
import { choicesOf, eventText, guardText, pathCoverage } from "../../src/logic/guards.ts";

const index = indexChart(chartJson(agentMachine));
const states = (...names: string[]): string[] => ["agent", ...names.map((name) => `agent.${name}`)];

test("choicesOf lists the alternatives before a taken edge as false, and counts those after it", () => {
  const group = index.chart.edges.filter(
    ({ source, event }) => source === "agent.reasoning.deciding" && event === "",
  );
  const choiceOf = (at: number) =>
    choicesOf(index, { event: "x", taken: [group[at]!.id], before: [], isWhole: false })[0]!;
  const last = choiceOf(group.length - 1);
  expect(last.edges.map(({ edge, is }) => [edge, is])).toEqual(
    group.map((edge, at) => [edge, at < group.length - 1 ? "false" : "taken"]),
  );
  expect(last.edges.map(({ edge }) => guardText(edge))).toEqual(
    expect.arrayContaining(["stopRequested", "else"]),
  );
  expect(choiceOf(0)).toMatchObject({ edges: [{ edge: group[0], is: "taken" }], unasked: group.length - 1 });
});

test("choicesOf does not list edges of other events, nor edges that the chart does not have", () => {
  const interrupt = index.chart.edges.find(
    ({ source, event }) => source === "agent.reasoning.calling.running" && event === "run.interrupt",
  )!;
  const told = { event: "run.interrupt", before: [], isWhole: true };
  expect(choicesOf(index, { ...told, taken: [interrupt.id] })).toEqual([
    { source: interrupt.source, edges: [{ edge: interrupt, is: "taken" }], unasked: 0 },
  ]);
  expect(choicesOf(index, { ...told, taken: ["nowhere||0"] })).toEqual([]);
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
