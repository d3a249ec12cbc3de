// Systems that do what no system should: neither they, nor the hub, nor what the page gets of others is harmed.
import { inspector } from "agentchart/inspect";
import {
  assign,
  createActor,
  createMachine,
  fromPromise,
  setup,
  type AnyActorRef,
  type AnyStateMachine,
} from "xstate";
import { expect, onTestFinished, test } from "vitest";
import type { RunRow, Step } from "../../../src/inspect/protocol/protocol.ts";
import { ask, HubPage, testHome, testHub } from "../../support/hub-page.ts";

type Hostile = {
  readonly machine: () => AnyStateMachine;
  /** What happens to the actor. Returns what it has come to, which is the same without an inspector. */
  readonly run?: (actor: AnyActorRef) => unknown;
};

const LONG = "x".repeat(10_000_000);
const fails = (what: string) => (): never => {
  throw new Error(`${what} was asked`);
};
const nested = (levels: number, name: string): object =>
  levels === 0 ? {} : { initial: name, states: { [name]: nested(levels - 1, name) } };
const holding = (context: unknown): AnyStateMachine =>
  createMachine({
    id: "holding",
    context: context as object,
    on: { touch: { actions: assign({ n: ({ context: all }) => (all as { n?: number }).n ?? 0 }) } },
  } as never);

class Trick extends Map<string, number> {
  override entries(): never {
    return fails("entries")();
  }
  override get [Symbol.toStringTag](): never {
    return fails("tag")();
  }
}
class When extends Date {
  override getTime(): never {
    return fails("getTime")();
  }
  override toISOString(): never {
    return fails("toISOString")();
  }
}

const values: { readonly [name: string]: () => unknown } = {
  "getters that throw": () => ({
    get a() {
      return fails("a")();
    },
    inner: {
      get b() {
        return fails("b")();
      },
    },
  }),
  "a proxy whose traps throw": () => ({
    inner: new Proxy({}, { ownKeys: fails("keys"), getPrototypeOf: fails("prototype"), get: fails("get") }),
  }),
  "a proxy as the context": () => new Proxy({ n: 1 }, { getOwnPropertyDescriptor: fails("descriptor") }),
  "a text of 10 MB": () => ({ text: LONG, list: Array.from({ length: 100 }, () => LONG) }),
  "keys of 10 MB": () => ({ [LONG]: 1, inner: { [LONG]: 2 } }),
  symbols: () => ({ symbol: Symbol(LONG), [Symbol("key")]: 1 }),
  "large numbers": () => ({ big: 10n ** 100_000n, not: Number.NaN, minus: -0 }),
  "regular expressions": () => ({
    long: new RegExp(LONG.slice(0, 1_000_000)),
    own: Object.assign(/a/, { toString: fails("toString") }),
  }),
  "classes that lie": () => ({
    map: new Trick([["a", 1]]),
    when: new When(0),
    bytes: Object.defineProperty(new Uint8Array(3), "constructor", { get: fails("constructor") }),
  }),
  "errors that lie": () => ({
    error: Object.defineProperties(new Error("a"), {
      message: { get: fails("message") },
      constructor: { get: fails("constructor") },
      name: { value: Symbol("s") },
    }),
  }),
  "weak references and the like": () => ({
    weak: new WeakRef({}),
    set: new Set([1, new Set([2])]),
    map: new Map<unknown, unknown>([[{}, new Map()]]),
    promise: Promise.resolve(),
    generator: (function* () {})(),
    url: new URL("http://a.test"),
    none: Object.create(null) as object,
  }),
  "a million entries": () => ({
    map: new Map(Array.from({ length: 1_000_000 }, (_, at) => [at, at])),
    list: Array.from({ length: 1_000_000 }),
  }),
  "a cycle": () => {
    const all: { self?: unknown; list: unknown[] } = { list: [] };
    all.self = all;
    all.list.push(all, all.list);
    return all;
  },
  "a depth of 10,000": () => {
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level++) deep = { deep };
    return { deep };
  },
  "names of prototypes": () =>
    JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":2,"in":{"__proto__":3}}'),
  "a context that is not an object": () => "text",
};

const systems: { readonly [name: string]: Hostile } = {
  ...Object.fromEntries(
    Object.entries(values).map(([name, make]): [string, Hostile] => [
      `a context with ${name}`,
      { machine: () => holding(make()), run: (actor) => actor.send({ type: "touch" }) },
    ]),
  ),
  "events that are odd": {
    machine: () => createMachine({ id: "odd", on: { "*": {} } }),
    run(actor) {
      actor.send({ type: "a", toJSON: fails("toJSON"), symbol: Symbol("s"), big: 1n, text: LONG });
      actor.send({ type: LONG });
      actor.send({ type: "__proto__", __proto__: null } as never);
      actor.send(Object.defineProperty({ type: "b" }, "c", { enumerable: true, get: fails("c") }));
    },
  },
  "ids that are odd": {
    machine: () =>
      createMachine({
        id: "__proto__",
        initial: "constructor",
        states: {
          constructor: { on: { go: "a|b|0" } },
          "a|b|0": { on: { go: "a b" } },
          "a b": { on: { go: "ä" } },
          ä: { id: "", on: { go: "toString" } },
          toString: {},
        } as never,
      }),
    run: (actor) => ["go", "go", "go", "go", "__proto__", "toString"].forEach((type) => actor.send({ type })),
  },
  "an empty id": {
    machine: () => createMachine({ id: "", initial: "a", states: { a: { on: { go: "b" } }, b: {} } }),
    run: (actor) => actor.send({ type: "go" }),
  },
  "an id of 10 MB": {
    machine: () =>
      createMachine({
        id: LONG,
        description: LONG,
        initial: "a",
        states: { a: { tags: [LONG], on: { go: "b" } }, b: { description: LONG } },
      }),
    run: (actor) => actor.send({ type: "go" }),
  },
  "names of 10 MB": {
    machine: () =>
      createMachine(
        {
          id: "names",
          initial: LONG,
          states: {
            [LONG]: {
              on: { go: { target: "b", guard: { type: LONG }, actions: { type: LONG } }, [LONG]: "b" },
            },
            b: {},
          },
        },
        {
          guards: { [LONG]: () => true },
          actions: { [LONG]: () => {} },
        } as never,
      ),
    run: (actor) => actor.send({ type: "go" }),
  },
  "300 levels": {
    machine: () => createMachine({ id: "deep", on: { "*": {} }, ...nested(300, "a") }),
    run: (actor) => actor.send({ type: "go" }),
  },
  "300 levels with long names": {
    machine: () => createMachine({ id: "deep", on: { "*": {} }, ...nested(300, "a".repeat(50)) }),
    run: (actor) => actor.send({ type: "go" }),
  },
  "4,000 configurations": {
    machine: () =>
      createMachine({
        id: "many",
        type: "parallel",
        states: Object.fromEntries(
          Array.from({ length: 12 }, (_, at) => [
            `r${at}`,
            {
              initial: "off",
              states: { off: { on: { [`t${at}`]: "on" } }, on: { on: { [`t${at}`]: "off" } } },
            },
          ]),
        ),
      }),
    run(actor) {
      for (let at = 1; at < 4_096; at++) actor.send({ type: `t${31 - Math.clz32(at & -at)}` });
    },
  },
  "actors that come and go": {
    machine: () =>
      setup({ actors: { child: createMachine({ id: "child" }) } }).createMachine({
        id: "nursery",
        on: {
          spawn: {
            actions: assign(({ spawn }) => {
              spawn("child", { id: LONG.slice(0, 300_000) }).send({ type: "hello" });
              return {};
            }),
          },
        },
      } as never) as unknown as AnyStateMachine,
    run(actor) {
      for (let at = 0; at < 1_000; at++) actor.send({ type: "spawn" });
    },
  },
  "an input that is never there": {
    machine: () =>
      setup({
        actors: {
          waits: fromPromise(() => new Promise(() => {})),
          bad: fromPromise(() => Promise.reject(Object.create(null))),
        },
      }).createMachine({
        id: "waiting",
        invoke: [
          { src: "waits", input: () => ({ at: new Promise(() => {}), cycle: globalThis }) },
          { src: "bad", onError: { actions: () => {} } },
        ],
      } as never) as unknown as AnyStateMachine,
  },
  "an actor that sends to itself for ever": {
    machine: () =>
      createMachine({
        id: "restless",
        on: {
          again: {
            actions: ({ self }: { self: AnyActorRef }) =>
              void setImmediate(() => self.send({ type: "again" })),
          },
        },
      } as never),
    run: (actor) => actor.send({ type: "again" }),
  },
  "an action that throws what is not an error": {
    machine: () =>
      createMachine({
        id: "throws",
        on: {
          go: {
            actions: () => {
              // oxlint-disable-next-line no-throw-literal, only-throw-error -- programs do
              throw Object.create(null);
            },
          },
        },
      } as never),
    run: (actor) => {
      actor.subscribe({ error: () => {} });
      actor.send({ type: "go" });
    },
  },
};

const outcome = (actor: AnyActorRef): string => {
  const { status, value } = actor.getSnapshot() as { readonly status: string; readonly value: unknown };
  return JSON.stringify([status, value])?.slice(0, 500);
};

test.each(Object.keys(systems))("%s", async (name) => {
  const { machine, run = () => {} } = systems[name]!;
  const plain = createActor(machine());
  plain.subscribe({ error: () => {} });
  plain.start();
  run(plain);
  const expected = outcome(plain);
  plain.stop();

  const hub = await testHub({ home: testHome() });
  const page = await HubPage.open(hub);
  const made = inspector({ url: hub.workerUrl, retryMs: [10, 50] });
  onTestFinished(() => made.close());
  const calm = createActor(createMachine({ id: "calm", on: { "*": {} } }), { inspect: made.inspect }).start();
  const actor = createActor(machine(), { inspect: made.inspect });
  actor.subscribe({ error: () => {} });
  actor.start();
  run(actor);
  expect(outcome(actor)).toBe(expected);
  const rowOf = (id: string): RunRow | undefined => [...page.rows.values()].find((row) => row.agent === id);
  const isHeard = (): boolean => {
    calm.send({ type: "after" }); // of a flood not each event is recorded
    return (rowOf("calm")?.steps ?? 0) > 1;
  };
  await expect.poll(isHeard).toBe(true);
  const rootRow = (): RunRow | undefined =>
    [...page.rows.values()].find((row) => row.agent !== "calm" && row.actor?.system === row.runId);
  await expect.poll(() => rootRow()?.steps).toBeGreaterThan(0);
  const root = rootRow()!;
  page.subscribe(root.runId);
  await expect.poll(() => page.steps.get(root.runId)?.length ?? 0).toBeGreaterThan(0);
  const { chart } = (await (await ask(hub, `/api/charts/${root.chart}`)).json()) as {
    readonly chart: { readonly nodes: readonly unknown[] };
  };
  expect(chart.nodes.length).toBeGreaterThan(0);
  const last = page.steps.get(root.runId)!.at(-1) as Step;
  expect(page.activeAt(root.runId, last).length).toBeGreaterThan(0);
  expect([...page.rows.values()].every(({ worker }) => worker?.isUp !== false)).toBe(true);
  expect(page.bytes).toBeLessThan(8_000_000);
  expect(page.closed).toBeUndefined();
  actor.stop();
  calm.stop();
});
