import {
  createAsyncLogic,
  createMachine,
  type AnyActorLogic,
  type AnyActorRef,
  type AsyncActorLogic,
  type MetaObject,
  type StateMachine,
  type StateValue,
} from "xstate-6";
import type { Effect, Refusal } from "../../../machines/chart/definition.ts";
import { drawingOf } from "../../../machines/chart/drawing.ts";
import type { Node } from "../../../machines/chart/nodes.ts";
import type { Resolver, Step } from "../../../machines/chart/resolve.ts";

/**
 * What machines/chart/xstate-5.ts is, for XState 6.
 *
 * Y1 Each state has one transition function, for `*`. It asks the resolver, and returns the target and the context of its step.
 * Y2 A step belongs to the outermost state that is left; the functions of the other states return nothing for it, so that
 *    XState leaves the same states as the resolver.
 * Y3 XState calls a function once to see whether it applies and once more for its effects. The resolver is asked once.
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

export type Reply =
  | { readonly type: "accepted"; readonly id: string }
  | ({ readonly type: "refused"; readonly id: string } & Refusal);

export type StepTaken<Context> = {
  readonly event: Event;
  readonly from: string;
  readonly step: Step<Context>;
};

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
  Reply,
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
  emit(reply: Reply): void;
};

export function machineOf<Context extends object>(
  resolver: Resolver<Context>,
  actors: Actors,
  { isUnseen: _, ...actions }: Partial<Actions<Context>> & { readonly isUnseen?: unknown } = {},
): ChartMachine<Context> {
  const { chart } = resolver;
  const known = new WeakMap<
    object,
    { readonly context: Context; readonly from: string; readonly step: Step<Context> | undefined }
  >();

  /** Asks the resolver what an event leads to from an innermost state; the states around it find the answer. */
  function stepOf(from: string | undefined, { context, event }: Scope<Context>) {
    const found = known.get(event);
    if (found?.context === context && (from === undefined || found.from === from)) return found;
    if (from === undefined) return undefined;
    const asked = { context, from, step: resolver.next(from, context, named(event)) };
    known.set(event, asked);
    return asked;
  }

  function transitionOf(node: Node<Context>) {
    const from = innerStates(resolver, node).length === 0 ? node.path : undefined;
    return (scope: Scope<Context>, enqueue: Enqueue) => {
      const found = stepOf(from, scope);
      const step = found?.step;
      if (!found || !step) return undefined;
      const owner = step.move === undefined ? found.from : ownerOf(found.from, step.move.within);
      if (owner !== node.path) return undefined;
      perform(step.effects, scope, enqueue);
      enqueue(scope.actions.stepTaken, scope, { event: named(scope.event), from: found.from, step });
      const { id } = scope.event;
      if (id !== undefined)
        enqueue.emit(step.refused ? { type: "refused", id, ...step.refused } : { type: "accepted", id });
      return {
        ...(step.context !== scope.context && { context: step.context }),
        ...(step.move && { target: `#${chart.id}.${step.move.target}`, reenter: true }),
      };
    };
  }

  function configOf(node: Node<Context>): object {
    const inner = innerStates(resolver, node);
    return {
      description: node.description,
      ...(node.services.length > 0 && {
        invoke: node.services.map(({ src, id, input }) => ({
          src,
          id,
          input: ({ context }: Scope<Context>) => input(context),
        })),
      }),
      ...(node.parent && { on: { "*": transitionOf(node) } }),
      ...(inner.length > 0 && {
        initial: (inner.find(({ id }) => id === node.initial) ?? inner[0]!).key,
        states: Object.fromEntries(inner.map((child) => [child.key, configOf(child)])),
      }),
    };
  }

  return createMachine({
    id: chart.id,
    actors,
    actions: { stepTaken: () => {}, perform: () => {}, ...actions }, // XState 6 names effects after these functions
    meta: { chart: drawingOf(resolver) },
    context: ({ input }: { readonly input: Context }) => resolver.begin(input).context,
    // the effects of the first states; their updates are in the first context
    entry: (scope: Scope<Context> & { readonly event: { readonly input: Context } }, enqueue: Enqueue) =>
      perform(resolver.begin(scope.event.input).effects, scope, enqueue),
    ...configOf(resolver.node("")),
  } as never) as unknown as ChartMachine<Context>;
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

/** The state in `within` that holds the state `from`. */
function ownerOf(from: string, within: string): string {
  const depth = within === "" ? 0 : within.split(".").length;
  return from
    .split(".")
    .slice(0, depth + 1)
    .join(".");
}

function innerStates<Context extends object>(
  resolver: Resolver<Context>,
  node: Node<Context>,
): readonly Node<Context>[] {
  return node.children.map((id) => resolver.nodes.get(id)!).filter(({ kind }) => kind === "state");
}
