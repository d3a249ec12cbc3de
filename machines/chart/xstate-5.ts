import {
  enqueueActions,
  fromPromise,
  setup,
  type AnyActorRef,
  type MetaObject,
  type NonReducibleUnknown,
  type PromiseActorLogic,
  type ProvidedActor,
  type StateMachine,
  type StateValue,
} from "xstate";
import type { Effect, Refusal } from "./definition.ts";
import { drawingOf } from "./drawing.ts";
import { commonParent, contains, edgesOf, matches, type Node, type Transition } from "./nodes.ts";
import type { Move, Resolver, Step } from "./resolve.ts";

/**
 * The one module that makes an XState 5 machine of a chart.
 *
 * X1 The machine has the states of the chart. Its decisions are not states of the machine: the resolver goes through them, so
 *    one event is one microstep.
 * X2 The resolver is asked once for each event. Guards of the machine only compare the move that it names, and the one
 *    action of a transition takes over the context and performs the effects that it returned.
 * X3 The resolver runs entry and exit actions. XState starts and stops the invoked services: a transition belongs to the
 *    outermost state that is left, so that the same states are left as the resolver says.
 */
type Event = { readonly type: string; readonly id?: string; readonly by?: string };

/** A service to be filled by `machine.provide`. An empty slot fails the run and names itself. */
export function slot<Output, Input>(name: string): PromiseActorLogic<Output, Input> {
  return fromPromise<Output, Input>(() => {
    throw new Error(
      `The service "${name}" is an empty slot: fill it with agentMachine.provide({ actors: { ${name} } }).`,
    );
  });
}

// Any slots: their inputs and outcomes differ.
type Slots = { readonly [name: string]: PromiseActorLogic<any, any> };

/** What sees every step of a machine, and performs the effects that are the host's. */
type Actions<Context> = {
  /** True if nobody has a snapshot of the actor: then its services may be forgotten in place. Default: false. */
  readonly isUnseen?: (self: AnyActorRef) => boolean;
  readonly stepTaken?: (args: { readonly self: AnyActorRef }, step: StepTaken<Context>) => void;
  readonly perform?: (
    args: { readonly self: AnyActorRef },
    effect: Extract<Effect, { readonly type: "host" }>,
  ) => void;
};

/** An XState machine that was made of a chart. */
export type ChartMachine<Context extends object> = StateMachine<
  Context,
  Event,
  { readonly [id: string]: AnyActorRef | undefined },
  ProvidedActor,
  { readonly type: "stepTaken" | "perform"; readonly params: never },
  { readonly type: never; readonly params: undefined },
  never,
  StateValue,
  string,
  Context,
  NonReducibleUnknown,
  Reply,
  MetaObject,
  any
>;

/** What a command with an id is answered with, emitted in the macrostep of the command. */
export type Reply =
  | { readonly type: "accepted"; readonly id: string }
  | ({ readonly type: "refused"; readonly id: string } & Refusal);

/** The chart as an XState machine. Its services and actions may also be filled with `machine.provide`, which makes another one. */
export function machineOf<Context extends object>(
  resolver: Resolver<Context>,
  actors: Slots,
  actions: Actions<Context> = {},
): ChartMachine<Context> {
  const { chart } = resolver;
  const known = new WeakMap<
    object,
    { readonly context: Context; readonly from: string; readonly step: Step<Context> | undefined }
  >();

  const base = setup({
    types: {
      context: {} as Context,
      events: {} as Event,
      input: {} as Context,
      emitted: {} as Reply,
    },
    actors,
    actions: {
      stepTaken: actions.stepTaken ?? (() => {}),
      perform: actions.perform ?? (() => {}),
    },
  });

  /** Asks the resolver. The innermost state is the first that XState asks, and knows where the session is. */
  const resolve =
    (from: string) =>
    ({ context, event }: Scope): false => {
      const found = known.get(event);
      if (found?.context === context && found?.from === from) return false; // XState may ask more than once
      const step = resolver.next(from, context as Context, event);
      known.set(event, { context: context as Context, from, step });
      return false;
    };

  const stepOf = ({ context, event }: Scope): Step<Context> | undefined => {
    const found = known.get(event);
    return found?.context === context ? found?.step : undefined;
  };

  const take = enqueueActions(({ context, event, enqueue, self }) => {
    const { from, step } = known.get(event) as unknown as StepTaken<Context>;
    known.delete(event); // what an entry holds would outlive the collections of young objects
    const queue = enqueue as unknown as Queue;
    const isBatch = startsMany(step.effects);
    if (isBatch) enqueue.assign((({ spawn }: Spawning) => spawned(step, spawn)) as never);
    else if (step.context !== context) enqueue.assign((() => step.context) as never);
    const isUnseen = actions.isUnseen?.(self) ?? false;
    for (const effect of step.effects)
      if (!(isBatch && effect.type === "spawn") && !(isUnseen && isForgotten(effect, self)))
        enqueueEffect(queue, effect);
    queue({ type: "stepTaken", params: { event, from, step } });
    const { id } = event as Event;
    if (id !== undefined)
      queue.emit(step.refused ? { type: "refused", id, ...step.refused } : { type: "accepted", id });
  });

  /** The effects of the first states; their updates are in the first context. */
  const begin = enqueueActions(({ event, enqueue }) => {
    const { input } = event as unknown as { readonly input: Context };
    for (const effect of resolver.begin(input).effects) enqueueEffect(enqueue as unknown as Queue, effect);
  });

  const movesFrom = possibleMoves(resolver);

  /** The transitions of a state: those that leave it and stay within its parent, and of an innermost state those that stay. */
  function transitionsOf(node: Node<Context>, descriptor: string): readonly object[] {
    const isInnermost = innerStates(resolver, node).length === 0;
    const moves = leavesOf(resolver, node).flatMap((leaf) => movesFrom(leaf, descriptor));
    const targets = new Set(
      moves.filter(({ within }) => within === node.parent?.path).map(({ target }) => target),
    );
    const leaving = [...targets].map((target) => ({
      guard: (scope: Scope) => {
        const move = stepOf(scope)?.move;
        return move?.target === target && move.within === node.parent?.path;
      },
      target: `#${chart.id}.${target}`,
      reenter: true,
      actions: take,
    }));
    if (!isInnermost) return leaving;
    const staying = {
      guard: (scope: Scope) => stepOf(scope)?.move === undefined && stepOf(scope) !== undefined,
      actions: take,
    };
    return [{ guard: resolve(node.path) }, staying, ...leaving];
  }

  function configOf(node: Node<Context>): object {
    const inner = innerStates(resolver, node);
    // an innermost state resolves every event, so that no other state finds what the same event has led to before
    const all = inner.length === 0 ? ["*"] : [];
    const events = new Set([...leavesOf(resolver, node).flatMap(descriptorsOf), ...all]);
    const on = [...events].map((event) => [event, transitionsOf(node, event)] as const);
    return {
      description: node.description,
      ...(node.services.length > 0 && {
        invoke: node.services.map(({ src, id, input }) => ({
          src,
          id,
          input: ({ context }: { readonly context: Context }) => input(context),
        })),
      }),
      ...(node.parent && { on: Object.fromEntries(on.filter(([, transitions]) => transitions.length > 0)) }),
      ...(inner.length > 0 && {
        // moves lead to innermost states, so only that of the first states is ever entered
        initial: (inner.find(({ id }) => id === node.initial) ?? inner[0]!).key,
        states: Object.fromEntries(inner.map((child) => [child.key, configOf(child)])),
      }),
    };
  }

  return base.createMachine({
    id: chart.id,
    meta: { chart: drawingOf(resolver) },
    context: ({ input }: { readonly input: Context }) => resolver.begin(input).context,
    entry: begin,
    ...configOf(resolver.node("")),
  } as never) as unknown as ChartMachine<Context>;
}

type Scope = { readonly context: unknown; readonly event: Event };

/** A step that was taken, with the state from which. */
export type StepTaken<Context> = {
  readonly event: Event;
  readonly from: string;
  readonly step: Step<Context>;
};

function enqueueEffect(queue: Queue, effect: Effect): void {
  if (effect.type === "spawn") queue.spawnChild(effect.src, { id: effect.id, input: effect.input });
  else if (effect.type === "stop") queue.stopChild(effect.id);
  else queue({ type: "perform", params: effect });
}

type Children = { [id: string]: AnyActorRef | undefined };

/** Forgets a service that is to be stopped and has ended by itself: there is nothing to stop. XState's action would copy all other
 *  children, so that the results of n services at once would cost n². This changes the newest snapshot, which nobody else may have. */
function isForgotten(effect: Effect, self: AnyActorRef): boolean {
  if (effect.type !== "stop") return false;
  const { children } = self.getSnapshot() as { readonly children: Children };
  const child = children[effect.id];
  if (!child || child.getSnapshot().status === "active") return false;
  delete children[effect.id];
  return true;
}

/** True for several services that start where none is stopped, whose id one of them might have. */
function startsMany(effects: readonly Effect[]): boolean {
  const spawns = effects.filter(({ type }) => type === "spawn").length;
  return spawns > 1 && effects.every(({ type }) => type !== "stop");
}

type Spawning = { readonly spawn: (src: string, options: object) => unknown };

/** Starts many services in one assignment: a snapshot for each would copy the others as often. */
function spawned<Context>({ context, effects }: Step<Context>, spawn: Spawning["spawn"]): Context {
  for (const effect of effects)
    if (effect.type === "spawn") spawn(effect.src, { id: effect.id, input: effect.input });
  return context;
}

type Queue = {
  (action: object): void;
  spawnChild(src: string, options: object): void;
  stopChild(id: string): void;
  emit(event: object): void;
};

function innerStates<Context extends object>(
  resolver: Resolver<Context>,
  node: Node<Context>,
): readonly Node<Context>[] {
  return node.children.map((id) => resolver.nodes.get(id)!).filter(({ kind }) => kind === "state");
}

/** The innermost states in a state. */
function leavesOf<Context extends object>(
  resolver: Resolver<Context>,
  node: Node<Context>,
): readonly Node<Context>[] {
  const inner = innerStates(resolver, node);
  return inner.length === 0 ? [node] : inner.flatMap((child) => leavesOf(resolver, child));
}

/** Every event descriptor that a state or one of those around it has. */
function descriptorsOf<Context>(node: Node<Context>): readonly string[] {
  const around = node.parent ? descriptorsOf(node.parent) : [];
  return [...node.on.keys(), ...around];
}

/** Returns a function that gives every move that an event of a descriptor may lead to from an innermost state. It works each way
 *  out once: a process makes the machine before its first answer. */
function possibleMoves<Context extends object>({
  nodes,
}: Resolver<Context>): (leaf: Node<Context>, descriptor: string) => readonly Move[] {
  type Way = readonly Transition[];
  const ways = new Map<string, readonly Move[]>();
  const known = new Map<Node<Context>, Map<Way, readonly Move[]>>();

  /** The moves to a node through initial states and decisions. */
  const movesTo = (first: Node<Context>, common: Node<Context>): readonly Move[] => {
    const moves: Move[] = [];
    const seen = new Set<string>();
    const settle = (at: Node<Context>, within: Node<Context>): void => {
      const key = `${at.id} ${within.id}`;
      if (seen.has(key)) return;
      seen.add(key);
      if (at.initial !== undefined) settle(nodes.get(at.initial)!, within);
      else if (at.kind === "state") moves.push({ target: at.path, within: within.path });
      else
        for (const { target } of edgesOf(at.decide)) {
          const next = nodes.get(target!)!;
          const around = commonParent(at, next);
          settle(next, contains(around, within) ? around : within);
        }
    };
    settle(first, common);
    return moves;
  };

  const movesBy = (leaf: Node<Context>, transitions: Way): readonly Move[] =>
    edgesOf(transitions).flatMap(({ target, reenter }) => {
      const first = target === undefined ? undefined : nodes.get(target)!;
      if (!first || (first === leaf && !reenter)) return [];
      const common = commonParent(leaf, first);
      return kept(ways, `${first.id} ${common.id}`, () => movesTo(first, common));
    });

  return (leaf, descriptor) => {
    const own = kept(known, leaf, () => new Map<Way, readonly Move[]>());
    const moves: Move[] = [];
    for (let node: Node<Context> | undefined = leaf; node; node = node.parent) {
      const exact = node.on.get(descriptor);
      const wider = node.wildcards.filter((each) => each !== descriptor && matches(each, descriptor));
      const around = node.on;
      const all = [...(exact ? [exact] : []), ...wider.map((each) => around.get(each)!)];
      for (const transitions of all) moves.push(...kept(own, transitions, () => movesBy(leaf, transitions)));
    }
    return moves;
  };
}

/** What a map has for a key; made if it has nothing. */
function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
