// The accelerated machine in running actors: when services start and stop, what subscribers see, and when XState interprets.
import fc from "../../support/fast-check.ts";
import { setImmediate as tick } from "node:timers/promises";
import {
  createActor,
  fromPromise,
  StateMachine,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from "xstate";
import { describe, expect, test } from "vitest";
import { AgentError } from "agentchart";
import { acceleratedMachine, type StepHost } from "../../../machines/chart/accelerator.ts";
import type { Resolver } from "../../../machines/chart/resolve.ts";
import { randomChart } from "./random-chart.ts";
import { add, resolverOf, spawn, START, stop, waits, type ToyContext, type ToyState } from "./toys.ts";
import { snapshotData } from "./x4.ts";

const UNSEEN: StepHost<ToyContext> = { isUnshared: () => true, stepTaken: () => {} };

const fast = (
  resolver: Resolver<ToyContext>,
  actors: object,
  host: StepHost<ToyContext> = UNSEEN,
  options = {},
): AnyStateMachine =>
  acceleratedMachine(resolver, actors as never, host, options) as unknown as AnyStateMachine;

/** What happens to a session: a command, or the end of a service that runs. */
type Deed = { readonly type: string } | { readonly ends: number; readonly fails: boolean };

const deeds = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom("x", "x.y", "x.z", "w") }),
    fc.record({ ends: fc.nat(3), fails: fc.constantFrom(false, false, false, true) }),
  ),
  { minLength: 1, maxLength: 15 },
);

type Running = { readonly id: string; end(fails: boolean): void };

/** Plays deeds on a machine. Returns all that listeners, the host and the services were told. */
async function played(
  resolver: Resolver<ToyContext>,
  script: readonly Deed[],
  isXState: boolean,
): Promise<{ readonly log: readonly unknown[]; readonly snapshot: unknown }> {
  const log: unknown[] = [];
  const running = new Set<Running>();
  const work = fromPromise<unknown, number>(({ self: { id }, input, signal }) => {
    log.push({ started: id, input });
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
      signal.addEventListener("abort", () => running.delete(service) && log.push({ stopped: id }));
    });
  });
  const perform = ({ self }: { readonly self: AnyActorRef }, params: object) =>
    void log.push({ perform: params, before: (self.getSnapshot() as AnyMachineSnapshot).value });
  const made = fast(resolver, { work }, UNSEEN, { perform });
  const machine = isXState ? new StateMachine(made.config, made.implementations) : made;
  const actor = createActor(machine as AnyStateMachine, { input: START });
  actor.subscribe({
    next: (snapshot) => log.push({ seen: snapshotData(snapshot) }),
    error: (error) => log.push({ failed: String(error) }),
  });
  actor.start();
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

test("X4 a running actor tells its services, its host and its subscribers the same as XState's, for random charts", async () => {
  const told = new Set<string>();
  let failures = 0;
  await fc.assert(
    fc.asyncProperty(randomChart, deeds, async (chart, script) => {
      const ours = await played(resolverOf(chart), script, false);
      const theirs = await played(resolverOf(chart), script, true);
      expect(ours).toEqual(theirs);
      if (ours.snapshot === "error") failures++;
      for (const entry of ours.log) told.add(Object.keys(entry as object)[0]!);
    }),
    { numRuns: 100 },
  );
  expect(failures).toBeGreaterThan(0);
  expect([...told].toSorted()).toEqual(["failed", "perform", "seen", "started", "stopped"]);
});

describe("X3 XState interprets", () => {
  const chart = root({
    a: waits({ on: { go: { target: "c", actions: add(1) } } }),
    c: { description: "Which?", decide: [{ target: "b" }] },
    b: waits(),
  });
  const microsteps = (machine: AnyStateMachine): readonly unknown[] => {
    const seen: unknown[] = [];
    const inspect = (event: { readonly type: string; readonly snapshot?: unknown }) => {
      if (event.type === "@xstate.microstep") seen.push((event.snapshot as AnyMachineSnapshot).value);
    };
    const actor = createActor(machine, { input: START, inspect }).start();
    seen.length = 0;
    actor.send({ type: "go" });
    return seen;
  };

  test("an actor that is observed, with a microstep for each decision; the host is told of one step", () => {
    const steps: unknown[] = [];
    const host: StepHost<ToyContext> = {
      isUnshared: () => false,
      stepTaken: (_, { from, step: { path, edges, context } }) =>
        steps.push([from, path, edges, context.count]),
    };
    expect(microsteps(fast(resolverOf(chart), {}, host))).toEqual(["c", "b"]);
    expect(steps).toEqual([["a", "b", ["toy.a|go|0", "toy.c||0"], 1]]);
  });

  test("where guards or actions are provided, and not where only services are", () => {
    const machine = fast(resolverOf(chart), { work: never });
    expect(microsteps(machine)).toEqual([]);
    expect(microsteps(machine.provide({ actors: { work: never } } as never))).toEqual([]);
    expect(microsteps(machine.provide({ guards: { never: () => false } } as never))).toEqual(["c", "b"]);
    expect(microsteps(machine.provide({ actions: { perform: () => {} } } as never))).toEqual(["c", "b"]);
  });
});

describe("a service", () => {
  /** A machine whose services end when they are told to, and the ids of those that began. */
  function machineWith(states: NonNullable<ToyState["states"]>, isUnshared = true) {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = fromPromise<unknown, number>(({ self: { id } }) => {
      begun.push(id);
      return new Promise((resolve) => void ends.set(id, () => resolve(id)));
    });
    const machine = fast(resolverOf(root(states)), { work }, { ...UNSEEN, isUnshared: () => isUnshared });
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
  ])("that has ended by itself and is stopped %s", async (_, isUnshared, kept) => {
    const { ends, machine } = machineWith(
      {
        a: waits({
          entry: [spawn("s"), spawn("t")],
          on: { "xstate.done.actor.s": { actions: [add(1), stop("s")] } },
        }),
      },
      isUnshared,
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
    const machine = fast(resolverOf(root({ a: waits({ on: { go: { actions: spawn("s") } } }) })), {});
    const errors: unknown[] = [];
    const actor = createActor(machine, { input: START });
    actor.subscribe({ error: (error) => void errors.push(error) });
    actor.start().send({ type: "go" });
    expect(errors).toEqual([new AgentError("config/no-slot", "The machine has no service 'work'.")]);
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
  const machine = fast(resolverOf(CHART), { work: never });
  const at = (value: object | string, of = machine) =>
    of.resolveState({ value: value as never, context: START });

  test("of the machine without services is gone on from as it is", () => {
    const snapshot = at({ p: "a" });
    const actor = createActor(machine, { snapshot, input: START }).start();
    expect(actor.getSnapshot()).toBe(snapshot);
    actor.send({ type: "go" });
    expect(actor.getSnapshot().value).toBe("b");
  });

  test("of a machine with other services is restored for this one", () => {
    const other = fast(resolverOf(CHART), { work: never });
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
