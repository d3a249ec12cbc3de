// The place on the map of each state and service.
import { expect, test } from "vitest";
import { setup } from "xstate";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { chartJson } from "../../../src/core/diagram/chart-json.ts";
import { indexChart } from "../../src/logic/chart-index.ts";
import { activePlace, isAgentChart, placeOf, PLACES, statesOf } from "../../src/map/places.ts";

const index = indexChart(agentChart().chart);

test("each state of the agent's chart but the root is in one place, and the states of a place contain all of it", () => {
  const inPlaces = new Set(PLACES.flatMap((place) => statesOf(index, place)));
  const outermost = (id: string): string | undefined => {
    let at: string | undefined = id;
    while (at !== undefined && !inPlaces.has(at)) at = index.nodes.get(at)?.parent;
    return at;
  };
  const lost = index.chart.nodes.filter(({ id, parent }) => {
    const place = placeOf(id);
    if (parent === undefined) return place !== undefined;
    const found = outermost(id);
    return place === undefined || found === undefined || !statesOf(index, place).includes(found);
  });
  expect(lost).toEqual([]);
});

test("each service of the agent's chart runs in the place that is named after it", () => {
  const running = (service: string): ReadonlySet<string | undefined> =>
    new Set(index.chart.nodes.filter(({ invoke }) => invoke.includes(service)).map(({ id }) => placeOf(id)));
  expect(running("callModel")).toEqual(new Set(["model", "prompt", "prompt"]));
  expect(running("checkBreakpoints")).toEqual(new Set(["prompt"]));
  expect(running("reviewCalls")).toEqual(new Set(["tools"]));
  expect(running("commit")).toEqual(new Set(["tools"]));
});

test("the place of a configuration is that of its innermost state", () => {
  expect(activePlace(index, ["agent", "agent.reasoning", "agent.reasoning.preHooks"])).toBe("prompt");
  expect(activePlace(index, ["agent", "agent.reasoning", "agent.reasoning.calling"])).toBe("model");
  expect(activePlace(index, ["agent", "agent.suspended", "agent.suspended.waiting"])).toBe("people");
  expect(activePlace(index, [])).toBeUndefined();
});

test("a chart that is not an agent's has no map", () => {
  expect(isAgentChart(index)).toBe(true);
  const other = setup({}).createMachine({
    id: "agent",
    initial: "acting",
    states: { acting: {}, stopped: {} },
  });
  expect(isAgentChart(indexChart(chartJson(other)))).toBe(false);
});
