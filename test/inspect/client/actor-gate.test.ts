// A machine of XState that is paused between two events, at once or at a condition, and goes on.
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
  expect([actor.getSnapshot().status, seen(), gate.isHeld, changes()]).toEqual(["stopped", [], false, 3]);

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
  expect([seen().length, seen().at(-1), gate.isHeld, changes()]).toEqual([10_001, "10000", false, 10_002]);
  expect(gate.notice).toBe(
    "It was paused and goes on without breakpoints: more than 10000 events were waiting.",
  );
});

test("it is paused before an event that a condition names, each time that one comes", () => {
  const { actor, gate, seen } = started();
  const late = { type: "late" } as const;
  gate.breakAt([{ event: "l?te" }], []);
  actor.send({ type: "add", n: 1 });
  expect([seen(), gate.isHeld]).toEqual([["1"], false]);
  for (const event of [late, late, { type: "add", n: 2 } as const]) actor.send(event);
  expect([seen(), gate.notice.split(".")[0]]).toEqual([["1"], "Paused before late: 3 events wait"]);
  gate.release();
  expect([seen(), gate.notice.split(".")[0]]).toEqual([["1", "late"], "Paused before late: 2 events wait"]);
  gate.release();
  expect([seen(), gate.isHeld]).toEqual([["1", "late", "late", "2"], false]);
  actor.send({ type: "tell" }); // the callback answers with another one
  expect([seen().length, gate.isHeld]).toEqual([4, true]);
  gate.breakAt([], []);
  gate.release();
  actor.send(late);
  expect([seen().length, gate.isHeld]).toEqual([6, false]);
});

test("it is paused in a state that a condition names, before what is in its mailbox already", () => {
  const done: string[] = [];
  const note = (name: string) => () => void done.push(name);
  const walker = setup({}).createMachine({
    id: "walker",
    initial: "home",
    states: {
      home: {
        on: {
          go: {
            target: "away.far",
            actions: [
              note("go"),
              ({ self }: { self: { send(event: { type: string }): void } }) => self.send({ type: "look" }),
              ({ self }: { self: { send(event: { type: string }): void } }) => self.send({ type: "back" }),
            ],
          },
        },
      },
      away: {
        initial: "near",
        states: { near: {}, far: {} },
        on: { look: { actions: note("look") }, back: "home" },
      },
    },
  });
  const actor = createActor(walker);
  const gate = new ActorGate(actor, () => {});
  const statesOf = (): readonly string[] =>
    JSON.stringify(actor.getSnapshot().value).includes("far") ? ["away", "away.far"] : ["home"];
  actor.subscribe(() => gate.isIn(statesOf())); // as an inspection event, it comes before the next one of the mailbox
  actor.start();
  gate.breakAt([{ state: "home" }, { state: "away.*" }], statesOf());
  expect(gate.asksForStates).toBe(true);
  actor.send({ type: "go" });
  expect([done, gate.notice.split(".")[0]]).toEqual([["go"], "Paused in away"]);
  expect(gate.notice).toMatch("Paused in away.far: 2 events wait.");
  gate.release();
  expect(done).toEqual(["go", "look"]);
  expect([actor.getSnapshot().value, gate.notice.split(".")[0]]).toEqual([
    "home",
    "Paused in home: 0 events wait",
  ]);
  actor.stop();
  expect([actor.getSnapshot().status, gate.isHeld]).toEqual(["stopped", false]);
});

test("conditions at any places change nothing of what an actor comes to", () => {
  const event = fc.record({ type: fc.constantFrom("add", "late", "other"), n: fc.nat({ max: 9 }) });
  const command = fc.oneof(
    { weight: 4, arbitrary: event },
    fc.constantFrom("hold" as const, "release" as const),
    fc.array(fc.constantFrom({ event: "add" }, { event: "l*" }, { event: "*" }), { maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      const { actor, gate, seen } = started();
      const sent: string[] = [];
      for (const each of commands) {
        if (Array.isArray(each)) gate.breakAt(each, []);
        else if (typeof each === "string") gate[each]();
        else {
          actor.send(each as Event);
          if (each.type !== "other") sent.push(each.type === "add" ? `${each.n}` : "late");
        }
        expect(seen()).toEqual(sent.slice(0, seen().length));
      }
      gate.breakAt([], []);
      gate.release();
      expect(seen()).toEqual(sent);
    }),
  );
});

test("an actor of XState 6 has no mailbox before its first event, and is held then, too", () => {
  const seen: string[] = [];
  const actor = {
    mailbox: undefined as
      | { _process(event: { type: string }): void; enqueue(event: { type: string }): void }
      | undefined,
    _boundProcess: undefined as ((event: { type: string }) => void) | undefined,
    _lastSourceRef: undefined as unknown,
    getSnapshot: () => ({ status: "active" }),
    _process(event: { readonly type: string }) {
      seen.push(`${event.type} from ${String(this._lastSourceRef)}`);
    },
    send(type: string, source: unknown) {
      this._lastSourceRef = source;
      this._boundProcess ??= this._process.bind(this);
      this.mailbox ??= {
        _process: this._boundProcess,
        enqueue(event) {
          this._process(event);
        },
      };
      this.mailbox.enqueue({ type });
    },
  };
  const gate = new ActorGate(actor, () => {});
  expect(gate.canHold).toBe(true);
  gate.breakAt([{ event: "xstate.after" }], []);
  actor.send("a", "me");
  actor.send("@xstate.after", "you");
  actor.send("b", "them");
  expect([seen, gate.isHeld]).toEqual([["a from me"], true]);
  gate.release();
  expect(seen).toEqual(["a from me", "@xstate.after from you", "b from them"]);
  gate.hold();
  for (let from = 0; from <= 10_000; from++) actor.send("flood", from);
  expect(seen.slice(3)).toEqual(Array.from({ length: 10_001 }, (_, from) => `flood from ${from}`));
});

test.each([
  {},
  { mailbox: {} },
  { mailbox: 1 },
  { mailbox: undefined },
  { mailbox: undefined, _boundProcess: undefined },
  { mailbox: { _process: 1 } },
  Object.defineProperty({}, "mailbox", { get: () => expect.unreachable() }),
])("what has no mailbox as XState has them cannot be held (%#)", (actor) => {
  const gate = new ActorGate(actor, () => {});
  gate.hold();
  expect([gate.canHold, gate.isHeld]).toEqual([false, false]);
});

test("an actor in the middle of an event finishes it", async () => {
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
