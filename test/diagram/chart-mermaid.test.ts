// The chart of a machine as Mermaid.
import { describe, expect, test } from "vitest";
import { agentMachine, chartJson, chartMermaid } from "agentchart/machines";
import { isDecision } from "../../src/core/diagram/chart-json.ts";
import { unusualMachine } from "./charts.ts";

/** Parses a Mermaid diagram: its boxes by title, its arrows, and the lines of text in its states. */
function parseMermaid(mermaid: string) {
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

describe("chartMermaid of the agent's machine", () => {
  const { nodes, edges } = chartJson(agentMachine);
  const drawn = parseMermaid(chartMermaid(agentMachine));
  const alias = (id: string): string => id.replaceAll(".", "_");

  test("draws every state and every decision once", () => {
    expect(drawn.states.toSorted()).toEqual(nodes.map(({ id }) => alias(id)).toSorted());
    expect(drawn.starts.toSorted()).toEqual(
      nodes.flatMap(({ initial }) => (initial ? [alias(initial)] : [])).toSorted(),
    );
    expect(drawn.nesting).toBe(0);
  });

  test("draws every transition once: an arrow if it has a target, else a line in its state", () => {
    const ends = (arrow: string): string => arrow.split(" : ")[0]!;
    expect(drawn.arrows.map(ends).toSorted()).toEqual(
      [...edges, { source: "agent.stopped", targets: ["agent.stopped"] }]
        .flatMap(({ source, targets }) => targets.map((target) => `${alias(source)} --> ${alias(target)}`))
        .toSorted(),
    );
    const isComposite = (id: string): boolean => nodes.some(({ parent }) => parent === id && id !== "agent");
    const loops = edges.filter(({ source, targets }) => targets.length === 0 && isComposite(source));
    const staying = edges.filter(({ source, targets }) => targets.length === 0 && !isComposite(source));
    expect(drawn.inside).toHaveLength(staying.length);
    expect(loops.map(({ id }) => id)).toEqual(["agent.stopped|run.interrupt|0"]);
  });

  test("labels arrows with the event and the guard", () => {
    const arrows = drawn.arrows;
    expect(arrows).toContain("agent_stopped_idle --> agent_doCall_preCall : call [listens(preCall)]");
    expect(arrows).toContain("agent_stopped_idle --> agent_doCall_checkingPending : call [else]");
    expect(arrows).toContain("agent_reasoning_calling --> agent_reasoning_deciding : done callModel [else]");
    expect(arrows).toContain("agent --> agent_stopped_failing : error *");
    expect(arrows).toContain("agent_acting_authorizing --> agent_suspended : [needsApproval]");
  });

  test("marks the titles of decisions", () => {
    const lines = chartMermaid(agentMachine).split("\n");
    const marked = lines.flatMap((line) => /^ +state "◇ \w+" as (\w+)$/.exec(line)?.[1] ?? []);
    expect(marked).toEqual(nodes.filter(isDecision).map(({ id }) => alias(id)));
  });

  test("draws arrows between boxes after all boxes, so that Mermaid moves no state", () => {
    const lines = chartMermaid(agentMachine).split("\n");
    const crossing = lines.flatMap((line, index) => {
      const [, from, to] = /^ +(\w+)_[a-zA-Z]+ --> (\w+)_[a-zA-Z]+/.exec(line) ?? [];
      return from === to ? [] : [index];
    });
    expect(crossing.length).toBeGreaterThan(30);
    expect(Math.min(...crossing)).toBeGreaterThan(lines.lastIndexOf("  }"));
  });
});

test("chartMermaid draws parallel, final and history states, delays, inline guards and unusual keys", () => {
  expect(chartMermaid(unusualMachine)).toMatchInlineSnapshot(`
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
