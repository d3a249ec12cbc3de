// The nodes of a chart, and invalid charts.
import { describe, expect, test } from "vitest";
import { nodesOf } from "../../../machines/chart/nodes.ts";
import { Resolver } from "../../../machines/chart/resolve.ts";
import { brokenToyOf, toyOf, waits } from "./toys.ts";

const a = { description: "Waits." };
const root = (states: object, more: object = {}) =>
  brokenToyOf({ description: "A toy.", initial: "a", states: { a, ...states }, ...more });
const on = (branch: object | readonly object[]) => ({ a: { ...a, on: { go: branch } } });
const decides = (...decide: readonly object[]) => ({ check: { description: "Which?", decide } });

describe("the nodes of a chart", () => {
  test("are in the order of the definition, with ids, paths and parents", () => {
    const nodes = [
      ...nodesOf(
        toyOf({
          description: "A toy.",
          initial: "p",
          states: { p: waits({ initial: "q", states: { q: waits() } }), r: waits() },
        }),
      ).values(),
    ];
    expect(nodes.map(({ id, path, parent }) => [id, path, parent?.id])).toEqual([
      ["toy", "", undefined],
      ["toy.p", "p", "toy"],
      ["toy.p.q", "p.q", "toy.p"],
      ["toy.r", "r", "toy"],
    ]);
  });
});

describe("an invalid chart", () => {
  const cases: readonly (readonly [what: string, chart: ReturnType<typeof root>, problem: string])[] = [
    ["an unknown guard", root(on({ guard: "isZer", target: "a" })), "toy.a uses the unknown guard 'isZer'"],
    ["an unknown action", root(on({ actions: ["ad"] })), "toy.a uses the unknown action 'ad'"],
    ["a name of every object", root(on({ guard: "toString" })), "toy.a uses the unknown guard 'toString'"],
    ["an unknown entry action", root({ a: { ...a, entry: "ad" } }), "toy.a uses the unknown action 'ad'"],
    ["an unknown refusal", root(on({ refuse: "open" })), "toy.a uses the unknown refusal 'open'"],
    [
      "an update on exit",
      root({ a: { ...a, exit: "add" } }),
      "toy.a uses the update 'add' on exit, which only takes effects",
    ],
    ["an unknown target", root(on({ target: "b" })), "toy.a leads to the unknown node 'toy.b'"],
    ["an unknown absolute target", root(on({ target: "#toi.a" })), "toy.a leads to the unknown node 'toi.a'"],
    ["the root as a target", root(on({ target: "#toy" })), "toy.a leads to the root"],
    [
      "no initial state",
      brokenToyOf({ description: "A toy.", states: { a } }),
      "toy has inner states and no valid `initial`",
    ],
    ["an unknown initial state", root({}, { initial: "b" }), "toy has inner states and no valid `initial`"],
    [
      "an initial state further inside",
      root({ p: { ...a, initial: "q", states: { q: a } } }, { initial: "p.q" }),
      "toy has inner states and no valid `initial`",
    ],
    [
      "an initial state without inner states",
      root({ a: { ...a, initial: "b" } }),
      "toy.a has an `initial` and no inner states",
    ],
    [
      "a decision at the very beginning",
      root(decides({ target: "a" }), { initial: "check" }),
      "toy.check is a decision and cannot be the first state",
    ],
    ["a decision without branches", root(decides()), "toy.check is a decision whose last branch has a guard"],
    [
      "a decision that may not decide",
      root(decides({ guard: "isZero", target: "a" })),
      "toy.check is a decision whose last branch has a guard",
    ],
    [
      "a decision without a target",
      root(decides({ guard: "isZero" }, { target: "a" })),
      "toy.check is a decision with a branch that leads nowhere",
    ],
    [
      "a decision with a choice without a target",
      root(decides({ choose: [{ guard: "isZero" }, { target: "a" }] })),
      "toy.check is a decision with a branch that leads nowhere",
    ],
    [
      "a decision that refuses",
      root(decides({ refuse: "closed" })),
      "toy.check refuses in a choice: only the edge of an event may",
    ],
    [
      "a choice that may not decide",
      root(on({ choose: [{ guard: "isZero", target: "a" }] })),
      "toy.a has a choice whose last branch has a guard",
    ],
    [
      "a choice with a target of its own",
      root(on({ target: "a", choose: [{ target: "a" }] })),
      "toy.a has a choice with a target of its own",
    ],
    [
      "a choice that refuses",
      root(on({ choose: [{ refuse: "closed" }] })),
      "toy.a refuses in a choice: only the edge of an event may",
    ],
    [
      "a refusal with an action",
      root(on({ refuse: "closed", actions: "add" })),
      "toy.a has a refusal with actions, a target or a choice",
    ],
    [
      "a refusal with a target",
      root(on({ refuse: "closed", target: "a" })),
      "toy.a has a refusal with actions, a target or a choice",
    ],
    [
      "a branch that is never reached",
      root(on([{ target: "a" }, { actions: "add" }])),
      "toy.a has a branch after one without a guard",
    ],
    [
      "a branch of a decision that is never reached",
      root(decides({ target: "a" }, { target: "a" })),
      "toy.check has a branch after one without a guard",
    ],
  ];

  test.each(cases)("with %s is reported with the node and the problem", (_, chart, problem) => {
    expect(() => new Resolver(chart)).toThrow(`The chart 'toy' is invalid: ${problem}.`);
  });

  test("with a name that is an update and an effect is reported", () => {
    const chart = root(on({ actions: "add" }));
    const { vocabulary } = chart;
    const effects = { ...vocabulary.effects, add: () => [] };
    expect(() => new Resolver({ ...chart, vocabulary: { ...vocabulary, effects } })).toThrow(
      "The chart 'toy' is invalid: 'add' is an update and an effect.",
    );
  });
});
