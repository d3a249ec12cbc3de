// The resolver: the first state, events, decisions, entries and exits.
import { describe, expect, test } from "vitest";
import type { Effect } from "../../../machines/chart/definition.ts";
import { Resolver } from "../../../machines/chart/resolve.ts";
import { add, above, is, note, resolverOf, ring, spawn, START, stop, waits, type ToyState } from "./toys.ts";

const at = (count: number) => ({ ...START, count });
const GO = { type: "go" };

/** A root with these states, the first one initial. */
const root = (states: NonNullable<ToyState["states"]>, more: Partial<ToyState> = {}): ToyState => ({
  description: "A toy.",
  initial: Object.keys(states)[0]!,
  states,
  ...more,
});

describe("the first state", () => {
  test("is the innermost initial state, entered from the root inwards", () => {
    const resolver = resolverOf(
      root(
        {
          outer: waits({
            entry: note("outer"),
            initial: "inner",
            states: { inner: waits({ entry: note("inner") }) },
          }),
        },
        { entry: note("root") },
      ),
    );
    const step = resolver.begin(START);
    expect(step.path).toBe("outer.inner");
    expect(step.context.notes).toEqual(["root", "outer", "inner"]);
    expect(step.edges).toEqual([]);
  });
});

describe("an event", () => {
  test("leads to undefined if no edge is for it", () => {
    const resolver = resolverOf(root({ a: waits({ on: { other: { target: "a" } } }) }));
    expect(resolver.next("a", START, GO)).toBeUndefined();
  });

  test("leads to undefined if no guard of its edges holds", () => {
    const resolver = resolverOf(
      root({ a: waits({ on: { go: { guard: "never", target: "b" } } }), b: waits() }),
    );
    expect(resolver.next("a", START, GO)).toBeUndefined();
  });

  test("takes the first edge whose guard holds, and names it", () => {
    const branches = [
      { guard: "never", target: "a" },
      { guard: is(2), target: "b" },
      { target: "a" },
    ] as const;
    const resolver = resolverOf(root({ a: waits({ on: { go: branches } }), b: waits() }));
    expect(resolver.next("a", at(4), GO)).toMatchObject({ path: "b", edges: ["toy.a|go|1"] });
    expect(resolver.next("a", at(5), GO)).toMatchObject({ path: "a", edges: ["toy.a|go|2"] });
  });

  test("is left to the states around if no guard of the inner state holds", () => {
    const inner = waits({ on: { go: { guard: "never", target: "#toy.b" } } });
    const resolver = resolverOf(
      root({
        a: waits({ initial: "inner", states: { inner }, on: { go: { target: "c" } } }),
        b: waits(),
        c: waits(),
      }),
    );
    expect(resolver.next("a.inner", START, GO)?.edges).toEqual(["toy.a|go|0"]);
  });

  test("is matched by its type before any pattern, and by the longest pattern first", () => {
    const on = (descriptor: string) => ({ actions: note(descriptor) });
    const patterns = Object.fromEntries(["*", "x.*", "x.y.*", "x.y.z"].map((each) => [each, on(each)]));
    const resolver = resolverOf(root({ a: waits({ on: patterns }) }));
    const matched = (type: string) => resolver.next("a", START, { type })?.context.notes[0];
    expect(["x.y.z", "x.y.zz", "x.y", "x.other", "x", "xx", "y"].map(matched)).toEqual([
      ...["x.y.z", "x.y.*", "x.y.*", "x.*", "x.*", "*", "*"],
    ]);
  });

  test("is left to the patterns of the same state if the guards of its own edges fail", () => {
    const on = { go: { guard: "never", target: "a" }, "*": { target: "b" } } as const;
    const resolver = resolverOf(root({ a: waits({ on }), b: waits() }));
    expect(resolver.next("a", START, GO)?.edges).toEqual(["toy.a|*|0"]);
  });
});

describe("actions", () => {
  const resolver = resolverOf(
    root({
      a: waits({ exit: ring("exit a"), on: { go: { target: "b", actions: [add(10), ring("on the way")] } } }),
      b: waits({ entry: [add(1), ring("entry b")] }),
    }),
  );

  test("run in order: exit, the edge, entry; each update sees the one before", () => {
    const step = resolver.next("a", at(5), GO)!;
    expect(step.actions).toEqual(["ring", "add", "ring", "add", "ring"]);
    expect(step.context.count).toBe(16);
  });

  test("of an exit see the context of before, and happen first", () => {
    expect(resolver.next("a", at(5), GO)!.effects).toEqual([
      { type: "host", name: "exit a", params: { count: 5 } },
      { type: "host", name: "on the way", params: { count: 15 } },
      { type: "host", name: "entry b", params: { count: 16 } },
    ]);
  });

  test("leave the context that they were called with untouched", () => {
    const before = Object.freeze(at(5));
    resolver.next("a", before, GO);
    expect(before).toEqual(at(5));
  });

  test("without a target leave no state", () => {
    const stays = resolverOf(
      root({
        a: waits({
          entry: note("entered"),
          exit: ring("exit"),
          on: { go: { actions: [spawn("s"), stop("s")] } },
        }),
      }),
    );
    expect(stays.next("a", at(2), GO)).toEqual({
      path: "a",
      context: at(2),
      effects: [
        { type: "spawn", src: "work", id: "s", input: 2 },
        { type: "stop", id: "s" },
      ],
      edges: ["toy.a|go|0"],
      actions: ["spawn", "stop"],
      facts: [],
      refused: undefined,
    });
  });
});

describe("leaving and entering", () => {
  const marks = (name: string, more: Partial<ToyState> = {}) =>
    waits({ entry: note(`+${name}`), exit: ring(`-${name}`), ...more });
  const resolver = resolverOf(
    root({
      p: marks("p", {
        initial: "a",
        on: { toA: { target: "p.a" }, self: { target: "p" }, again: { target: "p", reenter: true } },
        states: {
          a: marks("a", {
            on: {
              own: { target: "a" },
              anew: { target: "a", reenter: true },
              toB: { target: "b" },
              toQ: { target: "#toy.q" },
              round: { target: "turn" },
            },
          }),
          b: marks("b"),
          turn: { description: "Leads back.", entry: note("turn"), decide: [{ target: "a" }] },
          out: { description: "Leads out and in.", decide: [{ target: "#toy.back" }] },
        },
      }),
      q: marks("q", { on: { in: { target: "p" }, home: { target: "back" } } }),
      back: { description: "Leads into p.", decide: [{ target: "p.b" }] },
    }),
  );
  const moves = (path: string, type: string) => {
    const step = resolver.next(path, START, { type })!;
    const left = step.effects.flatMap((effect) => (effect.type === "host" ? [effect.name] : []));
    return { path: step.path, order: [...left, ...step.context.notes] };
  };

  test("a sibling leaves only the inner state", () => {
    expect(moves("p.a", "toB")).toEqual({ path: "p.b", order: ["-a", "+b"] });
  });

  test("a target outside leaves the states around too, the innermost first", () => {
    expect(moves("p.a", "toQ")).toEqual({ path: "q", order: ["-a", "-p", "+q"] });
  });

  test("a compound target is entered to its initial state, the outermost first", () => {
    expect(moves("q", "in")).toEqual({ path: "p.a", order: ["-q", "+p", "+a"] });
  });

  test("a state that leads to itself is not left", () => {
    expect(moves("p.a", "own")).toEqual({ path: "p.a", order: [] });
  });

  test("a state that leads to itself is left and entered again with `reenter`", () => {
    expect(moves("p.a", "anew")).toEqual({ path: "p.a", order: ["-a", "+a"] });
  });

  test("an inner state is left and entered by a transition of the state around it", () => {
    expect(moves("p.a", "toA")).toEqual({ path: "p.a", order: ["-a", "+a"] });
  });

  test("a compound state that leads to itself leaves what is inside, and itself with `reenter`", () => {
    expect(moves("p.b", "self")).toEqual({ path: "p.a", order: ["-b", "+a"] });
    expect(moves("p.b", "again")).toEqual({ path: "p.a", order: ["-b", "-p", "+p", "+a"] });
  });

  test("a decision that leads back to the active state leaves and enters it", () => {
    expect(moves("p.a", "round")).toEqual({ path: "p.a", order: ["-a", "turn", "+a"] });
  });

  test("a decision outside leads into a state through the states around it", () => {
    expect(moves("q", "home")).toEqual({ path: "p.b", order: ["-q", "+p", "+b"] });
  });

  test("a decision outside that leads back inside leaves the state around", () => {
    const outside = resolverOf(
      root({
        p: marks("p", {
          initial: "a",
          states: { a: marks("a", { on: { go: { target: "#toy.back" } } }), b: marks("b") },
        }),
        back: { description: "Leads into p.", decide: [{ target: "p.b" }] },
      }),
    );
    const { path, effects } = outside.next("p.a", START, GO)!;
    expect([path, effects.map((effect) => "name" in effect && effect.name)]).toEqual(["p.b", ["-a", "-p"]]);
  });
});

describe("a decision", () => {
  const decisions: ToyState = root({
    a: waits({ on: { go: { target: "first", actions: add(1) } } }),
    first: {
      description: "Is it even?",
      entry: note("first"),
      decide: [{ guard: is(2), target: "second", actions: add(1) }, { target: "a" }],
    },
    second: {
      description: "Can it be divided by three?",
      entry: note("second"),
      decide: [{ guard: is(3), target: "third" }, { target: "b" }],
    },
    third: { description: "Is it large?", decide: [{ guard: above(8), target: "b" }, { target: "a" }] },
    b: waits(),
  });
  const resolver = resolverOf(decisions);

  test("follows another in one step, and its guards see what the actions before it have made", () => {
    expect(resolver.next("a", at(7), GO)).toEqual({
      path: "b",
      context: { count: 9, notes: ["first", "second"] },
      effects: [],
      edges: ["toy.a|go|0", "toy.first||0", "toy.second||0", "toy.third||0"],
      actions: ["add", "note", "add", "note"],
      facts: [],
      refused: undefined,
    });
    expect(resolver.next("a", at(1), GO)).toMatchObject({
      path: "a",
      edges: ["toy.a|go|0", "toy.first||0", "toy.second||0", "toy.third||1"],
    });
  });

  test("that is initial is entered behind the state around it, and may lead out of it", () => {
    const around = resolverOf(
      root({
        a: waits({ on: { go: { target: "p" } } }),
        p: waits({
          entry: note("p"),
          initial: "check",
          states: {
            check: {
              description: "May it?",
              entry: note("check"),
              decide: [{ guard: "isZero", target: "inner" }, { target: "#toy.a" }],
            },
            inner: waits({ entry: note("inner") }),
          },
        }),
      }),
    );
    expect(around.next("a", at(0), GO)).toMatchObject({
      path: "p.inner",
      context: { notes: ["p", "check", "inner"] },
    });
    expect(around.next("a", at(1), GO)).toMatchObject({
      path: "a",
      context: { notes: ["p", "check"] },
    });
  });

  test("that leads to itself is reported as a circle", () => {
    const circle = resolverOf(
      root({
        a: waits({ on: { go: { target: "left" } } }),
        left: { description: "To the right.", decide: [{ target: "right" }] },
        right: { description: "To the left.", decide: [{ target: "left" }] },
      }),
    );
    expect(() => circle.next("a", START, GO)).toThrow(
      /The chart 'toy' runs in circles at toy\.(left|right)\./,
    );
  });
});

describe("a choice after actions", () => {
  const resolver = resolverOf(
    root({
      a: waits({
        on: {
          go: [
            {
              guard: above(100),
              actions: note("large"),
              choose: [{ target: "b" }],
            },
            {
              actions: add(1),
              choose: [
                {
                  guard: is(2),
                  actions: add(1),
                  choose: [{ guard: is(3), target: "b", actions: note("both") }, { actions: note("two") }],
                },
                { target: "c" },
              ],
            },
          ],
        },
      }),
      b: waits(),
      c: waits(),
    }),
  );

  test("judges its guards by what the actions have made, at every depth", () => {
    expect(resolver.next("a", at(7), GO)).toMatchObject({
      path: "b",
      context: { count: 9, notes: ["both"] },
      actions: ["add", "add", "note"],
    });
    expect(resolver.next("a", at(3), GO)).toMatchObject({
      path: "a",
      context: { count: 5, notes: ["two"] },
    });
    expect(resolver.next("a", at(2), GO)).toMatchObject({ path: "c", context: { count: 3 } });
  });

  test("gives each branch an edge of its own", () => {
    const taken = [101, 7, 3, 2].map((count) => resolver.next("a", at(count), GO)?.edges);
    expect(taken).toEqual([["toy.a|go|0"], ["toy.a|go|1"], ["toy.a|go|2"], ["toy.a|go|3"]]);
  });
});

describe("a refused event", () => {
  const resolver = resolverOf(
    root(
      {
        a: waits({
          exit: ring("exit"),
          on: { close: [{ guard: "isZero", refuse: "closed" }, { target: "b" }] },
        }),
        b: waits({ entry: note("b") }),
      },
      { on: { "*": { refuse: "closed" } } },
    ),
  );
  const refused = { code: "toy/closed", message: "Closed at 0." };

  test("changes nothing, and says why", () => {
    const step = resolver.next("a", START, { type: "close" })!;
    expect(step).toMatchObject({
      path: "a",
      effects: [],
      actions: [],
      edges: ["toy.a|close|0"],
      refused,
    });
    expect(step.context).toBe(START);
  });

  test("a refusal can be computed before an event is sent, without running anything", () => {
    expect(resolver.refusal("a", START, { type: "close" })).toEqual(refused);
    expect(resolver.refusal("a", at(1), { type: "close" })).toBeUndefined();
    expect(resolver.refusal("b", START, { type: "any" })).toEqual(refused);
  });

  test("is not an event that no edge is for", () => {
    const open = resolverOf(root({ a: waits() }));
    expect(open.refusal("a", START, GO)).toBeUndefined();
  });
});

describe("a path", () => {
  const resolver = resolverOf(root({ a: waits() }));

  test("that the chart does not have is an error that names it", () => {
    expect(() => resolver.next("a.b", START, GO)).toThrow("The chart 'toy' has no state 'a.b'.");
  });
});

test("what an effect or a service is given does not change behind it", () => {
  type Count = { readonly count: number };
  const one = (context: Count) => ({ count: context.count + 1 });
  const keep = (context: Count): readonly Effect[] => [{ type: "host", name: "keep", params: context }];
  const resolver = new Resolver<Count>({
    id: "kept",
    vocabulary: { guards: {}, updates: { one }, effects: { keep }, refusals: {} },
    root: {
      description: "Counts.",
      initial: "a",
      states: {
        a: { description: "Waits.", on: { go: { target: "b", actions: ["one", "keep", "one"] } } },
        b: {
          description: "Serves.",
          invoke: { src: "serve", input: (context) => context },
          initial: "next",
          states: {
            next: { description: "Decides.", decide: [{ target: "#kept.c", actions: ["one", "keep"] }] },
          },
        },
        c: { description: "Ends.", entry: "one" },
      },
    },
    context: () => ({ count: 0 }),
  });
  const { context, effects } = resolver.next("a", { count: 0 }, GO)!;
  expect(context).toEqual({ count: 4 });
  expect(effects).toEqual([
    { type: "host", name: "keep", params: { count: 1 } },
    { type: "spawn", src: "serve", id: "serve", input: { count: 2 } },
    { type: "stop", id: "serve" },
    { type: "host", name: "keep", params: { count: 3 } },
  ]);
});
