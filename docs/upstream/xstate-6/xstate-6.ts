import {
  createAsyncLogic,
  createMachine,
  initialTransition as begin,
  transition as next,
  type AnyActorLogic,
  type AnyActorRef,
  type AsyncActorLogic,
  type MetaObject,
  type StateMachine,
  type StateValue,
} from "xstate-6";
import type { Effect } from "../../../machines/chart/definition.ts";
import type { Node } from "../../../machines/chart/nodes.ts";
import type { Resolver, Step } from "../../../machines/chart/resolve.ts";
import { actionOf } from "./as-xstate-5.ts";

/**
 * What machines/chart/xstate-5.ts and accelerator.ts are, for XState 6.
 *
 * Y1 Each innermost state has one transition function, for `*`. It asks the resolver, and returns the target and the context of
 *    its step. All effects of the step, services that start and stop among them, are enqueued in its order.
 * Y2 XState calls a function once to see whether it applies and once more for its effects. The resolver is asked once.
 */
type Event = { readonly type: string; readonly id?: string; readonly by?: string; readonly actorId?: string };

export function slot<Output, Input>(name: string): AsyncActorLogic<Output, Input> {
  return createAsyncLogic<Output, Input>({
    run: () => {
      throw new Error(
        `The service "${name}" is an empty slot: fill it with agentMachine.provide({ actors: { ${name} } }).`,
      );
    },
  });
}

export type StepTaken<Context> = {
  readonly event: Event;
  readonly from: string;
  readonly step: Step<Context>;
};

export type StepHost<Context> = {
  isUnseen(self: AnyActorRef): boolean;
  stepTaken(self: AnyActorRef, taken: StepTaken<Context>): void;
};

export type Options<_Context> = { readonly persistence?: object; readonly perform?: Host<HostEffect> };

type Host<Params> = (scope: { readonly self: AnyActorRef }, params: Params) => void;
type HostEffect = Extract<Effect, { readonly type: "host" }>;
type Actions<Context> = { readonly stepTaken: Host<StepTaken<Context>>; readonly perform: Host<HostEffect> };
type Actors = { readonly [src: string]: AnyActorLogic };

export type ChartMachine<Context extends object> = StateMachine<
  Context,
  Event,
  { readonly [id: string]: AnyActorRef },
  StateValue,
  string,
  Context,
  unknown,
  never,
  MetaObject,
  any,
  Actions<Context>,
  Actors,
  {},
  {}
>;

type Scope<Context> = {
  readonly context: Context;
  readonly event: Event;
  readonly self: AnyActorRef;
  readonly children: { readonly [id: string]: AnyActorRef };
  readonly actions: Actions<Context>;
  readonly actors: Actors;
};
type Enqueue = {
  <Params>(action: Host<Params>, scope: { readonly self: AnyActorRef }, params: Params): void;
  spawn(logic: AnyActorLogic, options: { readonly id: string; readonly input: unknown }): AnyActorRef;
  stop(child?: AnyActorRef): void;
};

type Made = { readonly resolver: Resolver<any>; readonly actors: Actors };
const made = new WeakMap<object, Made>();

/** The chart that a machine is made of. */
export const resolverOf = (machine: object): Made | undefined => made.get(machine);

export function machineOf<Context extends object>(
  resolver: Resolver<Context>,
  actors: Actors,
  { perform: performed = () => {} }: Options<Context> = {},
  host?: StepHost<Context>,
): ChartMachine<Context> {
  const { chart } = resolver;
  const known = new WeakMap<
    object,
    { readonly context: Context; readonly from: string; readonly step: Step<Context> | undefined }
  >();

  /** XState asks once whether a transition applies and once more for its effects. */
  function stepOf(from: string, { context, event }: Scope<Context>) {
    const found = known.get(event);
    if (found?.context === context && found.from === from) return found.step;
    const step = resolver.next(from, context, named(event));
    known.set(event, { context, from, step });
    return step;
  }

  const transitionOf = (from: string) => (scope: Scope<Context>, enqueue: Enqueue) => {
    const step = stepOf(from, scope);
    if (!step) return undefined;
    perform(step.effects, scope, enqueue);
    enqueue(scope.actions.stepTaken, scope, { event: named(scope.event), from, step });
    return {
      ...(step.context !== scope.context && { context: step.context }),
      ...(step.path !== from && { target: `#${chart.id}.${step.path}` }),
    };
  };

  function configOf(node: Node<Context>): object {
    const inner = node.children.map((id) => resolver.nodes.get(id)!).filter(({ kind }) => kind === "state");
    const { path, description, initial } = node;
    if (inner.length === 0) return { description, on: { "*": transitionOf(path) } };
    return {
      description,
      initial: (inner.find(({ id }) => id === initial) ?? inner[0]!).key,
      states: Object.fromEntries(inner.map((child) => [child.key, configOf(child)])),
    };
  }

  const machine = createMachine({
    id: chart.id,
    actors,
    // XState 6 names effects after these functions
    actions: {
      stepTaken: ({ self }: { readonly self: AnyActorRef }, taken: StepTaken<Context>) =>
        host?.stepTaken(self, taken),
      perform: performed,
    },
    context: ({ input = chart.context() }: { readonly input?: Context }) => resolver.begin(input).context,
    // the effects of the first states; their updates are in the first context
    entry: (scope: Scope<Context> & { readonly event: { readonly input?: Context } }, enqueue: Enqueue) =>
      perform(resolver.begin(scope.event.input ?? chart.context()).effects, scope, enqueue),
    ...configOf(resolver.node("")),
  } as never) as unknown as ChartMachine<Context>;
  made.set(machine, { resolver, actors });
  return machine;
}

function perform<Context>(effects: readonly Effect[], scope: Scope<Context>, enqueue: Enqueue): void {
  const children = new Map(Object.entries(scope.children));
  for (const effect of effects) {
    if (effect.type === "spawn") {
      const former = children.get(effect.id);
      if (former) enqueue.stop(former); // XState 6 throws for an id in use; XState 5 lets the former child run on
      children.set(
        effect.id,
        enqueue.spawn(scope.actors[effect.src]!, { id: effect.id, input: effect.input }),
      );
    } else if (effect.type === "stop") {
      enqueue.stop(children.get(effect.id));
      children.delete(effect.id); // XState 6 throws for a child that is stopped already
    } else enqueue(scope.actions.perform, scope, effect);
  }
}

/** XState 6 says in a field of its own which service has ended. */
const named = (event: Event): Event =>
  event.actorId !== undefined && /^xstate\.(done|error)\.actor$/.test(event.type)
    ? { ...event, type: `${event.type}.${event.actorId}` }
    : event;

type Executor = { actionExecutor(action: object): void; readonly self: AnyActorRef };

/** Scopes that our own code makes belong to no session. */
const isOfFive = (scope: unknown): scope is Executor =>
  (scope as { readonly sessionId?: string } | undefined)?.sessionId === "";

/** The machine that tells its host of each step. For an actor scope of XState 5, as that of a session's life, it hands over actions. */
export function acceleratedMachine<Context extends object>(
  resolver: Resolver<Context>,
  actors: Actors,
  host: StepHost<Context>,
  options: Options<Context> = {},
): ChartMachine<Context> {
  const machine = machineOf(resolver, actors, options, host) as any;
  const { transition: step, getInitialSnapshot: first } = machine;
  const handedOver = ({ actionExecutor, self }: Executor, [snapshot, effects]: readonly [unknown, any[]]) => {
    for (const effect of effects)
      if (effect.type === "stepTaken") host.stepTaken(self, effect.args[1]);
      else actionExecutor(actionOf(effect));
    return snapshot;
  };
  return Object.assign(machine, {
    transition: (snapshot: unknown, event: unknown, scope: unknown) =>
      isOfFive(scope)
        ? handedOver(scope, next(machine, snapshot as never, event as never) as never)
        : step.call(machine, snapshot, event, scope),
    getInitialSnapshot: (scope: unknown, input: unknown) =>
      isOfFive(scope) ? handedOver(scope, begin(machine, input) as never) : first.call(machine, scope, input),
  });
}
