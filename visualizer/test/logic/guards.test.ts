import { expect, test } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartJson } from "../../../src/diagram/chart-json.ts";
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
    ({ source, event }) => source === "agent.acting.executing.running" && event === "run.interrupt",
  )!;
  expect(branchesOf(index, [interrupt.id])[0]?.notTaken).toEqual([]);
});

test("branchesOf ignores unknown edges", () => {
  expect(branchesOf(index, ["nowhere||0"])).toEqual([]);
});

test("pathCoverage says whether edges lead from one configuration to another", () => {
  const idle = states("stopped", "stopped.idle");
  const preparing = states("doCall", "doCall.preparing");
  const checking = states("doCall", "doCall.checkingPending");
  const call = "agent.stopped.idle|call|1";
  const on = "agent.doCall.preparing||1";
  expect(pathCoverage(index, idle, [call], preparing)).toBe("full");
  expect(pathCoverage(index, idle, [call, on], checking)).toBe("full");
  expect(pathCoverage(index, idle, [call], checking)).toBe("partial");
  expect(pathCoverage(index, idle, [on], checking)).toBe("partial");
  expect(pathCoverage(index, idle, [], checking)).toBe("none");
  expect(pathCoverage(index, idle, ["nowhere||0"], checking)).toBe("none");
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
