import type { AnyStateNode } from "xstate";
import { describe, expect, it } from "vitest";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { statesOf, transitionsOf } from "../../laws/explorer/edges.ts";

const root = agentMachine.root as unknown as AnyStateNode;
const states = statesOf(agentMachine);
const nodes = [root, ...states];
const transitions = nodes.flatMap(transitionsOf);
const pathOf = (node: AnyStateNode): string => node.path.join(".");

/** The name of a guard or an action; undefined for one that is written where it is used. */
function nameOf(reference: unknown): string | undefined {
  if (typeof reference === "string") return reference;
  const named =
    typeof reference === "object" && reference !== null && "type" in reference ? reference.type : undefined;
  return typeof named === "string" ? named : undefined;
}

const guards = transitions.flatMap(({ guard }) => (guard === undefined ? [] : [nameOf(guard)]));
const actions = [
  ...transitions.flatMap((transition) => transition.actions.map(nameOf)),
  ...nodes.flatMap(({ entry, exit }) => [...entry, ...exit].map(nameOf)),
];

describe("the chart", () => {
  it("has exactly the six states of the design at its top", () => {
    const top = Object.keys(agentMachine.states);
    expect(top).toEqual(["doCall", "reasoning", "acting", "summarizing", "suspended", "stopped"]);
    expect(root.config.initial).toBe("stopped");
  });

  it("describes every state in a sentence", () => {
    expect(states.filter(({ description = "" }) => !/[.?]$/.test(description)).map(pathOf)).toEqual([]);
  });

  it("rests in two states without a service", () => {
    const resting = states.filter((node) => ["stopped.idle", "suspended.waiting"].includes(pathOf(node)));
    expect(resting.map(({ invoke }) => invoke)).toEqual([[], []]);
  });

  it("waits nowhere else without a service", () => {
    const services = (node: AnyStateNode | undefined): number =>
      node ? node.invoke.length + services(node.parent as AnyStateNode | undefined) : 0;
    const waiting = states.filter((node) => node.type === "atomic" && (node.always ?? []).length === 0);
    const without = waiting.filter((node) => services(node) === 0);
    const spawning = without.filter((node) => node.entry.map(nameOf).includes("spawnCalls"));
    expect(spawning.map(pathOf)).toEqual(["acting.executing.running"]);
    const resting = without.filter((node) => !spawning.includes(node));
    expect(resting.map(pathOf)).toEqual(["suspended.waiting", "stopped.idle"]);
  });

  it("names every service like its slot", () => {
    const invoked = states.flatMap((node) => node.invoke.map(({ id, src }) => ({ id, src })));
    const slots = Object.keys(agentMachine.implementations.actors);
    expect(invoked.filter(({ id, src }) => id !== src)).toEqual([]);
    expect(slots.toSorted()).toEqual([
      "callModel",
      "commit",
      "reviewCalls",
      "runHooks",
      "runTool",
      "sleepUntil",
    ]);
    expect(invoked.filter(({ src }) => !slots.includes(String(src)))).toEqual([]);
  });

  it("names every guard and every action", () => {
    const { guards: knownGuards, actions: knownActions } = agentMachine.implementations;
    expect(guards.filter((name) => name === undefined || !(name in knownGuards))).toEqual([]);
    expect(actions.filter((name) => name === undefined || !(name in knownActions))).toEqual([]);
  });

  it("uses every guard it has, and the names people look for are among them", () => {
    const used = new Set(guards);
    expect(Object.keys(agentMachine.implementations.guards).filter((name) => !used.has(name))).toEqual([]);
    expect([...used]).toEqual(
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

  it("reaches every state", () => {
    const reached = new Set<AnyStateNode>();
    const reach = (node: AnyStateNode): void => {
      if (reached.has(node)) return;
      reached.add(node);
      if (node.parent) reach(node.parent as AnyStateNode);
      if (node.type === "compound") for (const initial of node.initial.target) reach(initial as AnyStateNode);
      for (const { target = [] } of transitionsOf(node))
        for (const next of target) reach(next as AnyStateNode);
    };
    reach(root);
    expect(states.filter((node) => !reached.has(node)).map(pathOf)).toEqual([]);
  });

  it("has no timers of XState's, which do not survive a restore, and no final or parallel states", () => {
    expect(nodes.flatMap(({ after }) => after)).toEqual([]);
    expect(nodes.filter(({ type }) => type !== "atomic" && type !== "compound").map(pathOf)).toEqual([]);
  });

  it("runs a tool through one edge, behind the permission of every call", () => {
    const isInside = (node: unknown): boolean => pathOf(node as AnyStateNode).startsWith("acting.executing");
    const entries = transitions.filter(
      ({ source, target = [] }) => !isInside(source) && target.some(isInside),
    );
    expect(entries.map(({ source }) => pathOf(source as AnyStateNode))).toEqual(["acting.authorizing"]);
    const first = states.find((node) => pathOf(node) === "acting.authorizing")?.always?.[0];
    expect(nameOf(first?.guard)).toBe("needsApproval");
  });
});
