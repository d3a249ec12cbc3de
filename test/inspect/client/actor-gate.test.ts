// A machine of XState that is paused between two events, and goes on.
import { assign, createActor, fromCallback, fromPromise, sendTo, setup, SimulatedClock } from "xstate";
import { expect, test } from "vitest";
import { ActorGate } from "../../../src/inspect/client/actor-gate.ts";
import fc from "../../support/fast-check.ts";

type Event =
  | { readonly type: "add"; readonly n: number }
  | { readonly type: "tell" }
  | { readonly type: "late" };

const machine = setup({
  types: { context: {} as { readonly seen: readonly string[] }, events: {} as Event },
  actors: { echo: fromCallback(({ receive, sendBack }) => receive(() => sendBack({ type: "late" }))) },
}).createMachine({
  id: "list",
  context: { seen: [] },
  invoke: { src: "echo", id: "echo" },
  initial: "on",
  states: {
    on: {
      after: { 100: { actions: assign({ seen: ({ context }) => [...context.seen, "timer"] }) } },
      on: {
        add: { actions: assign({ seen: ({ context, event }) => [...context.seen, `${event.n}`] }) },
        late: { actions: assign({ seen: ({ context }) => [...context.seen, "late"] }) },
        tell: { actions: sendTo("echo", { type: "hello" }) },
      },
    },
  },
});

const started = () => {
  const clock = new SimulatedClock();
  const actor = createActor(machine, { clock }).start();
  let changes = 0;
  const gate = new ActorGate(actor, () => changes++);
  const seen = () => actor.getSnapshot().context.seen;
  return { actor, clock, gate, seen, changes: () => changes };
};

test("what is sent while it is held waits in its order: of programs, timers and children", () => {
  const { actor, clock, gate, seen } = started();
  expect([gate.canHold, gate.isHeld, gate.notice]).toEqual([true, false, ""]);
  actor.send({ type: "add", n: 1 });
  gate.hold();
  gate.hold();
  actor.send({ type: "add", n: 2 });
  clock.increment(200);
  actor.send({ type: "tell" });
  actor.send({ type: "add", n: 3 });
  expect(seen()).toEqual(["1"]);
  expect([gate.isHeld, gate.notice]).toEqual([
    true,
    "Paused: 4 events wait. Its timers, its promises and callbacks, and other actors go on.",
  ]);
  gate.release();
  gate.release();
  expect(seen()).toEqual(["1", "2", "timer", "late", "3"]); // as it is when nothing is held
  actor.send({ type: "add", n: 4 });
  expect([seen().at(-1), gate.notice]).toEqual(["4", ""]);
});

test("pauses at any places change nothing of what an actor comes to", () => {
  const command = fc.oneof(fc.nat({ max: 9 }), fc.constantFrom("hold" as const, "release" as const));
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      const { actor, gate, seen } = started();
      for (const each of commands) {
        if (typeof each === "number") actor.send({ type: "add", n: each });
        else gate[each]();
      }
      gate.release();
      expect(seen()).toEqual(commands.filter((each) => typeof each === "number").map(String));
    }),
  );
});

test("an actor that is stopped while it is held is stopped, and so is a child with its parent", () => {
  const { actor, gate, seen, changes } = started();
  gate.hold();
  actor.send({ type: "add", n: 1 });
  actor.stop();
  expect([actor.getSnapshot().status, seen(), gate.isHeld, changes()]).toEqual(["stopped", [], false, 2]);

  const parent = createActor(
    setup({ actors: { machine } }).createMachine({ invoke: { src: "machine", id: "child" } }),
  ).start();
  const child = parent.getSnapshot().children["child"]!;
  const inner = new ActorGate(child, () => {});
  inner.hold();
  parent.stop();
  expect(child.getSnapshot().status).toBe("stopped");
});

test("it opens by itself when a program floods the actor", () => {
  const { actor, gate, seen, changes } = started();
  gate.hold();
  for (let n = 0; n <= 10_000; n++) actor.send({ type: "add", n });
  expect([seen().length, seen().at(-1), gate.isHeld, changes()]).toEqual([10_001, "10000", false, 10_001]);
  expect(gate.notice).toBe("It was paused and goes on: more than 10000 events were waiting.");
});

test.each([
  {},
  { mailbox: {} },
  { mailbox: 1 },
  Object.defineProperty({}, "mailbox", { get: () => expect.unreachable() }),
])("what has no mailbox as XState has them cannot be held (%#)", (actor) => {
  const gate = new ActorGate(actor, () => {});
  gate.hold();
  expect([gate.canHold, gate.isHeld]).toEqual([false, false]);
});

test("an actor in the middle of an event finishes it and what waits already", async () => {
  const { actor, gate, seen } = started();
  const stop = actor.subscribe(() => gate.hold());
  actor.send({ type: "add", n: 1 });
  actor.send({ type: "add", n: 2 });
  expect(seen()).toEqual(["1"]);
  stop.unsubscribe();
  gate.release();
  expect(seen()).toEqual(["1", "2"]);
  const promise = createActor(fromPromise(async () => 1)).start();
  expect(new ActorGate(promise, () => {}).canHold).toBe(true); // it has a mailbox; only machines get a gate
});
