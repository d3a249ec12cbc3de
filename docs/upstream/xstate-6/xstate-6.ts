import {
  createAsyncLogic,
  initialTransition as begin,
  isMachineSnapshot,
  StateMachine,
  transition as next,
  type AnyActorLogic,
  type AnyActorRef,
  type AsyncActorLogic,
  type MetaObject,
  type StateValue,
} from "xstate-6";
import type { ChartDefinition, Effect } from "../../../machines/chart/definition.ts";
import type { Node } from "../../../machines/chart/nodes.ts";
import { opened, sealed, type Persistence } from "../../../machines/chart/persisted.ts";
import { Resolver, type Step } from "../../../machines/chart/resolve.ts";
import { AgentError, messageOf } from "../../../src/core/base/error.ts";
import { nearestName } from "../../../src/core/base/nearest-name.ts";
import { actionOf } from "./as-xstate-5.ts";

/**
 * What machines/chart/xstate-5.ts and accelerator.ts are, for XState 6.
 *
 * Y1 Each innermost state has one transition function, for `*`. It asks the resolver, and returns the target and the context of
 *    its step. All effects of the step, services that start and stop among them, are enqueued in its order.
 * Y2 XState calls a function once to see whether it applies and once more for its effects. The resolver is asked once.
 * Y3 Guards that are provided take the places of those of the vocabulary, so the resolver asks them. An update cannot be provided:
 *    XState 6 has no `assign`.
 */
type Event = { readonly type: string; readonly id?: string; readonly by?: string; readonly actorId?: string };

export function slot<Output, Input>(name: string): AsyncActorLogic<Output, Input> {
  return createAsyncLogic<Output, Input>({
    run: () => {
      throw new AgentError(
        "config/no-slot",
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
  isUnshared(self: AnyActorRef): boolean;
  stepTaken(self: AnyActorRef, taken: StepTaken<Context>): void;
};

export type Options<Context> = {
  readonly persistence?: Persistence<Context>;
  readonly perform?: Host<HostEffect>;
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

/** What a machine is made of. */
type Made<Context extends object> = Options<Context> & {
  readonly resolver: Resolver<Context>;
  readonly actors: Actors;
  readonly delays?: object;
  readonly host?: StepHost<Context>;
};
type Implementation = (...args: unknown[]) => unknown;
type Provided = {
  readonly [part in "guards" | "actions" | "actors" | "delays"]?: { readonly [name: string]: unknown };
};

/** The configuration of a chart. */
function configOf<Context extends object>({
  resolver,
  actors,
  delays,
  perform: performed,
  host,
}: Made<Context>) {
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
    if (host) enqueue(scope.actions.stepTaken, scope, { event: named(scope.event), from, step });
    else if (step.refused) return undefined;
    return {
      ...(step.context !== scope.context && { context: step.context }),
      ...(step.path !== from && { target: `#${chart.id}.${step.path}` }),
    };
  };

  function stateOf(node: Node<Context>): object {
    const inner = node.children.map((id) => resolver.nodes.get(id)!).filter(({ kind }) => kind === "state");
    const { path, description, initial } = node;
    if (inner.length === 0) return { description, on: { "*": transitionOf(path) } };
    return {
      description,
      initial: (inner.find(({ id }) => id === initial) ?? inner[0]!).key,
      states: Object.fromEntries(inner.map((child) => [child.key, stateOf(child)])),
    };
  }

  return {
    id: chart.id,
    actors, // no version: it stands in what is persisted, and XState 6 would ask it of snapshots in memory, too
    delays,
    // XState 6 names effects after these functions
    actions: {
      stepTaken: ({ self }: { readonly self: AnyActorRef }, taken: StepTaken<Context>) =>
        host?.stepTaken(self, taken),
      perform: (scope: { readonly self: AnyActorRef }, effect: HostEffect) => performed?.(scope, effect),
    },
    context: ({ input = chart.context() }: { readonly input?: Context }) => resolver.begin(input).context,
    // the effects of the first states; their updates are in the first context
    entry: (scope: Scope<Context> & { readonly event: { readonly input?: Context } }, enqueue: Enqueue) =>
      perform(resolver.begin(scope.event.input ?? chart.context()).effects, scope, enqueue),
    ...stateOf(resolver.node("")),
  };
}

/** The machine of a chart. */
export class EmittedMachine<Context extends object> extends StateMachine<
  any,
  any,
  any,
  any,
  any,
  any,
  any,
  any,
  any,
  any,
  any,
  any,
  any,
  any
> {
  readonly made: Made<Context>;

  constructor(made: Made<Context>) {
    super(configOf(made) as never);
    this.made = made;
  }

  get implementations(): object {
    return this.sources;
  }

  override provide({ guards = {}, actions = {}, actors = {}, delays = {} }: Provided): this {
    const { resolver } = this.made;
    const { chart } = resolver;
    const { vocabulary } = chart;
    this.#check("guards", guards, vocabulary.guards);
    this.#check("actions", actions, { ...vocabulary.updates, ...vocabulary.effects, perform: true });
    this.#check("actors", actors, this.made.actors);
    const { perform: performed, ...others } = actions;
    const [update] = Object.keys(others);
    if (update)
      throw new AgentError(
        "config/invalid",
        `provide: XState 6 has no assign(), so '${update}' cannot be provided.`,
      );
    const judges = Object.fromEntries(
      Object.entries(guards).map(([name, guard]) => [name, this.#judgeOf(name, guard as Implementation)]),
    );
    const own = { ...vocabulary, guards: { ...vocabulary.guards, ...judges } };
    const given = {
      ...this.made,
      ...(Object.keys(guards).length > 0 && {
        resolver: new Resolver<Context>({ ...chart, vocabulary: own } as ChartDefinition<Context>),
      }),
      ...(performed !== undefined && { perform: this.#performing(performed as Implementation) }),
      actors: { ...this.made.actors, ...actors } as Actors,
      delays: { ...this.made.delays, ...delays },
    };
    return new EmittedMachine(given) as this;
  }

  #check(part: string, given: object, known: object): void {
    const unknown = Object.keys(given).find((each) => !Object.hasOwn(known, each));
    if (unknown === undefined) return;
    const near = nearestName(unknown, Object.keys(known));
    const hint = near === undefined ? "" : `; did you mean '${near}'?`;
    throw new AgentError(
      "config/invalid",
      `provide: the chart '${this.id}' has no '${unknown}' among its ${part}${hint}`,
    );
  }

  #failed(event: Event, what: string, error: unknown): AgentError {
    return new AgentError(
      "config/invalid",
      `What was provided to the chart '${this.id}' failed on the event '${event.type}': ${what}:\n${messageOf(error)}`,
      { cause: error },
    );
  }

  #judgeOf(name: string, guard: Implementation) {
    return (context: Context, event: Event, params: unknown): boolean => {
      let held: unknown;
      try {
        held = guard({ context, event }, params);
      } catch (error) {
        throw this.#failed(event, `guard '${name}'`, error);
      }
      if (typeof held === "boolean") return held;
      throw new AgentError(
        "config/invalid",
        `The provided guard '${name}' returned ${String(held)}; expected true or false.`,
      );
    };
  }

  #performing(given: Implementation): Host<HostEffect> {
    return (scope, effect) => {
      try {
        given(scope, effect);
      } catch (error) {
        throw this.#failed((scope as unknown as Scope<Context>).event, "action 'perform'", error);
      }
    };
  }

  override getPersistedSnapshot(snapshot: any, options?: any): any {
    const { persistence } = this.made;
    if (!persistence) return super.getPersistedSnapshot(snapshot, options);
    const context = persistence.write(snapshot.context as Context);
    const persisted = super.getPersistedSnapshot({ ...snapshot, context }, options);
    return sealed({ ...persisted, chart: this.id, version: persistence.version });
  }

  override restoreSnapshot(snapshot: any, scope: any): any {
    const { persistence, resolver, actors } = this.made;
    const isLive = isMachineSnapshot(snapshot) && typeof snapshot.machine?.transition === "function";
    if (!persistence || isLive) return super.restoreSnapshot(snapshot, scope);
    const { version: _, ...restored } = opened(snapshot, resolver, persistence, actors) as any;
    return super.restoreSnapshot(restored, scope);
  }
}

/** What a machine is made of, if it is one of a chart. */
export const madeOf = (machine: object): Made<any> | undefined =>
  machine instanceof EmittedMachine ? machine.made : undefined;

export function machineOf<Context extends object>(
  resolver: Resolver<Context>,
  actors: Actors,
  options: Options<Context> = {},
  host?: StepHost<Context>,
): ChartMachine<Context> {
  for (const { id, services } of resolver.nodes.values()) {
    const unknown = services.find(({ src }) => !Object.hasOwn(actors, src));
    if (unknown)
      throw new AgentError(
        "config/invalid",
        `The chart '${resolver.chart.id}' is invalid: ${id} invokes the unknown service '${unknown.src}'.`,
      );
  }
  return new EmittedMachine({
    ...options,
    resolver,
    actors,
    ...(host && { host }),
  }) as unknown as ChartMachine<Context>;
}

function perform<Context>(effects: readonly Effect[], scope: Scope<Context>, enqueue: Enqueue): void {
  const children = new Map(Object.entries(scope.children));
  for (const effect of effects) {
    if (effect.type === "spawn") {
      const former = children.get(effect.id);
      const logic = scope.actors[effect.src];
      if (!logic) throw new AgentError("config/no-slot", `The machine has no service '${effect.src}'.`);
      if (former) enqueue.stop(former); // XState 6 throws for an id in use; XState 5 lets the former child run on
      children.set(effect.id, enqueue.spawn(logic, { id: effect.id, input: effect.input }));
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
