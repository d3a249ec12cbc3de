// Observes actors of XState 6 with the inspector, and compares its steps one by one with the inspection events. XSTATE_6 is the module.
import assert from "node:assert/strict";
import { ActorSystems } from "../../../src/inspect/client/actor-systems.ts";
import { textOfBytes } from "../../../src/inspect/client/step-pages.ts";

const { createActor, createAsyncLogic, createMachine } = await import(process.env["XSTATE_6"]);

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Machines after XState's documentation, and the events that they get. */
const MACHINES = {
  nested: [
    {
      initial: "go",
      states: {
        go: { on: { next: { target: "halt" } } },
        halt: { initial: "walk", states: { walk: { on: { next: { target: "wait" } } }, wait: {} } },
      },
    },
    ["next", "next", "unknown"],
  ],
  parallel: [
    {
      type: "parallel",
      states: {
        bold: { initial: "off", states: { off: { on: { toggle: { target: "on" } } }, on: {} } },
        list: { initial: "none", states: { none: { on: { toggle: { target: "dots" } } }, dots: {} } },
      },
    },
    ["toggle", "toggle"],
  ],
  counting: [
    {
      context: { count: 0 },
      initial: "low",
      states: {
        low: {
          on: {
            add: ({ context }) => ({
              target: context.count > 1 ? "high" : "low",
              context: { count: context.count + 1 },
            }),
          },
        },
        high: { type: "final" },
      },
    },
    ["add", "add", "add", "add"],
  ],
  eventless: [
    {
      initial: "a",
      states: { a: { on: { go: { target: "b" } } }, b: { always: { target: "c" } }, c: { entry: () => {} } },
    },
    ["go"],
  ],
  history: [
    {
      initial: "on",
      states: {
        on: {
          initial: "one",
          states: {
            one: { on: { next: { target: "two" } } },
            two: {},
            last: { type: "history", target: "one" },
          },
          on: { off: { target: "off" } },
        },
        off: { on: { on: { target: "on.last" } } },
      },
    },
    ["next", "off", "on"],
  ],
  loading: [
    {
      initial: "busy",
      states: {
        busy: {
          invoke: {
            id: "job",
            src: createAsyncLogic({ run: async () => "done" }),
            onDone: { target: "ready" },
            onError: { target: "failed" },
          },
        },
        ready: {},
        failed: {},
      },
    },
    ["nothing"],
  ],
  failing: [
    {
      initial: "busy",
      states: {
        busy: {
          invoke: {
            id: "job",
            src: createAsyncLogic({ run: () => Promise.reject(new Error("planted")) }),
            onError: { target: "failed" },
          },
        },
        failed: {},
      },
    },
    [],
  ],
  delayed: [{ initial: "a", states: { a: { after: { 5: { target: "b" } } }, b: { type: "final" } } }, []],
  inner: [
    {
      initial: "asking",
      states: {
        asking: {
          invoke: {
            id: "child",
            src: createMachine({
              id: "child",
              initial: "x",
              states: { x: { after: { 1: { target: "y" } } }, y: { type: "final" } },
            }),
            onDone: { target: "told" },
          },
        },
        told: {},
      },
    },
    [],
  ],
  secret: [{ context: { password: "hunter2", list: [1] }, on: { go: {} } }, ["go"]],
};

/** The ids of the active states of a value below an id. */
const activeIn = (id, value) =>
  typeof value === "string"
    ? [`${id}.${value}`]
    : Object.entries(value ?? {}).flatMap(([key, inner]) => [
        `${id}.${key}`,
        ...activeIn(`${id}.${key}`, inner),
      ]);

let compared = 0;
for (const [id, [, events]] of Object.entries(MACHINES)) {
  const told = new Map();
  const shown = [];
  const systems = new ActorSystems({
    added: (actor) => shown.push(actor),
    changed: () => {},
    dropped: () => {},
    keep: undefined,
    redact: undefined,
  });
  const inspect = (event) => {
    systems.observe(event);
    if (event.type !== "@xstate.transition") return;
    const { actorRef, snapshot, microsteps } = event;
    const steps = told.get(actorRef.sessionId) ?? [];
    told.set(actorRef.sessionId, steps);
    steps.push({
      event: event.event.type.replace(/^@/, ""),
      value: snapshot.value,
      taken: microsteps.length,
    });
  };
  const actor = createActor(createMachine(Object.assign({ id }, MACHINES[id][0])), { inspect }).start();
  for (const type of events) actor.send({ type });
  await settled();
  actor.stop();
  assert.equal(shown.length, told.size, `${id}: each actor is shown`);
  for (const one of shown) {
    const { row } = one.report({ id: "w", pid: 0, isUp: true, since: 0 });
    const { history } = one;
    const { bytes } = history.from(1, Number.POSITIVE_INFINITY);
    const text = textOfBytes(bytes);
    assert(!text.includes("hunter2"), "secrets are hidden");
    const steps = JSON.parse(`[${text}]`);
    const expected = told.get(row.actor.sessionId);
    const ended = expected.findIndex(({ event }) => event === "xstate.stop");
    assert.deepEqual(
      steps.map(({ e }) => e),
      expected.map(({ event }) => event).slice(0, steps.length),
      id,
    );
    assert(steps.length >= (ended < 0 ? expected.length : ended), `${id}: no event is missing`);
    for (const [at, { s, x }] of steps.entries()) {
      if (row.actor.kind !== "machine") continue;
      const root = row.agent === "child" || row.actor.id === "child" ? "child" : id;
      assert.deepEqual(history.states[s], [root, ...activeIn(root, expected[at].value)], `${id} ${at}`);
      assert.equal(x.length, expected[at].taken, `${id} ${at}: each transition is found in the chart`);
      compared++;
    }
  }
  if (id === "counting") {
    const edges = shown[0].chart.chart.edges.filter(({ learnt }) => learnt);
    assert.deepEqual(
      edges.map(({ source, event, targets, guard }) => [source, event, ...targets, guard.name]),
      [["counting.low", "add", "counting.high", "learnt"]],
    );
    const { bytes } = shown[0].history.from(1, Number.POSITIVE_INFINITY);
    assert.deepEqual(
      JSON.parse(`[${textOfBytes(bytes)}]`).flatMap(({ x }) => x),
      ["counting.low|add|0", "counting.low|add|0", "counting.low|add|0>counting.high"],
    );
  }
  const kinds = shown.map((one) => one.kind);
  if (["loading", "failing"].includes(id))
    assert.deepEqual(new Set(kinds), new Set(["machine", "promise"]), id);
  if (id === "inner") assert.deepEqual(kinds, ["machine", "machine"]);
}
console.log(
  `The inspector shows ${Object.keys(MACHINES).length} machines of XState 6 as it tells of them, ${compared} steps.`,
);
