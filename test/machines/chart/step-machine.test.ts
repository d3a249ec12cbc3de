import fc from "../../support/fast-check.ts";
import { setImmediate as tick } from "node:timers/promises";
import {
  createActor,
  fromPromise,
  getMicrosteps,
  getNextTransitions,
  transition,
  type AnyActorRef,
  type AnyMachineSnapshot,
} from "xstate";
import { describe, expect, test } from "vitest";
import { matches } from "../../../machines/chart/nodes.ts";
import type { Resolver } from "../../../machines/chart/resolve.ts";
import { machineOf } from "../../../machines/chart/xstate-5.ts";
import { byXState, recorded, snapshotData } from "./by-xstate.ts";
import { randomChart } from "./random-chart.ts";
import { add, resolverOf, ring, spawn, START, stop, waits, type ToyContext, type ToyState } from "./toys.ts";

/** What happens to a session: a command, or the end of a service that runs. */
type Deed =
  | { readonly type: string; readonly id?: string }
  | { readonly ends: number; readonly fails: boolean };

const deeds = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom("x", "x.y", "x.z", "w") }),
    fc.record({ type: fc.constantFrom("x", "w"), id: fc.constantFrom("1", "2") }),
    fc.record({ ends: fc.nat(3), fails: fc.constantFrom(false, false, false, true) }),
  ),
  { minLength: 1, maxLength: 15 },
);

type Running = { readonly id: string; end(fails: boolean): void };

/** Plays deeds on a machine. Returns all that inspectors, listeners, the host and the services were told. */
async function played(
  resolver: Resolver<ToyContext>,
  script: readonly Deed[],
  isXState: boolean,
): Promise<{ readonly log: readonly unknown[]; readonly snapshot: unknown }> {
  const told: unknown[] = [];
  const running = new Set<Running>();
  const work = fromPromise<unknown, number>(({ self: { id }, input, signal }) => {
    told.push({ started: id, input });
    return new Promise((resolve, reject) => {
      const service: Running = {
        id,
        end: (fails) => {
          running.delete(service);
          if (fails) reject(new Error(`${id} is broken`));
          else resolve(`${id} is done`);
        },
      };
      running.add(service);
      signal.addEventListener("abort", () => running.delete(service) && told.push({ stopped: id }));
    });
  });
  const host =
    (name: string) =>
    ({ self }: { readonly self: AnyActorRef }, params: object) =>
      void told.push({ [name]: params, before: (self.getSnapshot() as AnyMachineSnapshot).value });
  const made = machineOf(resolver, { work }, { stepTaken: host("stepTaken"), perform: host("perform") });
  const { actor, log } = recorded(isXState ? byXState(made) : made, START, told);
  for (const deed of script) {
    if (actor.getSnapshot().status !== "active") break;
    if ("type" in deed) actor.send(deed);
    else [...running][deed.ends]?.end(deed.fails);
    await tick();
  }
  const snapshot = actor.getSnapshot() as AnyMachineSnapshot;
  return { log, snapshot: snapshot.status === "active" ? snapshotData(snapshot) : snapshot.status };
}

const root = (states: NonNullable<ToyState["states"]>): ToyState => ({
  description: "A toy.",
  initial: Object.keys(states)[0]!,
  states,
});

const never = fromPromise<unknown, unknown>(() => new Promise(() => {}));

describe("the steps of a machine", () => {
  test("X3 are those of XState's macrostep in a running actor, for random charts, commands and ends of services", async () => {
    const types = new Set<string>();
    let failures = 0;
    await fc.assert(
      fc.asyncProperty(randomChart, deeds, async (chart, script) => {
        const ours = await played(resolverOf(chart), script, false);
        const theirs = await played(resolverOf(chart), script, true);
        expect(ours).toEqual(theirs);
        if (ours.snapshot === "error") failures++;
        for (const entry of ours.log) types.add(Object.values(entry as object)[0] as string);
        for (const entry of ours.log) types.add(Object.keys(entry as object)[0]!);
      }),
      { numRuns: 100 },
    );
    expect(failures).toBeGreaterThan(0);
    const inspected = ["actor", "event", "snapshot", "microstep", "action"].map((type) => `@xstate.${type}`);
    const told = ["started", "stopped", "stepTaken", "perform", "emitted", "seen", "failed"];
    expect([...types]).toEqual(expect.arrayContaining([...inspected, ...told]));
  });

  test("X3 are those of XState's microsteps that are looked at ahead", () => {
    const resolver = resolverOf(
      root({
        a: waits({ on: { go: { target: "b", actions: [add(1), spawn("s"), ring("on the way")] } } }),
        b: waits({ invoke: { src: "work", input: ({ count }) => count } }),
      }),
    );
    const machine = machineOf(resolver, { work: never });
    const before = machine.resolveState({ value: "a", context: START });
    const [[ahead, actions] = [], ...more] = getMicrosteps(machine, before, { type: "go" });
    const [next, taken] = transition(machine, before, { type: "go" });
    expect(more).toEqual([]);
    expect(snapshotData(ahead as never)).toEqual(snapshotData(next as never));
    expect(actions!.map(({ type }) => type)).toEqual(taken.map(({ type }) => type));
  });

  test("X2 are among the transitions that the machine shows for their event", () => {
    fc.assert(
      fc.property(randomChart, (chart) => {
        const resolver = resolverOf(chart);
        const machine = machineOf(resolver, { work: never });
        for (const [, { kind, path, children }] of resolver.nodes) {
          if (kind !== "state" || children.length > 0) continue;
          const snapshot = machine.resolveState({ value: valueOf(path), context: START });
          const shown = getNextTransitions(snapshot);
          for (const type of ["x", "x.y", "x.z", "w", "other"]) {
            const [taken] = takenFrom(machine, snapshot, type);
            if (!taken) continue;
            const same = shown.filter(
              ({ source, target, reenter }) =>
                source === taken.source && target?.[0] === taken.target?.[0] && reenter === taken.reenter,
            );
            expect(same.some(({ eventType }) => matches(eventType, type))).toBe(true);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});

const takenFrom = (
  machine: ReturnType<typeof machineOf<ToyContext>>,
  snapshot: Parameters<typeof getNextTransitions>[0],
  type: string,
): ReturnType<typeof machine.getTransitionData> => {
  try {
    return machine.getTransitionData(snapshot as never, { type });
  } catch {
    return []; // it runs in circles
  }
};

type Value = string | { readonly [key: string]: Value };
const valueOf = (path: string): Value => {
  const [key, ...inner] = path.split(".");
  return inner.length === 0 ? key! : { [key!]: valueOf(inner.join(".")) };
};

describe("a service", () => {
  /** A machine whose services end when they are told to, and the ids of those that began. */
  function machineWith(states: NonNullable<ToyState["states"]>, isUnseen = false) {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = fromPromise<unknown, number>(({ self: { id } }) => {
      begun.push(id);
      return new Promise((resolve) => void ends.set(id, () => resolve(id)));
    });
    const machine = machineOf(resolverOf(root(states)), { work }, { isUnseen: () => isUnseen });
    return { begun, ends, machine };
  }

  test("that is started and stopped in one step never begins", () => {
    const { begun, machine } = machineWith({
      a: waits({ on: { go: { actions: [spawn("s"), stop("s"), spawn("t")] } } }),
    });
    const actor = createActor(machine, { input: START }).start();
    actor.send({ type: "go" });
    expect(begun).toEqual(["t"]);
    expect(Object.keys(actor.getSnapshot().children)).toEqual(["t"]);
  });

  test("that is stopped and started again in one step is another one", () => {
    const { begun, machine } = machineWith({
      a: waits({ entry: spawn("s"), on: { go: { actions: [stop("s"), spawn("s")] } } }),
    });
    const actor = createActor(machine, { input: START }).start();
    const { s: first } = actor.getSnapshot().children;
    actor.send({ type: "go" });
    const { s: second } = actor.getSnapshot().children;
    expect(begun).toEqual(["s", "s"]);
    expect([first!.getSnapshot().status, second!.getSnapshot().status]).toEqual(["stopped", "active"]);
  });

  test("that runs and is stopped stays in the snapshot of before", () => {
    const { machine } = machineWith({
      a: waits({ entry: [spawn("s"), spawn("t")], on: { go: { actions: stop("s") } } }),
    });
    const actor = createActor(machine, { input: START }).start();
    const before = actor.getSnapshot();
    actor.send({ type: "go" });
    const after = actor.getSnapshot();
    expect([before, after].map(({ children }) => Object.keys(children))).toEqual([["s", "t"], ["t"]]);
  });

  test.each([
    ["leaves a snapshot of before as it was", false, ["s", "t"]],
    ["is forgotten in place if nobody has a snapshot", true, ["t"]],
  ])("that has ended by itself and is stopped %s", async (_, isUnseen, kept) => {
    const { ends, machine } = machineWith(
      {
        a: waits({
          entry: [spawn("s"), spawn("t")],
          on: { "xstate.done.actor.s": { actions: [add(1), stop("s")] } },
        }),
      },
      isUnseen,
    );
    const actor = createActor(machine, { input: START }).start();
    const before = actor.getSnapshot();
    ends.get("s")!();
    await tick();
    const { children, context } = actor.getSnapshot();
    expect([before.children, children].map(Object.keys)).toEqual([kept, ["t"]]);
    expect([children["t"]!.getSnapshot().status, context.count]).toEqual(["active", 1]);
  });

  test("that the machine does not have fails the actor and is named", () => {
    const machine = machineOf(resolverOf(root({ a: waits({ on: { go: { actions: spawn("s") } } }) })), {});
    const errors: unknown[] = [];
    const actor = createActor(machine, { input: START });
    actor.subscribe({ error: (error) => void errors.push(error) });
    actor.start().send({ type: "go" });
    expect(errors).toEqual([new Error("The machine has no service 'work'.")]);
  });
});

describe("a snapshot", () => {
  const CHART = root({
    p: waits({
      initial: "a",
      states: { a: waits({ on: { go: { target: "#toy.b" } } }) },
    }),
    b: waits({ invoke: { src: "work", id: "w", input: ({ count }) => count } }),
  });
  const machine = machineOf(resolverOf(CHART), { work: never });
  const at = (value: Value, of = machine) => of.resolveState({ value, context: START });

  test("of the machine without services is gone on from as it is", () => {
    const snapshot = at({ p: "a" });
    const actor = createActor(machine, { snapshot, input: START }).start();
    expect(actor.getSnapshot()).toBe(snapshot);
    actor.send({ type: "go" });
    expect(actor.getSnapshot().value).toBe("b");
  });

  test("of a machine with other services is restored for this one", () => {
    const other = machineOf(resolverOf(CHART), { work: never });
    const actor = createActor(machine, { snapshot: at({ p: "a" }, other), input: START }).start();
    expect(actor.getSnapshot().machine).toBe(machine);
    expect(actor.getSnapshot().value).toEqual({ p: "a" });
  });

  test("that was persisted is restored with its services", () => {
    const first = createActor(machine, { snapshot: at({ p: "a" }), input: START }).start();
    first.send({ type: "go" });
    const persisted = JSON.parse(JSON.stringify(first.getPersistedSnapshot())) as never;
    const actor = createActor(machine, { snapshot: persisted, input: START }).start();
    expect(actor.getSnapshot().value).toBe("b");
    expect(actor.getSnapshot().children["w"]!.getSnapshot().status).toBe("active");
  });

  test("of a machine with other services provided takes steps with them", () => {
    const begun: unknown[] = [];
    const provided = machine.provide({
      actors: { work: fromPromise(async ({ input }) => void begun.push(input)) as never },
    });
    const actor = createActor(provided, { snapshot: at({ p: "a" }, provided), input: START }).start();
    actor.send({ type: "go" });
    expect(begun).toEqual([0]);
  });

  test("is left as it was when its actor is stopped", () => {
    const actor = createActor(machine, { snapshot: at({ p: "a" }), input: START }).start();
    actor.send({ type: "go" });
    const { w } = actor.getSnapshot().children;
    actor.stop();
    expect([actor.getSnapshot().status, w!.getSnapshot().status]).toEqual(["stopped", "stopped"]);
  });
});
