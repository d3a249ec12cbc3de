import fc from "../../support/fast-check.ts";
import { createActor, fromPromise, transition } from "xstate";
import { describe, expect, test, vi } from "vitest";
import { Resolver } from "../../../machines/chart/resolve.ts";
import { machineOf, slot } from "../../../machines/chart/xstate-5.ts";
import { Both } from "./both.ts";
import { randomChart, randomEvents } from "./random-chart.ts";
import {
  add,
  above,
  is,
  note,
  resolverOf,
  ring,
  spawn,
  START,
  stop,
  toyOf,
  waits,
  type ToyState,
} from "./toys.ts";

const work = (id: string) => ({ src: "work", id, input: ({ count }: { readonly count: number }) => count });

/** A door with a bell: decisions in a row, a choice, services around and inside, spawned services, refusals. */
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
      decide: [{ guard: is(3), target: "#toy.open.check" }, { target: "open" }],
    },
    open: waits({
      invoke: work("hinge"),
      entry: spawn("draught"),
      exit: [ring("bang"), stop("draught")],
      initial: "check",
      on: { "push.*": { actions: add(1), choose: [{ guard: is(2), target: "open.wide" }, {}] } },
      states: {
        check: { description: "How far?", decide: [{ guard: is(4), target: "wide" }, { target: "ajar" }] },
        ajar: waits({
          invoke: work("creak"),
          on: { push: { target: "ajar", reenter: true }, open: { target: "check" } },
        }),
        wide: waits({ exit: ring("swing"), on: { open: { target: "#toy.ask" }, push: { target: "ajar" } } }),
      },
    }),
  },
};

const EVENTS = ["open", "knock", "push", "push.hard", "reset", "unknown"].flatMap((type) => [
  { type },
  { type, id: "7" },
]);

describe("the machine of a chart", () => {
  test("agrees with the resolver on every move of a toy, from every state and count", () => {
    const resolver = resolverOf(DOOR);
    const seen = new Set<string>();
    const edges = new Set<string>();
    const walk = (events: readonly (typeof EVENTS)[number][]): void => {
      const both = new Both(resolver, START);
      for (const event of events) for (const edge of both.send(event)?.edges ?? []) edges.add(edge);
      const key = `${both.path} ${both.context.count}`;
      if (seen.has(key) || both.context.count > 9) return;
      seen.add(key);
      for (const event of EVENTS) walk([...events, event]);
    };
    walk([]);
    expect(seen.size).toBeGreaterThan(20);
    expect([...edges].toSorted()).toEqual(
      [...resolver.nodes.values()]
        .flatMap(({ on, decide }) => [...on.values(), decide].flat())
        .flatMap(function flat(way): readonly string[] {
          return way.choose.length > 0 ? way.choose.flatMap(flat) : [way.edge];
        })
        .toSorted(),
    );
  });

  test("agrees with the resolver on every move of random charts", () => {
    let steps = 0;
    let circles = 0;
    fc.assert(
      fc.property(randomChart, randomEvents, (root, events) => {
        const both = new Both(resolverOf(root), START);
        for (const event of events) {
          try {
            if (both.send(event)) steps++;
          } catch (error) {
            if (!(error as Error).message.includes("runs in circles")) throw error;
            circles++;
            return;
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(steps).toBeGreaterThan(150);
    expect(circles).toBeGreaterThan(0);
  });

  test("performs the entry effects of its first states", () => {
    const root: ToyState = {
      description: "A toy.",
      entry: ring("root"),
      initial: "a",
      states: { a: waits({ entry: [add(1), ring("a"), spawn("s")] }) },
    };
    const both = new Both(resolverOf(root), START);
    expect(Object.keys(both.snapshot.children)).toEqual(["s"]);
  });

  test("does not take a move that was resolved for another state, if the same event is sent again", () => {
    const root: ToyState = {
      description: "A toy.",
      initial: "p",
      states: {
        p: waits({
          initial: "a",
          states: { a: waits({ on: { go: { target: "#toy.round" } } }), b: waits() },
        }),
        round: { description: "Back to b.", decide: [{ target: "p.b" }] },
      },
    };
    const both = new Both(resolverOf(root), START);
    const go = Object.freeze({ type: "go" });
    expect(both.send(go)?.move?.target).toBe("p.b");
    expect(both.send(go)).toBeUndefined();
    expect(both.path).toBe("p.b");
  });

  test("asks the resolver once for an event that several patterns match", () => {
    const root: ToyState = {
      description: "A toy.",
      initial: "p",
      on: { "*": { target: "q" } },
      states: {
        p: waits({
          initial: "a",
          states: { a: waits({ on: { "x.*": { guard: "never", target: "b" } } }), b: waits() },
        }),
        q: waits(),
      },
    };
    const resolver = resolverOf(root);
    const { machine, snapshot } = new Both(resolver, START);
    const next = vi.spyOn(resolver, "next");
    expect(transition(machine, snapshot, { type: "x.y" })[0].value).toBe("q");
    expect(next).toHaveBeenCalledTimes(1);
  });

  test("takes one microstep for an event, however many decisions follow", () => {
    const both = new Both(resolverOf(DOOR), START);
    let microsteps = 0;
    const actor = createActor(both.machine, {
      input: START,
      inspect: ({ type }) => void (type === "@xstate.microstep" && microsteps++),
    }).start();
    microsteps = 0;
    actor.send({ type: "open" });
    expect(actor.getSnapshot().value).toEqual({ open: "ajar" });
    expect(microsteps).toBe(1);
  });

  test("answers each command that has an id, in the same step", () => {
    const both = new Both(resolverOf(DOOR), { ...START, count: 7 });
    const actor = createActor(both.machine, { input: { ...START, count: 7 } });
    const replies: object[] = [];
    actor.on("*", (reply) => replies.push(reply));
    actor.start();
    actor.send({ type: "open", id: "1" });
    actor.send({ type: "knock", id: "2" });
    actor.send({ type: "knock" });
    expect(replies).toEqual([
      { type: "refused", id: "1", code: "toy/closed", message: "Closed at 7." },
      { type: "accepted", id: "2" },
    ]);
  });

  test("judges an event without taking it", () => {
    const { machine, snapshot } = new Both(resolverOf(DOOR), START);
    expect(snapshot.can({ type: "open" })).toBe(true);
    const closed = resolverOf({ description: "A toy.", initial: "a", states: { a: waits() } });
    expect(new Both(closed, START).snapshot.can({ type: "open" })).toBe(false);
    expect(transition(machine, snapshot, { type: "open" })[0].value).toEqual({ open: "ajar" });
  });

  test("takes the outcome of a service as an event of its state", async () => {
    const root: ToyState = {
      description: "A toy.",
      initial: "a",
      states: {
        a: waits({ invoke: { ...work("w"), onDone: { target: "b" }, onError: { target: "c" } } }),
        b: waits(),
        c: waits(),
      },
    };
    const end = async (run: () => Promise<number>) => {
      const machine = machineOf(new Resolver(toyOf(root)), { work: fromPromise(run) });
      const actor = createActor(machine, { input: START }).start();
      await expect.poll(() => actor.getSnapshot().value).not.toBe("a");
      return actor.getSnapshot().value;
    };
    expect(await end(async () => 1)).toBe("b");
    expect(await end(() => Promise.reject(new Error("broken")))).toBe("c");
  });

  test("names a service that is an empty slot", async () => {
    const root: ToyState = {
      description: "A toy.",
      initial: "a",
      states: { a: waits({ invoke: { ...work("w"), onError: { target: "b" } } }), b: waits() },
    };
    const errors: unknown[] = [];
    const machine = machineOf(new Resolver(toyOf(root)), { work: slot("work") }).provide({
      actions: { stepTaken: (_: unknown, { event }: { readonly event: object }) => void errors.push(event) },
    } as never);
    const actor = createActor(machine, { input: START }).start();
    await expect.poll(() => actor.getSnapshot().value).toBe("b");
    expect(errors).toMatchObject([
      { error: { message: expect.stringContaining('"work" is an empty slot') as string } },
    ]);
  });
});
