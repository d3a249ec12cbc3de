// The picture of a chart.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartJson, isDecision } from "../../../src/core/diagram/chart-json.ts";
import shipped from "../../../src/core/diagram/agent-layouts.json" with { type: "json" };
import { ChartPicture } from "../../src/diagram/chart-picture.tsx";
import { indexChart } from "../../src/logic/chart-index.ts";
import type { Layout } from "../../src/wire/types.ts";

const chart = chartJson(agentMachine);
const index = indexChart(chart);
const landscape = shipped.layouts.landscape as unknown as Layout;
const leavingOf = (id: string) => index.leaving.get(id)!.map((edge) => edge.id);

/** The markup of each node by its id, with these edges taken. */
function nodesWith(taken: ReadonlyMap<string, number>, animationKey?: number): ReadonlyMap<string, string> {
  const picture = createElement(ChartPicture, {
    layout: landscape,
    index,
    active: ["agent", "agent.stopped", "agent.stopped.idle"],
    taken,
    animationKey,
    filter: null,
    visits: undefined,
    scale: 1,
    isOverview: false,
  });
  const markup = renderToStaticMarkup(picture).split('<g class="node').slice(1);
  return new Map(markup.map((node) => [/data-state="([^"]*)"/.exec(node)![1]!, node]));
}

const passed = (nodes: ReadonlyMap<string, string>) =>
  [...nodes].flatMap(([id, node]) => {
    const [, rank] = /data-passed="(\d)"/.exec(node) ?? [];
    return rank === undefined ? [] : [[id, rank]];
  });

test("ChartPicture draws decisions as polygons with a ◇, and states as boxes", () => {
  const nodes = nodesWith(new Map());
  expect([...nodes.keys()]).toEqual(chart.nodes.map(({ id }) => id));
  const drawnWith = (text: (key: string) => string): readonly string[] =>
    chart.nodes.filter(({ id, key }) => nodes.get(id)!.includes(text(key))).map(({ id }) => id);
  const decisions = chart.nodes.filter(isDecision).map(({ id }) => id);
  const states = chart.nodes.filter((node) => !isDecision(node)).map(({ id }) => id);
  expect(drawnWith(() => '<polygon class="box"')).toEqual(decisions);
  expect(drawnWith((key) => `>◇ ${key}<`)).toEqual(decisions);
  expect(drawnWith(() => '<rect class="box"')).toEqual(states);
  expect(passed(nodes)).toEqual([]);
});

test("ChartPicture marks the decisions that the last steps passed, and flashes those of the displayed step", () => {
  const [first, second] = ["agent.reasoning.deciding", "agent.stopped.settling"];
  const taken = new Map([
    [leavingOf(first).at(-1)!, 1],
    [leavingOf(second)[0]!, 0],
    ["agent.stopped.idle|call|1", 2],
  ]);
  const nodes = nodesWith(taken, 5);
  expect(passed(nodes)).toEqual([
    [first, "1"],
    [second, "0"],
  ]);
  const flashing = [...nodes].flatMap(([id, node]) => (node.includes('class="flash"') ? [id] : []));
  expect(flashing).toEqual([second]);
  expect([...nodesWith(taken).values()].join("")).not.toContain('class="flash"');
});
