import { describe, expect, test } from "vitest";
import { agentMachine, chartJson } from "agentchart/machines";
import { unusualMachine } from "./charts.ts";

type Config = { readonly [field: string]: unknown };
type Written = { readonly path: string; readonly event: string; readonly transition: unknown };

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat());
const configOf = (value: unknown): Config => (value ?? {}) as Config;

/** The states of a machine's configuration, read without XState. */
function writtenStates(config: Config, path: string): (readonly [path: string, config: Config])[] {
  const inner = Object.entries(configOf(config["states"]));
  return [
    [path, config],
    ...inner.flatMap(([key, child]) => writtenStates(configOf(child), `${path}.${key}`)),
  ];
}

/** The transitions of a machine's configuration, read without XState, with XState's names for the events. */
function writtenTransitions(root: Config, id: string): Written[] {
  return writtenStates(root, id).flatMap(([path, config]) => {
    const groups: (readonly [event: string, definition: unknown])[] = [
      ...Object.entries(configOf(config["on"])),
      ...listOf(config["invoke"]).flatMap((invoke): (readonly [string, unknown])[] => {
        const { id: actor, onDone, onError } = invoke as { id: string; onDone?: unknown; onError?: unknown };
        return [
          [`xstate.done.actor.${actor}`, onDone],
          [`xstate.error.actor.${actor}`, onError],
        ];
      }),
      ["", config["always"]],
    ];
    return groups.flatMap(([event, definition]) =>
      listOf(definition).map((transition) => ({ path, event, transition })),
    );
  });
}

const guardOf = (transition: unknown): string | undefined => {
  const guard = (transition as { guard?: string | { type: string } }).guard;
  return typeof guard === "object" ? guard.type : guard;
};

describe("chartJson of the agent's machine", () => {
  const chart = chartJson(agentMachine);
  const config = agentMachine.config as unknown as Config;

  test("contains every state of the configuration once, in its order", () => {
    const written = writtenStates(config, "agent");
    expect(chart.nodes.map(({ id }) => id)).toEqual(written.map(([path]) => path));
    expect(chart.nodes.map(({ description }) => description)).toEqual(
      written.map(([, { description }]) => description),
    );
    expect(new Set(chart.nodes.map(({ id }) => id)).size).toBe(chart.nodes.length);
  });

  test("contains every transition of the configuration once, with its guard", () => {
    const line = (source: string, event: string, guard = "") => `${source} ${event} [${guard}]`;
    const written = writtenTransitions(config, "agent");
    expect(
      chart.edges.map(({ source, event, guard }) => line(source, event, guard?.name)).toSorted(),
    ).toEqual(
      written.map(({ path, event, transition }) => line(path, event, guardOf(transition))).toSorted(),
    );
    expect(new Set(chart.edges.map(({ id }) => id)).size).toBe(chart.edges.length);
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
    expect(chart.edges.find(({ id }) => id === "agent.doCall.preparing||0")?.guard).toEqual({
      name: "listens",
      params: { point: "preCall" },
    });
    expect(chart.nodes.find(({ id }) => id === "agent.reasoning.calling")?.invoke).toEqual(["callModel"]);
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
