// What is said of the guards of a step is what XState has asked, over random machines with regions, wildcards and raised events.
import { createActor, createMachine, enqueueActions, type AnyStateMachine } from "xstate";
import { expect, test } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { chartJson, edgeIdsOf } from "../../../src/core/diagram/chart-json.ts";
import { activeStates, type ActorSnapshot } from "../../../src/inspect/client/actor-chart.ts";
import { preemptedOf } from "../../../src/inspect/client/preempted.ts";
import { indexChart } from "../../src/logic/chart-index.ts";
import { choicesOf, type Judged } from "../../src/logic/guards.ts";

type Edge = {
  readonly guarded: boolean;
  readonly target: number | undefined;
  readonly reenter: boolean;
  readonly raises: boolean;
};
type Node = {
  readonly type: "compound" | "parallel";
  readonly inner: readonly Node[];
  readonly on: { readonly [descriptor: string]: readonly Edge[] };
};

const edge: fc.Arbitrary<Edge> = fc.record({
  guarded: fc.constantFrom(true, true, true, false),
  target: fc.option(fc.nat(20), { nil: undefined }),
  reenter: fc.boolean(),
  raises: fc.constantFrom(true, false, false),
});
const on = fc.dictionary(
  fc.constantFrom("a", "a.b", "a.*", "c", "*"),
  fc.array(edge, { minLength: 1, maxLength: 3 }),
  {
    maxKeys: 4,
  },
);
const nodeOf = (inner: fc.Arbitrary<Node>, maxLength: number): fc.Arbitrary<Node> =>
  fc.record({
    type: fc.constantFrom("compound", "compound", "parallel"),
    inner: fc.array(inner, { maxLength }),
    on,
  });
const leaf = nodeOf(fc.constant({ type: "compound", inner: [], on: {} }), 0);
const node = nodeOf(nodeOf(nodeOf(leaf, 2), 3), 3);

/** The results that guards had in one microstep after the other. */
type Asked = Map<string, boolean>[];

/** A machine whose guards are true or false by their names and by the number of the event, and note that they were asked. */
function machineOf(
  root: Node,
  state: { event: number; raises: number; asked: Asked; did: string[] },
): AnyStateMachine {
  const ids: string[] = [];
  const walk = ({ inner }: Node, id: string): void => {
    ids.push(id);
    inner.forEach((each, at) => walk(each, `${id}.s${at}`));
  };
  walk(root, "m");
  let guards = 0;
  let acts = 0;
  const guardOf = () => {
    const name = `g${guards++}`;
    return { type: name };
  };
  const configOf = (each: Node, id: string): object => ({
    ...(each.inner.length > 0 && {
      type: each.type === "parallel" ? "parallel" : undefined,
      ...(each.type === "compound" && { initial: "s0" }),
      states: Object.fromEntries(
        each.inner.map((child, at) => [`s${at}`, configOf(child, `${id}.s${at}`)] as const),
      ),
    }),
    id,
    on: Object.fromEntries(
      Object.entries(each.on).map(([descriptor, edges]) => [
        descriptor,
        edges.map(({ guarded, target, reenter, raises }) => ({
          ...(guarded && { guard: guardOf() }),
          ...(target !== undefined && { target: `#${ids[target % ids.length]!}`, reenter }),
          actions: [{ type: `did${acts++}` }, ...(raises ? ["again"] : [])],
        })),
      ]),
    ),
  });
  const config = configOf(root, "m");
  return createMachine(config as never).provide({
    actions: {
      ...Object.fromEntries(
        Array.from({ length: acts }, (_, at) => [`did${at}`, () => void state.did.push(`did${at}`)]),
      ),
      again: enqueueActions(({ enqueue }) => {
        if (state.raises-- > 0) enqueue.raise({ type: state.raises % 2 === 0 ? "a" : "c" });
      }),
    },
    guards: Object.fromEntries(
      Array.from({ length: guards }, (_, at) => [
        `g${at}`,
        () => {
          const is = (Math.imul(at + 7, state.event + 31) ^ (at << 3)) % 5 < 2;
          state.asked.at(-1)!.set(`g${at}`, is);
          return is;
        },
      ]),
    ),
  } as never);
}

test("each guard that is said to be false was asked and false, and each that was asked is told", () => {
  const seen = { taken: 0, false: 0, preempted: 0, unasked: 0, raised: 0 };
  fc.assert(
    fc.property(
      node,
      fc.array(fc.constantFrom("a", "a.b", "c", "d"), { minLength: 1, maxLength: 8 }),
      (root, events) => {
        const state = { event: 0, raises: 0, asked: [new Map()] as Asked, did: [] as string[] };
        const machine = machineOf(root, state);
        const index = indexChart(chartJson(machine));
        const ids = edgeIdsOf(machine);
        let taken: string[] = [];
        let preempted: [number, string][] = [];
        let [microsteps, laterPreempted] = [0, 0];
        let snapshot: ActorSnapshot = {};
        const actor = createActor(machine, {
          inspect(event) {
            if (event.type !== "@xstate.microstep") return;
            const lost = preemptedOf(machine, event._transitions, snapshot);
            if (microsteps++ > 0) laterPreempted += lost.size;
            for (const each of event._transitions) {
              if (lost.has(each)) preempted.push([taken.length, ids.get(each)!]);
              else taken.push(ids.get(each)!);
            }
            snapshot = event.snapshot;
            state.asked.push(new Map());
          },
        });
        actor.start();
        for (const event of events) {
          snapshot = actor.getSnapshot();
          const before = activeStates(machine, snapshot.value);
          Object.assign(state, { event: state.event + 1, asked: [new Map()], did: [] });
          state.raises = state.event % 2 === 0 ? 2 : 0;
          [taken, preempted, microsteps, laterPreempted] = [[], [], 0, 0];
          actor.send({ type: event });
          const choices = choicesOf(index, { event, taken, preempted, before, isWhole: true });
          const lines = choices.flatMap((choice) => choice.edges);
          const names = new Set(lines.flatMap(({ edge: { guard } }) => guard?.name ?? []));
          const asked = state.asked.flatMap((each) => [...each]);
          for (const { is } of lines) seen[is]++;
          const judged = lines.flatMap(({ edge: { guard }, is }) =>
            guard ? [[guard.name, is !== "false"] as const] : [],
          );
          expect(asked).toEqual(expect.arrayContaining(judged));
          for (const [name] of state.asked[0]!) expect(names).toContain(name);
          seen.unasked += choices.reduce((sum, { unasked }) => sum + unasked, 0);
          const did = lines.flatMap(({ edge: { actions }, is }) => (is === "taken" ? actions : []));
          const named = did.map(({ name }) => name).filter((name) => name !== "again");
          expect(named.toSorted()).toEqual(state.did.toSorted());
          const of = (kind: Judged) => lines.filter(({ is }) => is === kind).map(({ edge: { id } }) => id);
          expect(of("taken").toSorted()).toEqual(taken.toSorted());
          expect(of("preempted").toSorted()).toEqual(preempted.map(([, id]) => id).toSorted());
          seen.raised += laterPreempted;
        }
        actor.stop();
      },
    ),
    { numRuns: process.env["SOAK"] === "1" ? 20_000 : 150 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
});
