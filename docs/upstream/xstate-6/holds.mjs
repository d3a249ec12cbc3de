// Pauses actors of XState 6 at events and states, and checks which steps say that an edge may have been preempted. XSTATE_6 is the module.
import assert from "node:assert/strict";
import { ActorSystems } from "../../../src/inspect/client/actor-systems.ts";
import { textOfBytes } from "../../../src/inspect/client/step-pages.ts";

const { createActor, createMachine } = await import(process.env["XSTATE_6"]);

console.warn = () => {}; // XState warns of each event to an actor that has ended

/** Observes a machine that takes commands. */
function started(config) {
  const shown = [];
  const systems = new ActorSystems({
    takesCommands: true,
    added: (actor) => shown.push(actor),
    changed: () => {},
    dropped: () => {},
    keep: undefined,
    redact: undefined,
  });
  const actor = createActor(createMachine(config), { inspect: (event) => systems.observe(event) });
  actor.subscribe({ error: () => {} }); // some random machines raise events for ever
  actor.start();
  const of = (at) => ({
    command: (type, breaks) => systems.command({ id: "1", runId: shown[at].runId, type, breaks }),
    row: () => shown[at].report({ id: "w", pid: 1, isUp: true, since: 0 }).row,
    steps: () => JSON.parse(`[${textOfBytes(shown[at].history.from(1, Number.POSITIVE_INFINITY).bytes)}]`),
  });
  return { actor, shown, of, release: () => systems.release() };
}

const counting = (more) => ({
  id: "counting",
  context: { seen: [] },
  initial: "low",
  on: { add: ({ context, event }) => ({ context: { seen: [...context.seen, event.n] } }) },
  states: { low: { on: { up: { target: "high" } } }, high: { on: { down: { target: "low" } } } },
  ...more,
});

{
  const { actor, of, release } = started(counting());
  const { command, row } = of(0);
  const seen = () => actor.getSnapshot().context.seen;
  assert.deepEqual(row().can, ["shutdown", "breakAt"]);
  assert.equal(command("shutdown"), "done"); // before there is a mailbox
  actor.send({ type: "add", n: 1 });
  actor.send({ type: "add", n: 2 });
  assert.deepEqual(seen(), []);
  assert.match(row().notice, /^Paused: 2 events wait/);
  command("resume");
  assert.deepEqual(seen(), [1, 2]);
  command("breakAt", [{ event: "a*" }, { state: "high" }]);
  for (const event of [{ type: "up" }, { type: "add", n: 3 }]) actor.send(event);
  assert.match(row().notice, /^Paused in high: 1 event waits/);
  command("resume"); // it has waited: it gets through
  assert.deepEqual(seen(), [1, 2, 3]);
  actor.send({ type: "add", n: 4 });
  assert.match(row().notice, /^Paused before add: 1 event waits/);
  release();
  assert.deepEqual(seen(), [1, 2, 3, 4]);
  command("shutdown");
  actor.send({ type: "add", n: 5 });
  actor.stop();
  assert.deepEqual([actor.getSnapshot().status, seen(), row().can], ["stopped", [1, 2, 3, 4], []]);
}

{
  // what waits has its sender when it is processed, whoever has sent something later
  const child = createMachine({ id: "child", context: {}, on: { go: {} } });
  const { actor, shown, of } = started(
    counting({
      invoke: { id: "child", src: child },
      on: { tell: ({ children }, enq) => void enq.sendTo(children.child, { type: "go" }) },
    }),
  );
  const at = shown.findIndex(
    (each) => each.report({ id: "w", pid: 1, isUp: true, since: 0 }).row.actor.id === "child",
  );
  const inner = actor.getSnapshot().children.child;
  of(at).command("shutdown");
  actor.send({ type: "tell" });
  inner.send({ type: "go" });
  of(at).command("resume");
  const from = of(at)
    .steps()
    .slice(-2)
    .map(({ a }) => a.f);
  assert.deepEqual(from, [shown[1 - at].runId, undefined]);
}

/** A random number below `max`, the same ones each time. */
let seed = 1;
const below = (max) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * max);
};

let [told, open, preempted] = [0, 0, 0];
for (let run = 0; run < 3_000; run++) {
  let edges = 0;
  const events = ["a", "b", "*"];
  const targets = ["#p.l.x", "#p.l.y", "#p.r.x", "#p.r.y", "#p.l", "#p", "#out", "#in"];
  const transition = () => {
    const id = `e${edges++}`;
    const target = below(4) === 0 ? {} : { target: targets[below(targets.length)] };
    // the context says which transitions were taken
    return { ...target, ...(below(4) === 0 && { reenter: true }), meta: { id }, context: { [id]: true } };
  };
  const node = (id, more) => ({
    id,
    on: Object.fromEntries(events.filter(() => below(2) === 0).map((event) => [event, transition()])),
    ...(below(3) === 0 && { entry: (_, enq) => void enq.raise({ type: events[below(2)] }) }),
    ...more,
  });
  const region = (id) =>
    node(id, {
      initial: "x",
      states: {
        x: node(`${id}.x`),
        y: node(`${id}.y`, below(4) === 0 ? { type: "final", on: undefined } : {}),
      },
    });
  const config = {
    id: "m",
    context: {},
    initial: "in",
    states: {
      in: node("in", {
        initial: "p",
        states: { p: node("p", { type: "parallel", states: { l: region("p.l"), r: region("p.r") } }) },
      }),
      out: {},
    },
  };
  let made;
  try {
    made = started(config);
    made.actor.send({ type: "a" });
  } catch {
    continue; // a machine that XState refuses
  }
  const { actor, shown, of } = made;
  if (actor.getSnapshot().status === "error") continue;
  const taken = new Set(Object.keys(actor.getSnapshot().context));
  const steps = of(0).steps();
  const edgeOf = new Map(shown[0].chart.chart.edges.map((each) => [each.id, each]));
  assert(edgeOf.size > 0);
  const idOf = new Map();
  for (const state of actor.logic.idMap.values())
    for (const group of state.transitions.values())
      for (const each of group)
        idOf.set(`${state.id}|${each.eventType}|${group.indexOf(each)}`, each.meta?.id);
  const isOpen = steps.some(({ a }) => a.w);
  const wrong = steps.flatMap(({ x }) => x).filter((id) => idOf.get(id) && !taken.has(idOf.get(id)));
  if (isOpen) open++;
  else told++;
  if (wrong.length > 0) preempted++;
  assert(isOpen || wrong.length === 0, JSON.stringify({ config, wrong }));
}
assert(told > 200 && preempted > 200, `${told} told, ${preempted} preempted`);
console.log(
  `Actors of XState 6 are paused. Of ${told + open} random machines with two regions ${open} say that an edge may have been preempted; in ${preempted} one was.`,
);
