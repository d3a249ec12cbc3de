// Titles of steps.
import { expect, test } from "vitest";
import { agentMachine, chartJson } from "agentchart/machines";
import { titleOf } from "../../src/logic/step-title.ts";
import { decodeStep } from "../../src/wire/step.ts";

const titleOfEvent = (e: string): string =>
  titleOf(decodeStep({ q: 1, t: 1, m: 1, e, x: [], s: 0, p: [] }), [], []).title;

test("each command of the chart, and the begin and end of a run, has a title in words", () => {
  const commands = chartJson(agentMachine)
    .edges.map(({ event }) => event)
    .filter((event) => /^[a-z]+(\.[a-z]+)?$/.test(event) && !event.startsWith("xstate."));
  expect(commands).toContain("run.steer");
  const untitled = [...commands, "xstate.init", "input.refused", "journal"].filter(
    (event) => !/^[a-z]+( [a-z]+)+$|^interrupted$/.test(titleOfEvent(event)),
  );
  expect(untitled).toEqual([]);
});
