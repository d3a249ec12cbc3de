import {
  and,
  fromPromise,
  isMachineSnapshot,
  StateMachine,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type PromiseActorLogic,
  type Snapshot,
} from "xstate";
import { AgentError, configError, messageOf } from "../../src/core/base/error.ts";
import { nearestName } from "../../src/core/base/nearest-name.ts";
import { isEmpty } from "../../src/core/base/json.ts";
import type { ChartMachine, Names, Slots } from "./machine-type.ts";
import type { Named, Node, Transition } from "./nodes.ts";
import { opened, sealed, type Persistence } from "./persisted.ts";
import { MAX_MICROSTEPS, type Resolver } from "./resolve.ts";
import {
  AFTER,
  implementationsOf,
  refOf,
  typeOf,
  type Implementations,
  type Made,
  type Params,
  type Provided,
  type Ref,
} from "./xstate-5-implementations.ts";

/**
 * Makes an XState 5 machine of a chart: the configuration here, what its names mean in `xstate-5-implementations.ts`.
 *
 * X1 Each state of the chart is a state of the machine, each decision a state with `always` and the tag `decision`, and each branch
 *    one transition, with its guard and its actions by their names in the vocabulary. A refusal is a forbidden transition.
 * X2 XState's own interpreter decides. What is overridden keeps what XState would lose or let pass: what `provide` does not know,
 *    and a context that JSON cannot hold.
 * X3 The accelerator (`accelerator.ts`) takes a step where guards and actions are the chart's own and nobody outside has the actor;
 *    else XState interprets.
 * X4 What the accelerator makes of an event is what XState's unmodified machine makes of it: state, context, actions in order,
 *    services that are started and stopped, what is emitted, and errors, for which XState is asked.
 */

/** A service to be filled by `machine.provide`. An empty slot fails the run and names itself. */
export function slot<Output, Input>(name: string): PromiseActorLogic<Output, Input> {
  return fromPromise<Output, Input>(() => {
    throw new AgentError(
      "config/no-slot",
      `The service "${name}" is an empty slot: fill it with agentMachine.provide({ actors: { ${name} } }).`,
    );
  });
}

/** Guards on the way to a branch, each with the actions before it. */
type Condition = { readonly guard: Named; readonly after: readonly Named[] };

/** The name of a guard with the values of its parameters, as "endsIn(stopped.onError, onError)". */
function withParams({ name, params }: Named): string {
  return params === undefined ? name : `${name}(${Object.values(params).join(", ")})`;
}

/** Makes the configuration of a chart. Every name in it is one of the chart's vocabulary, or joins some of them. */
function emit<Context extends object>(
  { chart, nodes }: Resolver<Context>,
  version: string | undefined,
): Pick<Made<Context>, "config" | "joined"> {
  const { updates } = chart.vocabulary;
  const joined = new Map<string, { readonly key: string; readonly guard: unknown }>();

  /** A guard sees what the updates before it have made; effects do not concern it. */
  const guardRef = ({ guard, after }: Condition): Ref => {
    const before = after.filter(({ name }) => Object.hasOwn(updates, name)).map(refOf);
    if (before.length === 0) return refOf(guard);
    return { type: guard.name, params: { ...guard.params, [AFTER]: before as never } };
  };

  /** One guard for several, under their names, which say more where others have the same names. */
  const joinedGuard = (conditions: readonly Condition[]): Ref => {
    const refs = conditions.map(guardRef);
    const key = JSON.stringify(refs);
    const names = refs.map(typeOf).join(" && ");
    const full = conditions.map(({ guard }) => withParams(guard)).join(" && ");
    const after = conditions
      .at(-1)!
      .after.map(({ name }) => name)
      .join(", ");
    const type = [names, full, `${names} after ${after}`, `${full} after ${after}`, key].find(
      (each) => (joined.get(each)?.key ?? key) === key,
    )!;
    joined.set(type, { key, guard: and(refs as never) });
    const params = Object.assign({}, ...conditions.map(({ guard }) => guard.params)) as Params;
    return isEmpty(params) ? type : { type, params }; // for readers: the guards have their own
  };

  /** The transitions of a branch: itself, or the branches that it chooses from. */
  const transitionsOf = (
    { guard, actions, target, choose, refuse, reenter }: Transition,
    conditions: readonly Condition[] = [],
    before: readonly Named[] = [],
  ): readonly object[] => {
    const all = guard ? [...conditions, { guard, after: before }] : conditions;
    const ran = [...before, ...actions];
    if (choose.length > 0) return choose.flatMap((branch) => transitionsOf(branch, all, ran));
    const edge = {
      ...(all.length > 0 && { guard: all.length === 1 ? guardRef(all[0]!) : joinedGuard(all) }),
      ...(target !== undefined && { target: `#${target}` }),
      ...(reenter && { reenter }),
      ...(ran.length > 0 && { actions: ran.map(refOf) }),
    };
    return [refuse === undefined ? edge : { ...edge, description: `Refused: ${refuse}.`, meta: { refuse } }];
  };
  const list = (transitions: readonly Transition[]) =>
    transitions.flatMap((transition) => transitionsOf(transition));

  const configOf = (node: Node<Context>): object => {
    const { entry, exit, description, services, children, kind } = node;
    const actions = {
      ...(entry.length > 0 && { entry: entry.map(refOf) }),
      ...(exit.length > 0 && { exit: exit.map(refOf) }),
    };
    if (kind === "decision")
      return { description, tags: ["decision"], ...actions, always: list(node.decide) };
    const on = new Map<string, readonly Transition[]>(node.on);
    const take = (type: string): readonly object[] | undefined => {
      const transitions = on.get(type);
      on.delete(type);
      return transitions && list(transitions);
    };
    const invoke = services.map(({ src, id, input }) => {
      const [onDone, onError] = [take(`xstate.done.actor.${id}`), take(`xstate.error.actor.${id}`)];
      return {
        src,
        id,
        input: ({ context }: { readonly context: Context }) => input(context),
        ...(onDone && { onDone }),
        ...(onError && { onError }),
      };
    });
    return {
      description,
      ...actions,
      ...(invoke.length > 0 && { invoke }),
      ...(on.size > 0 && { on: Object.fromEntries([...on].map(([type, each]) => [type, list(each)])) }),
      ...(children.length > 0 && {
        initial: nodes.get(node.initial!)!.key,
        states: Object.fromEntries(
          children.map((id) => [nodes.get(id)!.key, configOf(nodes.get(id)!)] as const),
        ),
      }),
    };
  };

  const config = {
    id: chart.id,
    ...(version !== undefined && { version }),
    options: { maxIterations: MAX_MICROSTEPS },
    context: ({ input }: { readonly input?: Context }) => input ?? chart.context(),
    ...configOf(nodes.get(chart.id)!),
  };
  return {
    config,
    joined: Object.fromEntries([...joined].map(([name, { guard }]) => [name, guard])),
  };
}

/** Returns the parts of which a machine is made, from a chart. Throws `config/invalid` for a chart with a service that has no slot. */
export function madeOf<Context extends object>(
  resolver: Resolver<Context>,
  actors: Implementations,
  { persistence, perform = () => {} }: Options<Context> = {},
): Made<Context> {
  for (const { id, services } of resolver.nodes.values()) {
    const unknown = services.find(({ src }) => !Object.hasOwn(actors, src));
    if (unknown)
      throw configError(
        `The chart '${resolver.chart.id}' is invalid: ${id} invokes the unknown service '${unknown.src}'.`,
      );
  }
  return { resolver, ...emit(resolver, persistence?.version), persistence, actors, perform };
}

/** The options with which the machine of a chart is made. */
export type Options<Context> = {
  /** The form in which its context is persisted. Default: as XState does it. */
  readonly persistence?: Persistence<Context>;
  /** Performs the effects that are the host's. Default: nothing. */
  readonly perform?: unknown;
};

const NOTHING: Required<Provided> = { guards: {}, actions: {}, actors: {}, delays: {} };

/** A plain XState machine of a chart. */
// Any types: those of XState are derived from a configuration. `ChartMachine` says what they are.
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
  protected readonly made: Made<Context>;
  readonly #provided: Required<Provided>;

  constructor(made: Made<Context>, provided = NOTHING) {
    super(made.config as never, implementationsOf(made, provided) as never);
    this.made = made;
    this.#provided = provided;
  }

  /** Throws `config/invalid` for a guard, an action or an actor that the chart does not have. */
  override provide(given: Provided): this {
    return new EmittedMachine(this.made, this.merged(given)) as this;
  }

  protected merged(given: Provided): Required<Provided> {
    const { guards, actions, actors } = this.implementations;
    const known = { guards, actions, actors };
    const part = (name: keyof Provided): Implementations => {
      const unknown =
        name !== "delays" && Object.keys(given[name] ?? {}).find((each) => !Object.hasOwn(known[name], each));
      if (unknown) {
        const near = nearestName(unknown, Object.keys(known[name]));
        const hint = near === undefined ? "" : `; did you mean '${near}'?`;
        throw configError(`provide: the chart '${this.id}' has no '${unknown}' among its ${name}${hint}`);
      }
      return { ...this.#provided[name], ...given[name] };
    };
    return {
      guards: part("guards"),
      actions: part("actions"),
      actors: part("actors"),
      delays: part("delays"),
    };
  }

  override transition(
    snapshot: AnyMachineSnapshot,
    event: { readonly type: string },
    scope: AnyActorScope,
  ): AnyMachineSnapshot {
    const { guards, actions } = this.#provided;
    if (isEmpty(guards) && isEmpty(actions)) return super.transition(snapshot, event, scope);
    try {
      return super.transition(snapshot, event, scope);
    } catch (error) {
      throw configError(
        `What was provided to the chart '${this.id}' failed on the event '${event.type}': ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /** Returns plain JSON with the whole context. */
  override getPersistedSnapshot(snapshot: AnyMachineSnapshot, options?: unknown): Snapshot<unknown> {
    const { persistence } = this.made;
    if (!persistence) return super.getPersistedSnapshot(snapshot as never, options);
    const context = persistence.write(snapshot.context as Context);
    const persisted = super.getPersistedSnapshot({ ...snapshot, context } as never, options);
    return sealed({ ...persisted, chart: this.id, version: persistence.version });
  }

  /** Throws `session/damaged` for what is not a snapshot of this machine, and `session/version` for one of another release. */
  override restoreSnapshot(snapshot: Snapshot<unknown>, scope: AnyActorScope): AnyMachineSnapshot {
    const { persistence, resolver } = this.made;
    const isLive = isMachineSnapshot(snapshot) && typeof snapshot.machine === "object";
    const restored =
      persistence && !isLive ? opened(snapshot, resolver, persistence, this.made.actors) : snapshot;
    return super.restoreSnapshot(restored as never, scope as never);
  }
}

/** The chart as a plain XState machine, whose services, guards and actions may be replaced with `provide`. */
export function machineOf<
  Context extends object,
  Command extends { readonly type: string },
  N extends Names,
  S extends Slots,
>(
  resolver: Resolver<Context>,
  actors: S,
  options: Options<Context> = {},
): ChartMachine<Context, Command, N, S> {
  const made = madeOf(resolver, actors as Implementations, options);
  return new EmittedMachine(made) as unknown as ChartMachine<Context, Command, N, S>;
}
