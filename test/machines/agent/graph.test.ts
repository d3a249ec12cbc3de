// What of xstate/graph takes the agent's machine, and what does not.
import { userMsg } from "agentchart";
import { agentMachine } from "agentchart/machines";
import { createTestModel, getAdjacencyMap, getShortestPaths, toDirectedGraph } from "xstate/graph";
import { expect, test } from "vitest";
import { contextOf } from "./at.ts";

const options = {
  input: contextOf(),
  events: [
    { type: "call", input: [userMsg("go")], at: 1, hasOutput: false },
    { type: "run.interrupt", at: 2, cause: "user" },
    { type: "run.shutdown", at: 3 },
  ],
  serializeState: ({ value }: { readonly value: unknown }) => JSON.stringify(value),
  limit: 50,
} as never;

test("getShortestPaths and getAdjacencyMap walk what leads on without a service", () => {
  const paths = getShortestPaths(agentMachine, options);
  expect(
    paths.map(({ state }) => JSON.stringify((state as { readonly value: unknown }).value)).toSorted(),
  ).toEqual([
    '{"reasoning":{"calling":"aborting"}}',
    '{"reasoning":{"calling":"running"}}',
    '{"stopped":"idle"}',
  ]);
  expect(Object.keys(getAdjacencyMap(agentMachine, options))).toHaveLength(3);
});

test("toDirectedGraph has every state and every transition with a target", () => {
  const graph = toDirectedGraph(agentMachine as never);
  expect(graph.children.map(({ id }) => id)).toContain("agent.reasoning");
  const edges = JSON.stringify(graph).match(/"label":\{/gu)!.length;
  expect(edges).toBeGreaterThan(200);
});

test("createTestModel takes no machine with `invoke`, whoever made it", () => {
  expect(() => createTestModel(agentMachine as never)).toThrow(
    /[Ii]nvocations on test machines are not supported/u,
  );
});
