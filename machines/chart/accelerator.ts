import {
  createActor,
  isMachineSnapshot,
  pathToStateValue,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type ExecutableActionObject,
  type Snapshot,
} from "xstate";
import { isEmpty } from "../../src/core/base/json.ts";
import { statePath } from "./nodes.ts";
import type { ChartMachine, Names, Slots } from "./machine-type.ts";
import type { Resolver, Step } from "./resolve.ts";
import { EmittedMachine, madeOf, type Options } from "./xstate-5.ts";
import { noService, type Implementations, type Made } from "./xstate-5-implementations.ts";

/** An event as the machine of a chart takes it. */
export type Event = { readonly type: string; readonly id?: string; readonly by?: string };

/** A step that was taken, with the state from which. */
export type StepTaken<Context> = {
  readonly event: Event;
  readonly from: string;
  readonly step: Step<Context>;
};

/** Who runs a machine. */
export type StepHost<Context> = {
  /** True if nobody outside has the actor or a snapshot of it, so that its steps need not be XState's microsteps. */
  isUnshared(self: AnyActorRef): boolean;
  /** Is told of each step, before the services that it starts begin and before the subscribers of the actor. */
  stepTaken(self: AnyActorRef, taken: StepTaken<Context>): void;
};

/** Events that XState itself answers. */
const INIT = "xstate.init";
const STOP = "xstate.stop";
const OWN = "xstate.";

/**
 * The machine of a chart, which says what each step did. XState works a step out as many small changes and makes a snapshot for
 * each of them; for an actor that nobody looks at, the resolver works it out at once, with one snapshot and the same actions in the
 * same order.
 */
export class AcceleratedMachine<Context extends object> extends EmittedMachine<Context> {
  readonly #resolver: Resolver<Context>;
  readonly #host: StepHost<Context>;
  /** A snapshot of each state by its path, to be filled with the context and the services. */
  readonly #snapshots = new Map<string, AnyMachineSnapshot>();

  constructor(made: Made<Context>, host: StepHost<Context>) {
    super(made);
    this.#resolver = made.resolver;
    this.#host = host;
  }

  override provide(given: Parameters<EmittedMachine<Context>["provide"]>[0]): this {
    const { guards, actions, actors } = this.merged(given);
    if (!isEmpty(guards) || !isEmpty(actions)) return super.provide(given);
    return new AcceleratedMachine(
      { ...this.made, actors: { ...this.made.actors, ...actors } },
      this.#host,
    ) as this;
  }

  override transition(snapshot: AnyMachineSnapshot, event: Event, scope: AnyActorScope): AnyMachineSnapshot {
    const { self } = scope;
    const isStop = event.type === STOP;
    const isUnshared = this.#host.isUnshared(self);
    if (isUnshared && isStop && isEmpty(snapshot.children))
      return { ...snapshot, status: "stopped" } as never;
    if (isStop || event.type === INIT) return super.transition(snapshot, event, scope);
    let taken: StepTaken<Context> | undefined;
    try {
      taken = this.#resolve(snapshot, event);
    } catch (error) {
      super.transition(snapshot, event, scope); // fails with XState's own error
      throw error;
    }
    if (!taken && isUnshared && this.#isNothing(snapshot, event)) return snapshot;
    if (!taken) return super.transition(snapshot, event, scope);
    if (isUnshared) {
      const next = this.#take(snapshot, taken, scope);
      this.#host.stepTaken(self, taken);
      return next;
    }
    const next = super.transition(snapshot, event, scope);
    const step = { ...taken.step, context: next.context as Context };
    this.#host.stepTaken(self, { ...taken, step });
    return next;
  }

  /** A snapshot of this machine is whole if it has no services. XState would walk through all of its context. */
  override restoreSnapshot(snapshot: Snapshot<unknown>, scope: AnyActorScope): AnyMachineSnapshot {
    const isOwn = isMachineSnapshot(snapshot) && snapshot.machine === (this as unknown);
    const isWhole = isOwn && isEmpty(snapshot.children);
    return isWhole ? snapshot : super.restoreSnapshot(snapshot, scope);
  }

  /** As XState does it, but works each state out once. */
  override resolveState(config: Parameters<AnyStateMachine["resolveState"]>[0]): AnyMachineSnapshot {
    const { value, context, ...rest } = config;
    return isEmpty(rest) ? { ...this.#at(statePath(value)), context } : super.resolveState(config);
  }

  /** True if an event without an edge changes nothing. XState asks the decisions of a state again, and an event of its own may be the error of
   *  a service. */
  #isNothing({ value }: AnyMachineSnapshot, { type }: Event): boolean {
    return !type.startsWith(OWN) && this.#resolver.node(statePath(value)).kind !== "decision";
  }

  #resolve({ value, context }: AnyMachineSnapshot, event: Event): StepTaken<Context> | undefined {
    const from = statePath(value);
    const step = this.#resolver.next(from, context as Context, event);
    return step && { event, from, step };
  }

  #take(snapshot: AnyMachineSnapshot, taken: StepTaken<Context>, scope: AnyActorScope): AnyMachineSnapshot {
    const { event, from, step } = taken;
    const { path, context, effects } = step;
    const { actors, actions } = this.implementations;
    const info = { context, event, self: scope.self, system: scope.system };
    const perform: Perform = (type, params, exec) =>
      scope.actionExecutor({ type, params, exec, info } as ExecutableActionObject);
    const before = snapshot.children as Children;
    const services = new Services(before, actors as never, scope, perform);
    for (const effect of effects) {
      if (effect.type === "spawn") services.start(effect);
      else if (effect.type === "stop") services.stop(effect.id);
      else perform("perform", effect, actions["perform"]);
    }
    const { children } = services;
    const place = path === from ? snapshot : this.#at(path);
    const isSame = place === snapshot && context === snapshot.context && children === before;
    return isSame ? snapshot : ({ ...place, context, children } as AnyMachineSnapshot);
  }

  #at(path: string): AnyMachineSnapshot {
    let found = this.#snapshots.get(path);
    if (!found) {
      found = super.resolveState({ value: pathToStateValue(path.split(".")), context: {} });
      this.#snapshots.set(path, found);
    }
    return found;
  }
}

/** The machine of a chart for a host that is told of its steps. */
export function acceleratedMachine<
  Context extends object,
  Command extends { readonly type: string },
  N extends Names,
  S extends Slots,
>(
  resolver: Resolver<Context>,
  actors: S,
  host: StepHost<Context>,
  options: Options<Context> = {},
): ChartMachine<Context, Command, N, S> {
  const made = madeOf(resolver, actors as Implementations, options);
  return new AcceleratedMachine(made, host) as unknown as ChartMachine<Context, Command, N, S>;
}

type Children = { [id: string]: AnyActorRef | undefined };
type Actors = { readonly [src: string]: AnyActorLogic | undefined };
type Perform = (type: string, params: unknown, exec: ExecutableActionObject["exec"]) => void;

/** The services of an actor during a step. They start and stop behind it. */
class Services {
  /** The services after the step so far: the object of before until something changes. */
  children: Children;
  readonly #before: Children;
  readonly #actors: Actors;
  readonly #scope: AnyActorScope;
  readonly #perform: Perform;
  /** Those that the step itself has started and stopped again. */
  #dropped: Set<AnyActorRef> | undefined;

  constructor(before: Children, actors: Actors, scope: AnyActorScope, perform: Perform) {
    this.children = before;
    this.#before = before;
    this.#actors = actors;
    this.#scope = scope;
    this.#perform = perform;
  }

  start({ src, id, input }: { readonly src: string; readonly id: string; readonly input: unknown }): void {
    const scope = this.#scope;
    const logic = this.#actors[src];
    if (!logic) throw noService(src);
    const options = { id, src, input, parent: scope.self, systemId: undefined, syncSnapshot: false };
    const actorRef = createActor(logic, options as never);
    this.#own()[id] = actorRef;
    this.#perform("xstate.spawnChild", { id, systemId: undefined, actorRef, src, input }, () => {
      scope.defer(() => {
        if (!this.#dropped?.has(actorRef)) actorRef.start();
      });
    });
  }

  stop(id: string): void {
    const scope = this.#scope;
    const child = this.children[id];
    const isNew = child !== this.#before[id];
    const hasEnded = child !== undefined && child.getSnapshot().status !== "active";
    // one that has ended by itself is forgotten in place: n results at once would else copy n services n times
    if (child) delete (hasEnded ? this.children : this.#own())[id];
    this.#perform("xstate.stopChild", child, () => {
      if (!child || hasEnded) return;
      if (isNew) {
        (this.#dropped ??= new Set()).add(child);
        scope.stopChild(child);
      } else scope.defer(() => scope.stopChild(child));
    });
  }

  #own(): Children {
    if (this.children === this.#before) this.children = { ...this.#before };
    return this.children;
  }
}
