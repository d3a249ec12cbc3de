// Systems of actors of a user are recorded step by step as XState tells them.
import {
  assign,
  createActor,
  setup,
  spawnChild,
  type AnyTransitionDefinition,
  type InspectionEvent,
} from "xstate";
import { describe, expect, test } from "vitest";
import { ActorSystems } from "../../../src/inspect/client/actor-systems.ts";
import { checkWorkerMessage } from "../../../src/inspect/hub/check-message.ts";
import type { HistoryLimits } from "../../../src/inspect/client/history.ts";
import type { ObservedActor } from "../../../src/inspect/client/observed-actor.ts";
import { StepBudget } from "../../../src/inspect/client/step-budget.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { RunRow, Step } from "../../../src/inspect/protocol/protocol.ts";
import type { Json, JsonObject } from "../../../src/core/base/json.ts";
import { DOCUMENTED, runDocumented } from "../../support/machines/documented.ts";
import { keptSteps } from "./kept-steps.ts";

const WORKER = { id: "w", pid: 1, isUp: true, since: 0 };

/** Has room for each step and time for each context, however slow the machine is. */
class Unbounded extends StepBudget {
  override takesStep = (): boolean => true;
  override hasTime = (): boolean => true;
}

/** Observes systems without a hub. */
function observe(budget: StepBudget = new Unbounded(), redact?: (value: Json) => Json, keep?: HistoryLimits) {
  const actors: ObservedActor[] = [];
  const systems = new ActorSystems({
    takesCommands: true,
    added: (actor) => actors.push(actor),
    changed: () => {},
    dropped: () => {},
    keep,
    redact,
    budget,
  });
  return {
    systems,
    inspect: (event: InspectionEvent) => systems.observe(event),
    sweep: () => systems.sweep(),
    actors,
    rowOf: (actor: ObservedActor): RunRow => actor.report(WORKER).row,
  };
}

/** The fields of a step that inspection events tell. */
type Told = {
  readonly event: string;
  readonly states: readonly string[];
  readonly edges: readonly string[];
  readonly actions: readonly string[];
  readonly context: unknown;
  readonly status: string;
  readonly sender: string | undefined;
};

/** Reads from raw inspection events what each actor has done, by its session id. It shares nothing with the recorder. */
function toldBy(events: readonly InspectionEvent[]): ReadonlyMap<string, readonly Told[]> {
  const told = new Map<string, Told[]>();
  const senders = new Map<unknown, string | undefined>();
  const open = new Map<string, { edges: string[]; actions: string[] }>();
  const plain = (value: unknown): unknown =>
    value === undefined ? undefined : (JSON.parse(JSON.stringify(value, refsAsText)) as unknown);
  for (const event of events) {
    const id = event.actorRef.sessionId;
    const now = open.get(id) ?? { edges: [], actions: [] };
    open.set(id, now);
    if (event.type === "@xstate.event") senders.set(event.event, event.sourceRef?.sessionId);
    if (event.type === "@xstate.microstep")
      for (const each of event._transitions) if (isOfChart(each)) now.edges.push(edgeText(each));
    if (event.type === "@xstate.action") now.actions.push(event.action.type);
    if (event.type !== "@xstate.snapshot") continue;
    const { snapshot } = event as unknown as {
      snapshot: { status: string; context?: unknown; _nodes?: unknown };
    };
    const nodes = snapshot._nodes as readonly { readonly id: string }[] | undefined;
    const steps = told.get(id) ?? [];
    told.set(id, steps);
    steps.push({
      event: event.event.type,
      states: nodes?.map((node) => node.id) ?? [],
      edges: now.edges.splice(0),
      actions: now.actions.splice(0),
      context: plain(snapshot.context),
      status: snapshot.status,
      sender: senders.get(event.event),
    });
  }
  return told;
}

const refsAsText = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "xstate$$type" in value && "id" in value
    ? "an actor"
    : value;
const isOfChart = ({ source, eventType }: AnyTransitionDefinition): boolean =>
  source !== undefined && eventType !== "xstate.init" && !(eventType === "" && !source.always);
const edgeText = ({ source, eventType, target = [] }: AnyTransitionDefinition): string =>
  `${source.id} ${eventType} ${target.map(({ id }) => id).join()}`;

/** Replaces the text of an actor by what {@link refsAsText} makes of one. */
const withoutRefs = (value: Json | undefined): unknown =>
  value === undefined
    ? undefined
    : (JSON.parse(JSON.stringify(value).replaceAll(/"\[actor [^"]*\]"/g, '"an actor"')) as unknown);

/** The same fields of the recorded steps of an actor. */
function recorded(actor: ObservedActor, rows: ReadonlyMap<string, RunRow>): readonly Told[] {
  const { chart } = actor.chart;
  const isMachine = rows.get(actor.runId)!.actor!.kind === "machine";
  let shown: JsonObject = {};
  return keptSteps(actor.history).map(({ e, s, x, k = [], p = [], a }: Step) => {
    shown = applyPatch(shown, p);
    const states = actor.history.states[s]!;
    const edges = x.map((id) => chart.edges.find((edge) => edge.id === id)!);
    return {
      event: e,
      states: isMachine ? states : [],
      edges: isMachine
        ? edges.map(({ source, event, targets }) => `${source} ${event} ${targets.join()}`)
        : [],
      actions: k,
      context: withoutRefs(shown["context"]),
      status: a!.z ? "error" : "",
      sender: a!.f === undefined ? undefined : rows.get(a!.f)!.actor!.sessionId,
    };
  });
}

describe("Each recorded step is what XState's inspection events say", () => {
  test.each(Object.keys(DOCUMENTED))("of the machine %s and of its actors", async (name) => {
    const events: InspectionEvent[] = [];
    const { inspect, sweep, actors, rowOf } = observe();
    await runDocumented(DOCUMENTED[name]!, (event) => {
      events.push(event);
      inspect(event);
    });
    sweep();
    const rows = new Map(actors.map((actor) => [actor.runId, rowOf(actor)]));
    const told = toldBy(events);
    expect(actors.length).toBe(told.size);
    for (const actor of actors) {
      const { actor: info } = rows.get(actor.runId)!;
      const expected = told.get(info!.sessionId)!;
      const steps = recorded(actor, rows);
      for (const [place, step] of expected.entries()) {
        const found = steps[place]!;
        const status = step.status === "error" ? "error" : "";
        const sorted = { states: [...step.states].toSorted(), status };
        expect({ ...found, states: [...found.states].toSorted() }, `${info!.id} ${place}`).toEqual({
          ...step,
          ...sorted,
        });
      }
      // an actor that fails in the middle of an event has no snapshot: its last step says so
      const rest = steps.slice(expected.length);
      expect(rest.every(({ status }) => status === "error")).toBe(true);
    }
    const orders = actors.flatMap((actor) => keptSteps(actor.history).map(({ a }) => a!.n));
    expect(new Set(orders).size).toBe(orders.length);
  });
});

test("the kinds, the tree and the ends of actors are told as XState tells them", async () => {
  const { inspect, actors, rowOf } = observe();
  for (const each of Object.values(DOCUMENTED)) await runDocumented(each, inspect);
  const rows = actors.map(rowOf);
  const nameOf = new Map(rows.map(({ runId, agent }) => [runId, agent]));
  const lines = rows.map(
    ({ agent, actor, parent, error }) =>
      `${parent ? `${nameOf.get(parent.runId)} > ` : ""}${agent}: ${actor!.kind} ${actor!.status}${error ? ` ${error.code}: ${error.message}` : ""}`,
  );
  expect(lines).toMatchInlineSnapshot(`
    [
      "crossing: machine stopped",
      "editor: machine stopped",
      "player: machine stopped",
      "loading: machine done",
      "loading > load: promise error TypeError: The server is busy.",
      "loading > load: promise done",
      "stopwatch: machine stopped",
      "stopwatch > ticker: callback stopped",
      "stopwatch > ticker: callback stopped",
      "drawing: machine stopped",
      "drawing > pointer: observable done",
      "counting: machine stopped",
      "counting > counter: transition active",
      "todos: machine stopped",
      "todos > todo-0: machine stopped",
      "todos > todo-1: machine done",
      "checkout: machine done",
      "match: machine stopped",
      "match > ping: machine stopped",
      "ping > pong: machine stopped",
      "match > referee: machine error RangeError: The whistle broke.",
    ]
  `);
});

test("an actor that fails in the middle of an event shows the error at that event, before its parent hears of it", async () => {
  const { inspect, actors, rowOf } = observe();
  await runDocumented(DOCUMENTED["match"]!, inspect);
  const referee = actors.find((actor) => rowOf(actor).agent === "referee")!;
  const root = actors[0]!;
  const failed = keptSteps(referee.history).at(-1)!;
  expect(failed).toMatchObject({
    e: "point",
    a: { z: { name: "RangeError", message: "The whistle broke." } },
  });
  const heard = keptSteps(root.history).find(({ e }) => e === "xstate.error.actor.referee")!;
  expect(heard.a!.f).toBe(referee.runId);
  expect(heard.a!.n).toBeGreaterThan(failed.a!.n);
});

/** A system that holds, throws and sends whatever it likes. */
function hostile(inspect: (event: InspectionEvent) => void) {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  let read = 0;
  const trap = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("Nobody lists my keys.");
      },
    },
  );
  class Account {
    readonly password = "hunter2";
    readonly owner = "Ann";
    toJSON(): never {
      read++;
      throw new Error("Nobody serializes me.");
    }
  }
  const context = {
    cycle,
    trap,
    account: new Account(),
    deep: {
      get costly() {
        read++;
        return 1;
      },
    },
    page: new EventTarget(),
    apiKey: "sk-123456",
    huge: Array.from({ length: 50_000 }, (_, index) => ({ index })),
    count: 0,
  };
  const machine = setup({ types: {} as { context: typeof context; events: { type: string } } }).createMachine(
    {
      id: "hostile",
      context,
      on: {
        tick: { actions: assign({ count: ({ context: { count } }) => count + 1 }) },
        fail: {
          actions: () => {
            throw new Error("It fails.");
          },
        },
      },
    },
  );
  const actor = createActor(machine, { inspect }).start();
  return { actor, context, reads: () => read };
}

test("a context with cycles, proxies, classes, getters and secrets is shown bounded and redacted, and none of its code runs", () => {
  const { inspect, actors } = observe();
  const { actor, reads } = hostile(inspect);
  actor.send({ type: "tick" });
  const text = keptSteps(actors[0]!.history)
    .map((step) => JSON.stringify(step))
    .join("\n");
  for (const shown of [
    "[cycle]",
    "[unreadable]",
    "[getter]",
    '"$class":"Account"',
    '"Ann"',
    "[EventTarget]",
    "more]",
  ])
    expect(text).toContain(shown);
  for (const secret of ["hunter2", "sk-123456"]) expect(text).not.toContain(secret);
  expect(text.length).toBeLessThan(400_000);
  expect(reads()).toBe(0);
  expect(actor.getSnapshot().context.count).toBe(1);
});

test("a step shows its event and its context as they were, although the program changes both before the step is written", () => {
  const { inspect, actors } = observe();
  const event = { type: "add", by: { n: 0 } };
  const machine = setup({
    types: {} as { context: { all: { sum: number } }; events: typeof event },
  }).createMachine({
    id: "sums",
    context: { all: { sum: 0 } },
    on: { add: { actions: assign({ all: ({ event: { by } }) => ({ sum: by.n }) }) } },
  });
  const actor = createActor(machine, { inspect }).start();
  for (let n = 1; n <= 3; n++) {
    event.by.n = n;
    actor.send(event);
    actor.getSnapshot().context.all.sum = -n;
  }
  const [, ...steps] = keptSteps(actors[0]!.history);
  expect(steps.map(({ v, p }) => [v, p])).toEqual(
    [1, 2, 3].map((n) => [{ by: { n } }, [["=", ["context", "all", "sum"], n]]]),
  );
});

test("of more steps than are kept the oldest are left out, and the context before the others is as it was", () => {
  const { inspect, actors } = observe(undefined, undefined, { steps: 100 });
  const machine = setup({
    types: {} as { context: object; events: { type: "add"; n: number } },
  }).createMachine({
    id: "long",
    context: { fixed: "x", all: { sum: 0 } },
    on: { add: { actions: assign(({ event: { n } }) => ({ all: { sum: n }, [`key${n % 9}`]: n })) } },
  });
  const actor = createActor(machine, { inspect }).start();
  for (let n = 1; n <= 500; n++) {
    actor.send({ type: "add", n });
    if (n % 7 === 0) expect(actors[0]!.history.last).toBe(n + 1); // as if a hub asked for them
  }
  const { history } = actors[0]!;
  expect(history.first).toBeGreaterThan(350);
  const [oldest] = keptSteps(history);
  expect(history.base).toMatchObject({ context: { fixed: "x", all: { sum: oldest!.q - 2 } } });
  const shown = keptSteps(history).reduce<JsonObject>((all, { p = [] }) => applyPatch(all, p), history.base!);
  expect(shown).toEqual({ context: actor.getSnapshot().context });
});

test("of a flood as many events are recorded as there is room for, the rest is counted, and the actor takes all of them", () => {
  let now = 0;
  const { inspect, actors, rowOf } = observe(new StepBudget(() => now));
  const { actor } = hostile(inspect);
  for (let sent = 0; sent < 10_000; sent++) actor.send({ type: "tick" });
  now += 1_000;
  actor.send({ type: "tick" });
  const steps = keptSteps(actors[0]!.history);
  const omitted = steps.reduce((sum, { a }) => sum + (a!.o ?? 0), 0);
  expect(steps.length).toBe(2_001);
  expect(steps.length + omitted).toBe(10_002); // the beginning, and each event
  expect(rowOf(actors[0]!).notice).toBe(
    `${omitted} events of this actor were not recorded: there were more than 1,000 a second.`,
  );
  const shown = steps.reduce<JsonObject>((context, { p = [] }) => applyPatch(context, p), {});
  expect(shown["context"]).toMatchObject({ count: 10_001 });
  expect(actor.getSnapshot().context.count).toBe(10_001);
});

test("a step for whose context there is no time says so, and the next one brings the context up to date", () => {
  let now = 0;
  let cost = 1_000;
  const { inspect, actors } = observe(new StepBudget(() => (now += cost)));
  const { actor } = hostile(inspect);
  actor.send({ type: "tick" });
  expect(keptSteps(actors[0]!.history).at(-1)).toMatchObject({ a: { h: 1 } });
  cost = 0;
  now += 10_000_000;
  actor.send({ type: "tick" });
  const [, , third] = keptSteps(actors[0]!.history);
  expect(third!.a!.h).toBeUndefined();
  expect(third!.p).toEqual([["=", ["context", "count"], 2]]);
});

test("the time for which steps are written counts once", () => {
  let now = 0;
  const { inspect, actors } = observe(new StepBudget(() => now));
  const { actor } = hostile(inspect);
  const value = { toJSON: () => `${now++}` }; // is asked when a step is written
  const tick = (): void => {
    const snapshot = { ...actor.getSnapshot(), value };
    inspect({ type: "@xstate.snapshot", actorRef: actor, event: { type: "tick" }, snapshot } as never);
  };
  for (let sent = 0; sent < 128; sent++) tick();
  now += 1_000;
  tick();
  expect(keptSteps(actors[0]!.history).at(-1)!.a!.h).toBeUndefined();
});

test("actors beyond the bound are counted, each once", () => {
  const { inspect, actors, rowOf } = observe();
  const one = setup({}).createMachine({
    id: "one",
    initial: "on",
    states: { on: { on: { end: "off" } }, off: { type: "final" } },
  });
  const many = setup({ actors: { one } }).createMachine({
    id: "many",
    on: { more: { actions: spawnChild("one") } },
  });
  const actor = createActor(many, { inspect }).start();
  for (let sent = 0; sent < 250; sent++) actor.send({ type: "more" });
  expect(actors.length).toBe(200);
  expect(rowOf(actors[0]!).notice).toBe("51 actors of this system are not shown: at most 200 are.");
});

test.each([undefined, null, [{}], [{ event: 1 }], "x"])(
  "conditions that are none hold no actor: %j",
  (breaks) => {
    const { systems, inspect, actors } = observe();
    const { actor } = hostile(inspect);
    const { runId } = actors[0]!;
    const refused = systems.command({ id: "1", runId, type: "breakAt", breaks } as never);
    expect(refused).toEqual({ problem: "`breaks` is not a list of conditions." });
    actor.send({ type: "tick" });
    expect(actor.getSnapshot().context.count).toBe(1);
  },
);

test("a redaction that throws hides what it was given, and what it returns is shown", () => {
  const { inspect, actors } = observe(undefined, (value) => {
    if (JSON.stringify(value).includes("Ann")) throw new Error("It names somebody.");
    return JSON.parse(JSON.stringify(value).replaceAll("hostile", "a machine")) as Json;
  });
  hostile(inspect);
  const text = keptSteps(actors[0]!.history)
    .map((step) => JSON.stringify(step))
    .join("");
  expect(text).not.toContain("Ann");
  expect(text).toContain('"account":"[redacted]"');
});

test.each<[string, () => Json]>([
  ["throws", () => expect.unreachable()],
  ["nothing", () => undefined as never],
  [
    "a cycle",
    () => {
      const cycle: { self?: unknown } = {};
      cycle.self = cycle;
      return cycle as Json;
    },
  ],
  ["a number that is not JSON", () => 1n as never],
  ["a long text", () => "x".repeat(10_000_000)],
])("what `redact` returns is shown within bounds, and the hub takes the steps: %s", (_, redact) => {
  const { inspect, sweep, actors, rowOf } = observe(undefined, redact);
  const { actor } = hostile(inspect);
  actor.subscribe({ error: () => {} });
  actor.send({ type: "tick", more: 1 } as never);
  actor.send({ type: "fail" });
  sweep();
  const items = keptSteps(actors[0]!.history);
  expect(items.map(({ e }) => e)).toEqual(["xstate.init", "tick", "fail"]);
  expect(JSON.stringify(items).length).toBeLessThan(100_000);
  checkWorkerMessage({ type: "steps", runId: "r", states: [], items });
  checkWorkerMessage({ type: "run", row: rowOf(actors[0]!), pending: [] });
  expect(items.at(-1)!.a!.z).toEqual({ name: "error", message: "[redacted]" });
});
