import { describe, expect, test } from "vitest";
import { and, createMachine, not } from "xstate";
import { agentMachine, chartJson, chartMermaid } from "agentchart/machines";

type Config = { readonly [field: string]: unknown };
type Written = { readonly path: string; readonly event: string; readonly transition: unknown };

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat());
const configOf = (value: unknown): Config => (value ?? {}) as Config;

/** The states of a machine file as they are written down, without the help of XState. */
function writtenStates(config: Config, path: string): (readonly [path: string, config: Config])[] {
  const inner = Object.entries(configOf(config["states"]));
  return [
    [path, config],
    ...inner.flatMap(([key, child]) => writtenStates(configOf(child), `${path}.${key}`)),
  ];
}

/** The transitions of a machine file as they are written down, in XState's names for the events. */
function writtenTransitions(root: Config, id: string): Written[] {
  return writtenStates(root, id).flatMap(([path, config]) => {
    const groups: (readonly [event: string, said: unknown])[] = [
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
    return groups.flatMap(([event, said]) => listOf(said).map((transition) => ({ path, event, transition })));
  });
}

const guardOf = (transition: unknown): string | undefined => {
  const guard = (transition as { guard?: string | { type: string } }).guard;
  return typeof guard === "object" ? guard.type : guard;
};

describe("The chart of the agent as JSON", () => {
  const chart = chartJson(agentMachine);
  const config = agentMachine.config as unknown as Config;

  test("holds every state of the machine file once, in its order", () => {
    const written = writtenStates(config, "agent");
    expect(chart.nodes.map(({ id }) => id)).toEqual(written.map(([path]) => path));
    expect(chart.nodes.map(({ description }) => description)).toEqual(
      written.map(([, { description }]) => description),
    );
    expect(new Set(chart.nodes.map(({ id }) => id)).size).toBe(chart.nodes.length);
  });

  test("holds every transition of the machine file once, with its guard", () => {
    const line = (source: string, event: string, guard = "") => `${source} ${event} [${guard}]`;
    const written = writtenTransitions(config, "agent");
    expect(
      chart.edges.map(({ source, event, guard }) => line(source, event, guard?.name)).toSorted(),
    ).toEqual(
      written.map(({ path, event, transition }) => line(path, event, guardOf(transition))).toSorted(),
    );
    expect(new Set(chart.edges.map(({ id }) => id)).size).toBe(chart.edges.length);
  });

  test("has only edges between its nodes, and only initial states among the children", () => {
    const nodes = new Map(chart.nodes.map((node) => [node.id, node]));
    expect(
      chart.edges.flatMap(({ source, targets }) => [source, ...targets]).filter((id) => !nodes.has(id)),
    ).toEqual([]);
    const parents = chart.nodes.filter(({ type }) => type === "compound");
    expect(parents.map(({ initial }) => nodes.get(initial ?? "")?.parent)).toEqual(
      parents.map(({ id }) => id),
    );
  });

  test("names guards with their parameters, actions and services", () => {
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

  test("is plain data and the same every time", () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
    expect(chartJson(agentMachine)).toEqual(chart);
  });
});

/** What a Mermaid text draws: the boxes by title, the arrows, and the lines within boxes. */
function drawnIn(mermaid: string) {
  const lines = mermaid.split("\n").map((line) => line.trim());
  const all = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.slice(1) ?? []);
  return {
    states: all(/^state ".+" as (\w+)(?: \{)?$/),
    arrows: lines.filter((line) => /^\w+ --> \w+/.test(line)),
    starts: all(/^\[\*\] --> (\w+)$/),
    inside: lines.filter((line) => /^\w+ : /.test(line)),
    nesting: lines.filter((line) => line.endsWith("{")).length - lines.filter((line) => line === "}").length,
  };
}

describe("The chart of the agent in Mermaid", () => {
  const { nodes, edges } = chartJson(agentMachine);
  const drawn = drawnIn(chartMermaid(agentMachine));
  const alias = (id: string): string => id.replaceAll(".", "_");

  test("draws every state once", () => {
    expect(drawn.states.toSorted()).toEqual(nodes.map(({ id }) => alias(id)).toSorted());
    expect(drawn.starts.toSorted()).toEqual(
      nodes.flatMap(({ initial }) => (initial ? [alias(initial)] : [])).toSorted(),
    );
    expect(drawn.nesting).toBe(0);
  });

  test("draws every transition once, an arrow if it has a target and else a line in its state", () => {
    const ends = (arrow: string): string => arrow.split(" : ")[0]!;
    expect(drawn.arrows.map(ends).toSorted()).toEqual(
      edges
        .flatMap(({ source, targets }) => targets.map((target) => `${alias(source)} --> ${alias(target)}`))
        .toSorted(),
    );
    expect(drawn.inside).toHaveLength(edges.filter(({ targets }) => targets.length === 0).length);
  });

  test("labels arrows with event and guard", () => {
    const arrows = drawn.arrows;
    expect(arrows).toContain("agent_doCall_preparing --> agent_doCall_preCall : [listens(preCall)]");
    expect(arrows).toContain("agent_doCall_preparing --> agent_doCall_checkingPending : [else]");
    expect(arrows).toContain("agent_reasoning_calling --> agent_reasoning_judging : done callModel");
    expect(arrows).toContain("agent --> agent_stopped_failing : error *");
    expect(arrows).toContain("agent_suspended_waiting --> agent_doCall : call");
  });

  test("draws an arrow between boxes after all boxes, where Mermaid moves no state", () => {
    const lines = chartMermaid(agentMachine).split("\n");
    const crossing = lines.flatMap((line, index) => {
      const [, from, to] = /^ +(\w+)_[a-zA-Z]+ --> (\w+)_[a-zA-Z]+/.exec(line) ?? [];
      return from === to ? [] : [index];
    });
    expect(crossing.length).toBeGreaterThan(30);
    expect(Math.min(...crossing)).toBeGreaterThan(lines.lastIndexOf("  }"));
  });
});

test("Any machine has a chart: parallel, final and history states, delays, guards in code, odd keys", () => {
  const isReady = () => true;
  const machine = createMachine({
    id: "odd",
    initial: "a b",
    states: {
      "a b": {
        after: { 1000: "both" },
        on: { "x:y": [{ guard: isReady, target: "both" }, { guard: () => true }, { guard: not("isReady") }] },
      },
      both: {
        type: "parallel",
        states: {
          left: { initial: "on", states: { on: { type: "final" }, last: { type: "history" } } },
          right: {
            on: { go: "#odd.both.left.last", both: [{ guard: and([isReady]), target: ["#odd.end"] }] },
          },
        },
        on: { tick: { actions: () => {} } },
        onDone: "end",
      },
      end: { type: "final" },
    },
  });
  expect(chartJson(machine).edges.map(({ kind, guard }) => [kind, guard?.name])).toEqual([
    ["event", "isReady"],
    ["event", "guard"],
    ["event", "not"],
    ["after", undefined],
    ["event", undefined],
    ["done", undefined],
    ["event", undefined],
    ["event", "and"],
  ]);
  expect(chartMermaid(machine)).toMatchInlineSnapshot(`
    "stateDiagram-v2
      state "odd (in every state)" as odd
      [*] --> odd_a_32_b
      state "a b" as odd_a_32_b
      odd_a_32_b : x#58;y [guard]
      odd_a_32_b : x#58;y [not]
      state "both" as odd_both {
        state "left" as odd_both_left {
          [*] --> odd_both_left_on
          state "on" as odd_both_left_on
          odd_both_left_on --> [*]
          state "last" as odd_both_left_last
        }
        --
        state "right" as odd_both_right
      }
      state "end" as odd_end
      odd_end --> [*]
      odd_a_32_b --> odd_both : x#58;y [isReady]
      odd_a_32_b --> odd_both : after 1000
      odd_both --> odd_both : tick
      odd_both --> odd_end : done
      odd_both_right --> odd_both_left_last : go
      odd_both_right --> odd_end : both [and]
    "
  `);
});
