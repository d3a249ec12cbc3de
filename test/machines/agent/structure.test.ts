// The top of the chart: its six states.
import { describe, expect, test } from "vitest";
import { agentChart } from "../../../machines/agent/agent-chart.ts";
import { agentMachine, agentSlots } from "../../../machines/agent/agent.machine.ts";
import { drawing, waitingStates } from "../../../src/testing/explorer/edges.ts";

const { nodes, edges } = drawing;
const pathOf = (id: string): string => id.slice("agent.".length);
const states = nodes.filter(({ parent }) => parent !== undefined);
const decisions = nodes.filter(({ tags }) => tags.includes("decision"));
const guardNames = edges.flatMap(({ guard }) => guard?.name.split(" && ") ?? []);
const actionNames = [
  ...edges.flatMap(({ actions }) => actions),
  ...nodes.flatMap(({ entry, exit }) => [...entry, ...exit]),
].map(({ name }) => name);

describe("the agent's chart", () => {
  test("has exactly the six states of the design at its top", () => {
    const top = nodes.filter(({ parent }) => parent === "agent").map(({ key }) => key);
    expect(top).toEqual(["doCall", "reasoning", "acting", "summarizing", "suspended", "stopped"]);
    expect(nodes[0]!.initial).toBe("agent.stopped");
    expect(Object.keys(agentMachine.states).toSorted()).toEqual(top.toSorted());
  });

  test("fits on one drawing: at most 51 nodes and 232 edges, beside shorter prompts, slots, changed agents and stored ends", () => {
    const isCompaction = (id: string): boolean => id.includes(".compacting");
    const isBeside = ({ event, guard }: (typeof edges)[number]): boolean =>
      ["session.compact", "session.edit", "session.adopt", "slot.write"].includes(event) ||
      guard?.name === "isLeftToOthers" ||
      /mustEndFirst|"ending"/u.test(JSON.stringify(guard ?? null));
    const others = edges.filter(
      (edge) => !isBeside(edge) && ![edge.source, ...edge.targets].some(isCompaction),
    );
    expect(nodes.filter(({ id }) => !isCompaction(id)).length).toBeLessThanOrEqual(51);
    expect(others.length).toBeLessThanOrEqual(232);
    expect(nodes.length).toBeLessThanOrEqual(69);
    expect(edges.length).toBeLessThanOrEqual(314);
  });

  test("describes every state and decision in a sentence", () => {
    expect(states.filter(({ description = "" }) => !/[.?]$/.test(description)).map(({ id }) => id)).toEqual(
      [],
    );
  });

  test("has a decision where several edges lead to the same choice, and only there", () => {
    expect(decisions.map(({ id }) => pathOf(id))).toEqual([
      "doCall.checkingPending",
      "reasoning.checkingLimits",
      "reasoning.deciding",
      "reasoning.compacting.planning",
      "reasoning.compacting.leaving",
      "acting.authorizing",
      "acting.deciding",
      "suspended.settling",
      "stopped.compacting.planning",
      "stopped.compacting.leaving",
      "stopped.settling",
      "stopped.interrupting",
      "stopped.failing",
    ]);
    const leadingTo = (id: string): number => {
      const around = nodes.find((node) => node.initial === id)?.id;
      return edges.filter(({ targets: [to] }) => to === id || (around !== undefined && to === around)).length;
    };
    expect(decisions.filter(({ id }) => leadingTo(id) < 2).map(({ id }) => id)).toEqual([]);
  });

  test("rests in three states without a service, a timer or an entry effect", () => {
    const { effects } = agentChart.vocabulary;
    const resting = ["stopped.idle", "stopped.unfinished", "suspended.waiting"];
    const found = waitingStates.filter(
      ({ invoke, entry, path }) =>
        invoke.length === 0 &&
        entry.every(({ name }) => !(name in effects)) &&
        waitingStates.every((state) => state.path !== path || !hasServiceAround(state.id)),
    );
    expect(found.map(({ path }) => path).toSorted()).toEqual(resting.toSorted());
  });

  test("names every service like its slot", () => {
    const invoked = new Set(nodes.flatMap(({ invoke }) => invoke));
    expect([...invoked, "runTool"].toSorted()).toEqual(Object.keys(agentSlots).toSorted());
  });

  test("uses every guard, update, effect and refusal of its vocabulary", () => {
    const { guards, updates, effects, refusals } = agentChart.vocabulary;
    const unused = (known: object, used: readonly string[]) =>
      Object.keys(known).filter((name) => !used.includes(name));
    expect(unused(guards, guardNames)).toEqual([]);
    expect(unused({ ...updates, ...effects }, actionNames)).toEqual([]);
    expect(
      unused(
        refusals,
        edges.flatMap(({ refuse }) => refuse ?? []),
      ),
    ).toEqual([]);
  });

  test("has the guards that people look for", () => {
    expect(guardNames).toEqual(
      expect.arrayContaining([
        "maxIters",
        "isFinished",
        "hasPendingTools",
        "stopRequested",
        "gotoRequested",
        "needsApproval",
        "overBudget",
        "retryable",
      ]),
    );
  });

  test("reaches every node", () => {
    const reached = new Set<string>();
    const reach = (id: string): void => {
      if (reached.has(id)) return;
      reached.add(id);
      const node = nodes.find((each) => each.id === id)!;
      if (node.parent) reach(node.parent);
      if (node.initial) reach(node.initial);
      for (const { source, targets } of edges) if (source === id) for (const to of targets) reach(to);
    };
    reach("agent");
    expect(nodes.filter(({ id }) => !reached.has(id)).map(({ id }) => id)).toEqual([]);
  });

  test("runs a tool only behind the permission of every call", () => {
    const isInside = (id: string): boolean => id.startsWith("agent.acting.executing");
    const entries = edges.filter(({ source, targets }) => !isInside(source) && targets.some(isInside));
    expect([...new Set(entries.map(({ source }) => pathOf(source)))]).toEqual(["acting.authorizing"]);
    const first = edges.find(({ source }) => source === "agent.acting.authorizing");
    expect(first?.guard?.name).toBe("needsApproval");
  });
});

function hasServiceAround(id: string): boolean {
  const node = nodes.find((each) => each.id === id)!;
  return node.invoke.length > 0 || (node.parent !== undefined && hasServiceAround(node.parent));
}
