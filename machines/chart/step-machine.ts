import {
  createActor,
  enqueueActions,
  isMachineSnapshot,
  pathToStateValue,
  StateMachine,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  type ExecutableActionObject,
  type Snapshot,
} from "xstate";
import type { Effect, Refusal } from "./definition.ts";
import { statePath, type Node } from "./nodes.ts";
import type { Move, Resolver, Step } from "./resolve.ts";

/** An event as the machine of a chart takes it. */
export type Event = { readonly type: string; readonly id?: string; readonly by?: string };

/** What a command with an id is answered with, emitted in the macrostep of the command. */
export type Reply =
  | { readonly type: "accepted"; readonly id: string }
  | ({ readonly type: "refused"; readonly id: string } & Refusal);

/** A step that was taken, with the state from which. */
export type StepTaken<Context> = {
  readonly event: Event;
  readonly from: string;
  readonly step: Step<Context>;
};

/** True if nobody has a snapshot of an actor. */
export type IsUnseen = (self: AnyActorRef) => boolean;

type Implementations = { readonly actors?: object; readonly actions?: object };

/** XState tells inspectors of a microstep by a method that its types leave out. */
type Inspected = { _sendInspectionEvent(event: object): void };

/** Events that XState itself answers. */
const INIT = "xstate.init";
const STOP = "xstate.stop";

/**
 * An XState machine that takes the steps of a resolver. XState works a step out as many small changes and makes a snapshot for
 * each of them; here the resolver has worked it out, so `transition` makes one snapshot and performs the same actions in the
 * same order. XState's own macrostep remains for what no edge is for, and for its functions that look ahead, such as
 * `snapshot.can()` and `getMicrosteps()`: `getTransitionData` tells it the step as a transition.
 */
// Any types: those of XState are derived from a configuration. `machineOf` says what they are.
export class StepMachine<Context extends object> extends StateMachine<
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
  readonly #resolver: Resolver<Context>;
  readonly #isUnseen: IsUnseen;
  /** A snapshot of each state by its path, to be filled with the context and the services. */
  readonly #places = new Map<string, AnyMachineSnapshot>();

  /** `isUnseen`: true if nobody has a snapshot of the actor, so that its newest one may be changed. */
  constructor(resolver: Resolver<Context>, config: object, filled: Implementations, isUnseen: IsUnseen) {
    super(config as never, filled as never);
    this.#resolver = resolver;
    this.#isUnseen = isUnseen;
  }

  override provide({ actors, actions }: Implementations): this {
    const { implementations: own } = this;
    const both = { actors: { ...own.actors, ...actors }, actions: { ...own.actions, ...actions } };
    return new StepMachine(this.#resolver, this.config, both, this.#isUnseen) as this;
  }

  override transition(snapshot: AnyMachineSnapshot, event: Event, scope: AnyActorScope): AnyMachineSnapshot {
    const isStop = event.type === STOP;
    if (isStop && isEmpty(snapshot.children)) {
      const stopped = { ...snapshot, status: "stopped" } as AnyMachineSnapshot;
      this.#inspect(stopped, event, scope);
      return stopped;
    }
    const taken = isStop || event.type === INIT ? undefined : this.#resolve(snapshot, event);
    if (!taken) return super.transition(snapshot, event, scope);
    const next = this.#take(snapshot, taken, scope);
    this.#inspect(next, event, scope, taken);
    return next;
  }

  /** Tells inspectors of the microstep that led to a snapshot. Nobody inspects an actor that nobody has. */
  #inspect(
    snapshot: AnyMachineSnapshot,
    event: Event,
    { system, self }: AnyActorScope,
    taken?: StepTaken<Context>,
  ): void {
    if (this.#isUnseen(self)) return;
    const transitions = () => (taken ? [this.#transitionOf(taken)] : []);
    (system as unknown as Inspected)._sendInspectionEvent({
      type: "@xstate.microstep",
      actorRef: self,
      event,
      snapshot,
      get _transitions() {
        return transitions(); // read only if somebody inspects
      },
    });
  }

  override getTransitionData(snapshot: AnyMachineSnapshot, event: Event): AnyTransitionDefinition[] {
    const taken = this.#resolve(snapshot, event);
    return taken ? [this.#transitionOf(taken)] : [];
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
    const isPlain = Object.keys(rest).length === 0;
    return isPlain ? { ...this.#at(statePath(value)), context } : super.resolveState(config);
  }

  #resolve({ value, context }: AnyMachineSnapshot, event: Event): StepTaken<Context> | undefined {
    const from = statePath(value);
    const step = this.#resolver.next(from, context as Context, event);
    return step && { event, from, step };
  }

  #take(snapshot: AnyMachineSnapshot, taken: StepTaken<Context>, scope: AnyActorScope): AnyMachineSnapshot {
    const { event, from, step } = taken;
    const { move, context, effects } = step;
    const { actors, actions } = this.implementations;
    const { self, system } = scope;
    const before = snapshot.children as Children;
    let info = { context: snapshot.context as unknown, event, self, system };
    const perform: Perform = (type, params, exec) =>
      scope.actionExecutor({ type, params, exec, info } as ExecutableActionObject);
    const services = new Services(before, actors as never, scope, perform, this.#isUnseen);

    if (move)
      for (let node = this.#resolver.node(from); node.path !== move.within; node = node.parent!)
        for (const { id } of node.services) services.stop(id);
    info = { context, event, self, system };
    for (const effect of effects) {
      if (effect.type === "spawn") services.start(effect);
      else if (effect.type === "stop") services.stop(effect.id);
      else perform("perform", effect, actions["perform"]);
    }
    perform("stepTaken", taken, actions["stepTaken"]);
    const reply = replyTo(taken);
    if (reply) perform("xstate.emit", { event: reply }, () => scope.defer(() => scope.emit(reply)));
    if (move) startServices(this.#resolver.node(move.target), move, context, services);

    const { children } = services;
    const place = move && move.target !== from ? this.#at(move.target) : snapshot;
    const isSame = place === snapshot && context === snapshot.context && children === before;
    return isSame ? snapshot : ({ ...place, context, children } as AnyMachineSnapshot);
  }

  /** The outermost state that a move leaves. */
  #outermost({ within }: Move, from: string): Node<Context> {
    let node = this.#resolver.node(from);
    while (node.parent!.path !== within) node = node.parent!;
    return node;
  }

  #at(path: string): AnyMachineSnapshot {
    let place = this.#places.get(path);
    if (!place) {
      place = super.resolveState({ value: pathToStateValue(path.split(".")), context: {} });
      this.#places.set(path, place);
    }
    return place;
  }

  /** A step as XState would take it. The transition is one of the outermost state that is left, so that the same states are left as
   *  the resolver says. */
  #transitionOf(taken: StepTaken<Context>): AnyTransitionDefinition {
    const { event, from, step } = taken;
    const { move } = step;
    const source = move ? this.#outermost(move, from) : this.#resolver.node(from);
    const target = move && this.#resolver.node(move.target);
    return {
      eventType: event.type,
      source: this.getStateNodeById(source.id),
      target: target && [this.getStateNodeById(target.id)],
      reenter: target !== undefined,
      actions: [performed(taken) as never],
      toJSON: () => ({
        eventType: event.type,
        source: `#${source.id}`,
        target: target && [`#${target.id}`],
        actions: [],
      }),
    };
  }
}

/** Starts the services of the states that a move enters, those of the outermost first. */
function startServices<Context>(node: Node<Context>, move: Move, context: Context, services: Services): void {
  if (node.path === move.within) return;
  startServices(node.parent!, move, context, services);
  for (const { src, id, input } of node.services) services.start({ src, id, input: input(context) });
}

function isEmpty(children: object): boolean {
  for (const _ in children) return false;
  return true;
}

/** The answer to a command that wants one. */
function replyTo<Context>({ event: { id }, step }: StepTaken<Context>): Reply | undefined {
  if (id === undefined) return undefined;
  return step.refused ? { type: "refused", id, ...step.refused } : { type: "accepted", id };
}

/** What a step does apart from the services of its states, as an action of XState. */
const performed = <Context>(taken: StepTaken<Context>) =>
  enqueueActions(({ context, enqueue }) => {
    const { step } = taken;
    if (step.context !== context) enqueue.assign((() => step.context) as never);
    enqueueEffects(enqueue, step.effects);
    enqueue({ type: "stepTaken", params: taken } as never);
    const reply = replyTo(taken);
    if (reply) enqueue.emit(reply as never);
  });

/** Hands effects to the `enqueue` of XState's `enqueueActions`. */
export function enqueueEffects(enqueue: unknown, effects: readonly Effect[]): void {
  const queue = enqueue as Queue;
  for (const effect of effects) {
    if (effect.type === "spawn") queue.spawnChild(effect.src, { id: effect.id, input: effect.input });
    else if (effect.type === "stop") queue.stopChild(effect.id);
    else queue({ type: "perform", params: effect });
  }
}

type Queue = {
  (action: object): void;
  spawnChild(src: string, options: object): void;
  stopChild(id: string): void;
};

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
  readonly #isUnseen: IsUnseen;
  /** Those that the step itself has started and stopped again. */
  #dropped: Set<AnyActorRef> | undefined;

  constructor(before: Children, actors: Actors, scope: AnyActorScope, perform: Perform, isUnseen: IsUnseen) {
    this.children = before;
    this.#before = before;
    this.#actors = actors;
    this.#scope = scope;
    this.#perform = perform;
    this.#isUnseen = isUnseen;
  }

  start({ src, id, input }: { readonly src: string; readonly id: string; readonly input: unknown }): void {
    const scope = this.#scope;
    const logic = this.#actors[src];
    if (!logic) throw new Error(`The machine has no service '${src}'.`);
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
    if (child) delete (hasEnded && this.#isUnseen(scope.self) ? this.children : this.#own())[id];
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
