// What the machine of a chart is for a reader of XState: a plain configuration, by names, that XState's tools understand.
import {
  and,
  assign,
  createActor,
  fromPromise,
  getMicrosteps,
  getNextTransitions,
  StateMachine,
  transition,
  type AnyStateMachine,
} from "xstate";
import { describe, expect, test } from "vitest";
import { AgentError } from "agentchart";
import { machineOf, slot } from "../../../machines/chart/xstate-5.ts";
import { add, above, is, note, resolverOf, ring, spawn, START, waits, type ToyState } from "./toys.ts";

const work = (id: string) => ({
  ...{ src: "work", id },
  input: ({ count }: { readonly count: number }) => count,
});
const never = fromPromise<unknown, unknown>(() => new Promise(() => {}));

const DOOR: ToyState = {
  description: "A door.",
  initial: "closed",
  on: { "*": { refuse: "closed" }, reset: { target: "closed", actions: note("reset") } },
  states: {
    closed: waits({
      entry: [note("closed"), ring("shut")],
      on: {
        open: [
          { guard: above(6), refuse: "closed" },
          { target: "ask", actions: add(1) },
        ],
        knock: { actions: ring("knock") },
      },
    }),
    ask: {
      description: "May it open?",
      entry: add(1),
      decide: [{ guard: is(3), target: "#toy.open.ajar" }, { target: "open" }],
    },
    open: waits({
      invoke: work("hinge"),
      exit: ring("bang"),
      initial: "wide",
      on: {
        push: [
          { guard: "isZero", actions: add(1), choose: [{ guard: is(2), target: "open.ajar" }, {}] },
          { actions: add(1), choose: [{ guard: is(2), target: "closed" }, { actions: note("odd") }] },
        ],
      },
      states: { ajar: waits({ on: { open: { target: "wide", reenter: true } } }), wide: waits() },
    }),
  },
};

const machineFrom = (root: ToyState = DOOR, actors: object = { work: never }): AnyStateMachine =>
  machineOf(resolverOf(root), actors as never) as unknown as AnyStateMachine;

describe("the configuration of a machine", () => {
  const { states = {}, on } = machineFrom().config as {
    readonly states?: { readonly [key: string]: object };
    readonly on?: object;
  };

  test("X1 has guards and actions by name, with their parameters", () => {
    expect(states["closed"]).toEqual({
      description: "Waits.",
      entry: [
        { type: "note", params: { text: "closed" } },
        { type: "ring", params: { name: "shut" } },
      ],
      on: {
        open: [
          {
            guard: { type: "isAbove", params: { limit: 6 } },
            description: "Refused: closed.",
            meta: { refuse: "closed" },
          },
          { target: "#toy.ask", actions: [{ type: "add", params: { by: 1 } }] },
        ],
        knock: [{ actions: [{ type: "ring", params: { name: "knock" } }] }],
      },
    });
  });

  test("X1 has decisions as states with `always` and a tag", () => {
    expect(states["ask"]).toEqual({
      description: "May it open?",
      tags: ["decision"],
      entry: [{ type: "add", params: { by: 1 } }],
      always: [
        { guard: { type: "divides", params: { by: 3 } }, target: "#toy.open.ajar" },
        { target: "#toy.open" },
      ],
    });
  });

  test("X1 says of a guard behind actions which ones, and joins guards that must hold together", () => {
    expect((states["open"] as { readonly on: object }).on).toEqual({
      push: [
        {
          guard: { type: "isZero && divides", params: { by: 2 } },
          target: "#toy.open.ajar",
          actions: [{ type: "add", params: { by: 1 } }],
        },
        { guard: "isZero", actions: [{ type: "add", params: { by: 1 } }] },
        {
          guard: { type: "divides", params: { by: 2, afterActions: [{ type: "add", params: { by: 1 } }] } },
          target: "#toy.closed",
          actions: [{ type: "add", params: { by: 1 } }],
        },
        {
          actions: [
            { type: "add", params: { by: 1 } },
            { type: "note", params: { text: "odd" } },
          ],
        },
      ],
    });
    expect(on).toEqual({
      "*": [{ description: "Refused: closed.", meta: { refuse: "closed" } }],
      reset: [{ target: "#toy.closed", actions: [{ type: "note", params: { text: "reset" } }] }],
    });
  });

  test("names a service without a slot when the machine is made", () => {
    expect(() => machineFrom(DOOR, {})).toThrow(
      new AgentError(
        "config/invalid",
        "The chart 'toy' is invalid: toy.open invokes the unknown service 'work'.",
      ),
    );
  });
});

describe("a snapshot of a machine", () => {
  const machine = machineFrom();
  const at = (value: object | string, count = 0) =>
    machine.resolveState({ value: value as never, context: { ...START, count } });

  test("can take what leads somewhere or does something, and nothing that is refused or unknown", () => {
    const closed = at("closed");
    expect(["open", "knock", "reset", "nonsense"].map((type) => closed.can({ type }))).toEqual([
      ...[true, true, true, false],
    ]);
    expect(at("closed", 7).can({ type: "open" })).toBe(false);
  });

  test("shows its next transitions with their guards", () => {
    const shown = getNextTransitions(at("closed")).map(({ eventType, guard, target }) => [
      eventType,
      guard,
      target?.[0]?.key,
    ]);
    expect(shown).toEqual([
      ["open", { type: "isAbove", params: { limit: 6 } }, undefined],
      ["open", undefined, "ask"],
      ["knock", undefined, undefined],
      ["*", undefined, undefined],
      ["reset", undefined, "closed"],
    ]);
  });

  test("shows decisions as microsteps", () => {
    const steps = getMicrosteps(machine, at("closed", 1), { type: "open" });
    expect(steps.map(([{ value, tags }]) => [value, [...tags]])).toEqual([
      ["ask", ["decision"]],
      [{ open: "ajar" }, []],
    ]);
  });
});

describe("what is provided to a machine", () => {
  const GO: ToyState = {
    description: "A toy.",
    initial: "a",
    states: {
      a: waits({
        on: {
          go: { guard: "isZero", target: "b", actions: ring("gone") },
          count: { actions: add(1), choose: [{ guard: is(2), target: "b" }, {}] },
          both: { guard: is(1), choose: [{ guard: "isZero", target: "b" }, { target: "c" }] },
        },
      }),
      b: waits(),
      c: waits(),
    },
  };
  const machine = machineFrom(GO);
  const after = (given: object, type: string, count = 0) => {
    const provided = machine.provide(given as never);
    const snapshot = provided.resolveState({ value: "a", context: { ...START, count } });
    return transition(provided, snapshot, { type });
  };

  test("is a guard that is asked", () => {
    expect(after({ guards: { isZero: () => false } }, "go")[0].value).toBe("a");
    expect(after({ guards: { isZero: () => true } }, "go", 3)[0].value).toBe("b");
  });

  test("is a guard that sees what the actions before it have made, and its own parameters", () => {
    const seen: unknown[] = [];
    const divides = ({ context }: { readonly context: { readonly count: number } }, params: unknown) => {
      seen.push([context.count, params]);
      return true;
    };
    expect(after({ guards: { divides } }, "count", 4)[0].value).toBe("b");
    expect(seen).toEqual([[5, { by: 2 }]]);
  });

  test("is a guard that is asked where several must hold together", () => {
    expect(after({ guards: { isZero: () => true } }, "both", 3)[0].value).toBe("b");
    expect(after({ guards: { isZero: () => false } }, "both")[0].value).toBe("c");
  });

  test("is a guard of XState's, such as `and`", () => {
    const isTwo = ({ context }: { readonly context: { readonly count: number } }) => context.count === 2;
    expect(after({ guards: { divides: and([isTwo as never]) } }, "count", 1)[0].value).toBe("b");
    expect(after({ guards: { divides: and([isTwo as never]) } }, "count", 3)[0].value).toBe("a");
  });

  test("is an action, whose update the guards behind it see", () => {
    const given = { actions: { add: assign({ count: 8 }) } };
    const [snapshot] = after(given, "count", 4);
    expect([snapshot.value, snapshot.context.count]).toEqual(["b", 8]);
  });

  test("is an action that performs the effects of the host", () => {
    const performed: unknown[] = [];
    const perform = (_: unknown, effect: unknown) => void performed.push(effect);
    const provided = machine.provide({ actions: { perform } } as never);
    createActor(provided, { input: START }).start().send({ type: "go" });
    expect(performed).toEqual([{ type: "host", name: "gone", params: { count: 0 } }]);
  });

  test("is a service, and delays that the chart does not use", () => {
    const begun: unknown[] = [];
    const provided = machineFrom(DOOR, { work: slot("work") }).provide({
      actors: { work: fromPromise(async ({ input }) => void begun.push(input)) },
      delays: { soon: 10 },
    } as never);
    createActor(provided, { input: START }).start().send({ type: "open" });
    expect(begun).toEqual([2]);
    expect(provided.implementations.delays).toEqual({ soon: 10 });
  });

  test("stays when more is provided", () => {
    const provided = machine.provide({ guards: { isZero: () => false } } as never);
    const more = provided.provide({ guards: { never: () => true } } as never);
    const snapshot = more.resolveState({ value: "a", context: START });
    expect(snapshot.can({ type: "go" })).toBe(false);
  });

  test.each([
    ["guards", "isZer", "; did you mean 'isZero'?"],
    ["actions", "ad", "; did you mean 'add'?"],
    ["actors", "walk", "; did you mean 'work'?"],
    ["guards", "isSunday", ""],
    ["guards", "toString", ""],
  ])("is refused among the %s if the chart has no '%s'", (part, name, hint) => {
    expect(() => machine.provide({ [part]: { [name]: () => true } } as never)).toThrow(
      new AgentError("config/invalid", `provide: the chart 'toy' has no '${name}' among its ${part}${hint}`),
    );
  });

  test("fails with its name if a guard returns no boolean, or throws", () => {
    const failing = (isZero: () => unknown) => () => after({ guards: { isZero } }, "go");
    expect(failing(() => "yes")).toThrow(
      /The provided guard 'isZero' returned yes; expected true or false\./u,
    );
    const broken = failing(() => {
      throw new Error("broken");
    });
    expect(broken).toThrow(AgentError);
    expect(broken).toThrow(/failed on the event 'go': .*guard 'isZero'.*:\nbroken/u);
  });

  test("fails the actor with a typed error if an action throws", () => {
    const perform = () => {
      throw new Error("no bell");
    };
    const actor = createActor(machine.provide({ actions: { perform } } as never), { input: START });
    const errors: unknown[] = [];
    actor.subscribe({ error: (error) => void errors.push(error) });
    actor.start().send({ type: "go" });
    expect(errors).toMatchObject([{ code: "config/invalid", message: expect.stringContaining("no bell") }]);
  });
});

describe("an actor of a machine", () => {
  test("is interpreted by XState: transition and getTransitionData are not replaced while nothing is provided", () => {
    const machine = machineFrom();
    const plain = new StateMachine(machine.config, machine.implementations);
    const [ours, theirs] = [machine, plain].map((each) => {
      const actor = createActor(each as AnyStateMachine, { input: START }).start();
      for (const type of ["knock", "open", "push", "reset", "open", "nonsense"]) actor.send({ type });
      const { value, context } = actor.getSnapshot();
      return { value, context };
    });
    expect(ours).toEqual(theirs);
  });

  test("begins without input with the context of the chart", () => {
    expect(createActor(machineFrom()).start().getSnapshot().context).toEqual({ count: 0, notes: ["closed"] });
  });

  test("fails and names a service that is spawned and does not exist", () => {
    const root: ToyState = {
      description: "A toy.",
      initial: "a",
      states: { a: waits({ on: { go: { actions: spawn("s") } } }) },
    };
    const actor = createActor(machineFrom(root, {}), { input: START });
    const errors: unknown[] = [];
    actor.subscribe({ error: (error) => void errors.push(error) });
    actor.start().send({ type: "go" });
    expect(errors).toEqual([new AgentError("config/no-slot", "The machine has no service 'work'.")]);
  });

  test("names a service that is an empty slot", async () => {
    const root: ToyState = {
      description: "A toy.",
      initial: "a",
      states: { a: waits({ invoke: work("w") }) },
    };
    const actor = createActor(machineFrom(root, { work: slot("work") }), { input: START });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    actor.subscribe({ error: resolve });
    actor.start();
    expect(await promise).toMatchObject({ code: "config/no-slot", message: /"work" is an empty slot/u });
  });
});
