import { describe, expect, test } from "vitest";
import { drawingOf } from "../../../machines/chart/drawing.ts";
import { above, add, is, note, resolverOf, ring, waits } from "./toys.ts";

const drawing = drawingOf(
  resolverOf({
    description: "A toy.",
    initial: "a",
    on: { "*": { refuse: "closed" } },
    states: {
      a: waits({
        entry: note("in"),
        exit: ring("out"),
        invoke: {
          src: "work",
          id: "w",
          input: () => 0,
          onDone: { target: "check" },
          onError: { target: "a" },
        },
        on: {
          go: [
            { guard: "never", target: "p" },
            {
              guard: above(1),
              actions: add(1),
              choose: [{ guard: is(2), target: "p" }, { actions: note("odd") }],
            },
          ],
        },
      }),
      check: {
        description: "Which?",
        decide: [
          { guard: "isZero", target: "a" },
          { choose: [{ guard: is(3), target: "a" }, { target: "p" }] },
        ],
      },
      p: waits({ initial: "q", states: { q: waits() } }),
    },
  }),
);

describe("the drawing of a chart", () => {
  test("has every node once, with its kind, its services and its actions", () => {
    expect(drawing.nodes.map(({ id, type, tags, invoke }) => [id, type, tags, invoke])).toEqual([
      ["toy", "compound", [], []],
      ["toy.a", "atomic", [], ["work"]],
      ["toy.check", "atomic", ["decision"], []],
      ["toy.p", "compound", [], []],
      ["toy.p.q", "atomic", [], []],
    ]);
    expect(drawing.nodes[1]).toMatchObject({
      entry: [{ name: "note", params: { text: "in" } }],
      exit: [{ name: "ring", params: { name: "out" } }],
    });
  });

  test("has one edge for each branch, with an id of its own", () => {
    const ids = drawing.edges.map(({ id }) => id);
    expect(ids).toEqual([
      ...["toy|*|0", "toy.a|go|0", "toy.a|go|1", "toy.a|go|2"],
      ...["toy.a|xstate.done.actor.w|0", "toy.a|xstate.error.actor.w|0"],
      ...["toy.check||0", "toy.check||1", "toy.check||2"],
    ]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("says the kind of each edge", () => {
    expect(drawing.edges.map(({ kind }) => kind)).toEqual([
      ...["event", "event", "event", "event", "done", "error", "always", "always", "always"],
    ]);
  });

  test("joins the guards and the actions on the way to a branch", () => {
    expect(drawing.edges.find(({ id }) => id === "toy.a|go|1")).toMatchObject({
      guard: { name: "isAbove && divides", params: { limit: 1, by: 2 } },
      actions: [{ name: "add", params: { by: 1 } }],
      targets: ["toy.p"],
    });
    expect(drawing.edges.find(({ id }) => id === "toy.a|go|2")).toMatchObject({
      guard: { name: "isAbove", params: { limit: 1 } },
      actions: [{ name: "add" }, { name: "note" }],
      targets: [],
    });
  });

  test("names the refusal of an edge", () => {
    expect(drawing.edges[0]).toMatchObject({ source: "toy", targets: [], refuse: "closed" });
  });
});
