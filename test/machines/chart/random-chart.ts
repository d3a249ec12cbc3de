import fc from "../../support/fast-check.ts";
import type { Branch, NameRef } from "../../../machines/chart/definition.ts";
import { above, add, is, note, ring, spawn, stop, waits, type ToyContext, type ToyState } from "./toys.ts";

type Tree = {
  readonly kind: "state" | "decision";
  readonly service: boolean;
  readonly inner: readonly Tree[];
  /** Numbers that everything else is chosen by. */
  readonly seed: readonly number[];
};

const EVENTS = ["x", "x.y", "x.z", "w"];
const DESCRIPTORS = ["x", "x.y", "x.*", "w", "*", "xstate.done.actor.*", "xstate.error.*"];

/** What happens to a session: an event, or the end of a service that runs. */
export type Deed = { readonly type: string } | { readonly ends: number; readonly fails: boolean };

/** Deeds for a random chart. */
export const randomDeeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constantFrom(...EVENTS) }) },
    { weight: 1, arbitrary: fc.record({ ends: fc.nat(3), fails: fc.constantFrom(false, false, true) }) },
  ),
  { minLength: 1, maxLength: 12 },
);

const seed = fc.array(fc.nat(1_000), { minLength: 32, maxLength: 32 });
const leaf = fc.record({
  kind: fc.constantFrom("state", "state", "decision"),
  service: fc.boolean(),
  inner: fc.constant([]),
  seed,
});
const around = (inner: fc.Arbitrary<Tree>) =>
  fc.record({
    kind: fc.constant("state" as const),
    service: fc.boolean(),
    inner: fc.array(inner, { minLength: 1, maxLength: 3 }),
    seed,
  });
const tree: fc.Arbitrary<Tree> = fc.oneof(leaf, around(fc.oneof(leaf, around(leaf))));

/**
 * A chart of up to three levels with decisions and chains of them, choices, services and their outcomes, effects, forbidden and
 * targetless transitions, re-entry, nested initial states, and patterns at every level.
 */
export const randomChart: fc.Arbitrary<ToyState> = fc
  .tuple(fc.array(tree, { minLength: 1, maxLength: 4 }), seed)
  .map(([inner, numbers]) => {
    const first: Tree = { kind: "state", service: false, inner: [], seed: numbers.toReversed() };
    const root: Tree = { kind: "state", service: false, inner: [first, ...inner], seed: numbers };
    const ids = idsOf(root, "toy").slice(1);
    return stateOf(root, "toy", ids);
  });

const keyOf = (index: number): string => `s${index}`;

function idsOf({ inner }: Tree, id: string): readonly string[] {
  return [id, ...inner.flatMap((each, index) => idsOf(each, `${id}.${keyOf(index)}`))];
}

/** Picks from lists, by one number after the other. */
class Picker {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  one<T>(list: readonly T[]): T {
    const number = this.#numbers[this.#next++ % this.#numbers.length]!;
    return list[number % list.length]!;
  }
}

const GUARDS: readonly NonNullable<Branch["guard"]>[] = [
  ...[is(2), is(3), above(4), "isZero", "never"],
  "fails",
] as readonly NonNullable<Branch["guard"]>[];

function serviceOf(pick: Picker, id: string, ids: readonly string[]): object {
  return {
    ...{ src: "work", id, input: ({ count }: ToyContext) => count },
    ...(pick.one([true, false]) && { onDone: branches(pick, ids, false) }),
    ...(pick.one([true, false]) && { onError: branches(pick, ids, false) }),
  };
}

function stateOf(node: Tree, id: string, ids: readonly string[]): ToyState {
  const pick = new Picker(node.seed);
  const key = id.slice("toy.".length) || "root";
  const keys = node.inner.map((_, index) => keyOf(index));
  // a chart cannot begin with a decision: the first state of the root is none
  const states = node.inner.map((inner, index) => definitionOf(inner, `${id}.${keyOf(index)}`, ids));
  const descriptors = DESCRIPTORS.filter(() => pick.one([true, false, false]));
  return waits({
    entry: pick.one([[], [note(`+${key}`)], [add(1), ring(`+${key}`)]]),
    exit: pick.one([[], [ring(`-${key}`)]]),
    ...(node.service && {
      invoke: pick.one([["w"], ["w", "v"]]).map((name) => serviceOf(pick, `${name}.${key}`, ids)) as never,
    }),
    on: Object.fromEntries(
      descriptors.map((descriptor) => [descriptor, branches(pick, ids, false)]),
    ) as never,
    ...(keys.length > 0 && {
      initial: id === "toy" ? keys[0]! : pick.one(keys),
      states: Object.fromEntries(states.map((state, index) => [keys[index]!, state])),
    }),
  });
}

function definitionOf(node: Tree, id: string, ids: readonly string[]): ToyState {
  if (node.kind === "state") return stateOf(node, id, ids);
  const pick = new Picker(node.seed);
  const decision = {
    description: "Which?",
    entry: pick.one([[], [add(1)], [note(`?${id.slice("toy.".length)}`)]]),
    decide: branches(pick, ids, true),
  };
  return decision as never;
}

/** One to three branches. That of an event may have no last one without a guard. */
function branches(pick: Picker, ids: readonly string[], mustLead: boolean, depth = 0): readonly Branch[] {
  const guarded = Array.from({ length: pick.one([0, 1, 2]) }, () => ({ guard: pick.one(GUARDS) }));
  const mayFail = !mustLead && depth === 0 && guarded.length > 0 && pick.one([true, false]);
  const guards = mayFail ? guarded : [...guarded, {}];
  return guards.map((guard) => ({ ...guard, ...branch(pick, ids, mustLead, depth) }));
}

const ACTIONS: readonly (readonly NameRef[])[] = [
  [],
  [add(1)],
  [add(2), ring("edge")],
  [spawn("s")],
  [add(1), spawn("s"), spawn("t")],
  [stop("s")],
  [stop("t"), spawn("t"), stop("t")],
  ["break"],
];

function branch(pick: Picker, ids: readonly string[], mustLead: boolean, depth: number): Branch {
  const kind = pick.one(["target", "target", "target", "choose", "stay", "refuse", "forbid"]);
  const actions = pick.one(ACTIONS);
  if (kind === "choose" && depth < 2) return { actions, choose: branches(pick, ids, mustLead, depth + 1) };
  if (kind === "refuse" && !mustLead && depth === 0) return { refuse: "closed" };
  if (kind === "forbid" && !mustLead) return {};
  if (kind === "stay" && !mustLead) return { actions };
  return { actions, target: `#${pick.one(ids)}`, ...(pick.one([true, false, false]) && { reenter: true }) };
}
