// The chart of a machine as JSON.
import { describe, expect, test } from "vitest";
import { agentMachine, chartJson } from "agentchart/machines";
import { createMachine, type AnyStateNode } from "xstate";
import { agentChart } from "../../machines/agent/agent-chart.ts";
import { isDecision } from "../../src/core/diagram/chart-json.ts";
import { unusualMachine } from "./charts.ts";

type Branch = {
  readonly guard?: string | { readonly type: string };
  readonly choose?: readonly Branch[];
};
/** A state or a decision of a definition, read without the code that resolves it. */
type Definition = {
  readonly description: string;
  readonly on?: { readonly [event: string]: Branch | readonly Branch[] };
  readonly invoke?: {
    readonly src: string;
    readonly onDone?: Branch | readonly Branch[];
    readonly onError?: Branch | readonly Branch[];
  };
  readonly decide?: readonly Branch[];
  readonly states?: { readonly [key: string]: Definition };
};

function definedNodes(definition: Definition, id: string): (readonly [id: string, Definition])[] {
  const inner = Object.entries(definition.states ?? {});
  return [[id, definition], ...inner.flatMap(([key, child]) => definedNodes(child, `${id}.${key}`))];
}

/** The branches of a node by event, with XState's names for the outcomes of services; "" for those of a decision. */
function definedBranches({ on, invoke, decide = [] }: Definition): (readonly [event: string, Branch])[] {
  const groups: (readonly [string, Branch | readonly Branch[]])[] = [
    ...Object.entries(on ?? {}),
    ...(invoke ? [[`xstate.done.actor.${invoke.src}`, invoke.onDone ?? []] as const] : []),
    ...(invoke ? [[`xstate.error.actor.${invoke.src}`, invoke.onError ?? []] as const] : []),
    ["", decide],
  ];
  return groups.flatMap(([event, branches]) => [branches].flat().map((branch) => [event, branch] as const));
}

/** The names of the guards on the way to each branch without a further choice. */
function guardsOf({ guard, choose }: Branch): readonly (readonly string[])[] {
  const own = guard === undefined ? [] : [typeof guard === "string" ? guard : guard.type];
  return choose ? choose.flatMap(guardsOf).map((inner) => [...own, ...inner]) : [own];
}

function withDescendants({ id, states }: AnyStateNode): string[] {
  return [id, ...Object.values<AnyStateNode>(states).flatMap(withDescendants)];
}

describe("chartJson of the agent's machine", () => {
  const chart = chartJson(agentMachine);

  test("has ids of its own for every node and edge", () => {
    expect(new Set(chart.nodes.map(({ id }) => id)).size).toBe(chart.nodes.length);
    expect(new Set(chart.edges.map(({ id }) => id)).size).toBe(chart.edges.length);
  });

  test("contains every state and decision of the definition once, in its order", () => {
    const defined = definedNodes(agentChart.root as Definition, "agent");
    const isDecided = ({ decide }: Definition): boolean => decide !== undefined;
    expect(chart.nodes.map(({ id }) => id)).toEqual(defined.map(([id]) => id));
    expect(chart.nodes.map(({ description }) => description)).toEqual(
      defined.map(([, { description }]) => description),
    );
    expect(chart.nodes.map(isDecision)).toEqual(defined.map(([, definition]) => isDecided(definition)));
  });

  test("contains every branch of the definition that leads somewhere as an edge, with all guards before it", () => {
    const line = (source: string, event: string, guards: string) => `${source} ${event} [${guards}]`;
    const guards = (name = ""): string => name.replaceAll(/\([^)]*\)| after .*/gu, "");
    expect(chart.edges.map(({ source, event, guard }) => line(source, event, guards(guard?.name)))).toEqual(
      definedNodes(agentChart.root as Definition, "agent").flatMap(([id, definition]) =>
        definedBranches(definition).flatMap(([event, branch]) =>
          guardsOf(branch).map((guards) => line(id, event, guards.join(" && "))),
        ),
      ),
    );
  });

  test("has the states of the XState machine, decisions among them", () => {
    expect(chart.nodes.map(({ id }) => id)).toEqual(withDescendants(agentMachine.root));
    expect(chart.nodes.filter(isDecision).map(({ id }) => id)).toContain("agent.reasoning.checkingLimits");
  });

  test("has only edges between its nodes, and initial states that are children", () => {
    const nodes = new Map(chart.nodes.map((node) => [node.id, node]));
    expect(
      chart.edges.flatMap(({ source, targets }) => [source, ...targets]).filter((id) => !nodes.has(id)),
    ).toEqual([]);
    const parents = chart.nodes.filter(({ type }) => type === "compound");
    expect(parents.map(({ initial }) => nodes.get(initial ?? "")?.parent)).toEqual(
      parents.map(({ id }) => id),
    );
  });

  test("names guards, actions and services, with the parameters of guards and actions", () => {
    expect(chart.edges).toContainEqual({
      id: "agent.acting.authorizing||0",
      source: "agent.acting.authorizing",
      targets: ["agent.suspended"],
      kind: "always",
      event: "",
      guard: { name: "needsApproval" },
      actions: [{ name: "suspendTurn", params: { reason: "APPROVAL_REQUIRED" } }],
      reenter: false,
    });
    expect(chart.edges.find(({ id }) => id === "agent.stopped.idle|call|1")?.guard).toEqual({
      name: "listens",
      params: { point: "preCall" },
      after: ["beginCall"],
    });
    expect(chart.nodes.find(({ id }) => id === "agent.reasoning.calling")?.invoke).toEqual(["callModel"]);
  });

  test("names the refusal of an edge that refuses a command", () => {
    expect(chart.edges).toContainEqual({
      id: "agent|call|0",
      source: "agent",
      targets: [],
      kind: "event",
      event: "call",
      actions: [],
      reenter: false,
      refuse: "busy",
    });
  });

  test("joins the guards of a choice within a choice, and runs the actions of both", () => {
    expect(chart.edges.find(({ id }) => id === "agent.doCall.checkingPending||0")).toMatchObject({
      targets: ["agent.doCall.onError"],
      guard: { name: "carriesResults && hasFailed && listens" },
      actions: [{ name: "takeResults" }],
    });
  });

  test("is JSON, and equal for every call", () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
    expect(chartJson(agentMachine)).toEqual(chart);
  });
});

test("chartJson reads parallel, final and history states, delays, inline guards and unusual keys", () => {
  expect(chartJson(unusualMachine).edges.map(({ kind, guard }) => [kind, guard?.name])).toEqual([
    ["event", "isReady"],
    ["event", "guard"],
    ["event", "not"],
    ["after", undefined],
    ["event", undefined],
    ["done", undefined],
    ["event", undefined],
    ["event", "and"],
  ]);
});

test("chartJson leaves out parameters that JSON cannot say, and those that are computed", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const machine = createMachine({
    entry: [
      { type: "big", params: { n: 10n } },
      { type: "round", params: circle },
    ],
    exit: [
      { type: "computed", params: () => ({}) },
      { type: "plain", params: { n: 10 } },
    ],
  });
  expect(chartJson(machine).nodes[0]).toMatchObject({
    entry: [{ name: "big" }, { name: "round" }],
    exit: [{ name: "computed" }, { name: "plain", params: { n: 10 } }],
  });
  expect(JSON.parse(JSON.stringify(chartJson(machine)))).toEqual(chartJson(machine));
});
