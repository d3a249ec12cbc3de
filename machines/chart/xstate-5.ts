import {
  enqueueActions,
  fromPromise,
  type AnyActorRef,
  type MetaObject,
  type NonReducibleUnknown,
  type PromiseActorLogic,
  type ProvidedActor,
  type StateMachine,
  type StateValue,
} from "xstate";
import type { Effect } from "./definition.ts";
import { drawingOf } from "./drawing.ts";
import { possibleMoves } from "./moves.ts";
import type { Node } from "./nodes.ts";
import type { Resolver } from "./resolve.ts";
import {
  enqueueEffects,
  StepMachine,
  type Event,
  type IsUnseen,
  type Reply,
  type StepTaken,
} from "./step-machine.ts";

/**
 * The one module that makes an XState 5 machine of a chart.
 *
 * X1 The machine has the states of the chart. Its decisions are not states of the machine: the resolver goes through them, so
 *    one event is one microstep.
 * X2 The resolver is asked once for each event. The transitions of the machine only show where its steps may lead.
 * X3 A step is taken with one snapshot (`step-machine.ts`): the states, services and actions, in order, are those of XState's own
 *    macrostep.
 */
export type { Reply, StepTaken };

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
  readonly isUnseen?: IsUnseen;
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

/** The chart as an XState machine. Its services and actions may also be filled with `machine.provide`, which makes another one. */
export function machineOf<Context extends object>(
  resolver: Resolver<Context>,
  actors: Slots,
  { isUnseen = () => false, ...actions }: Actions<Context> = {},
): ChartMachine<Context> {
  const { chart } = resolver;

  /** The effects of the first states; their updates are in the first context. */
  const begin = enqueueActions(({ event, enqueue }) => {
    const { input } = event as unknown as { readonly input: Context };
    enqueueEffects(enqueue, resolver.begin(input).effects);
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
      target: `#${chart.id}.${target}`,
      reenter: true,
      actions: "stepTaken",
    }));
    return isInnermost ? [{ actions: "stepTaken" }, ...leaving] : leaving;
  }

  function configOf(node: Node<Context>): object {
    const inner = innerStates(resolver, node);
    const events = new Set(leavesOf(resolver, node).flatMap(descriptorsOf));
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

  const config = {
    id: chart.id,
    meta: { chart: drawingOf(resolver) },
    context: ({ input }: { readonly input: Context }) => resolver.begin(input).context,
    entry: begin,
    ...configOf(resolver.node("")),
  };
  const filled = { actors, actions: { stepTaken: () => {}, perform: () => {}, ...actions } };
  return new StepMachine(resolver, config, filled, isUnseen) as unknown as ChartMachine<Context>;
}

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
