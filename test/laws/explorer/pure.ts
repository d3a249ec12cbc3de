import {
  createActor,
  type ActorScope,
  type AnyTransitionDefinition,
  type InspectionEvent,
  type SnapshotFrom,
} from "xstate";
import type { agentMachine } from "../../../machines/agent/agent.machine.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { AgentMachineEvent } from "../../../machines/agent/events.ts";

export type AgentMachine = typeof agentMachine;
export type AgentSnapshot = SnapshotFrom<AgentMachine>;

/** What a service that ends sends to the chart. */
export type ServiceEvent =
  | { readonly type: `xstate.done.actor.${string}`; readonly output: unknown; readonly actorId: string }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown; readonly actorId: string };
export type ChartEvent = AgentMachineEvent | ServiceEvent;

/** A service that the chart has started and not yet heard of again. */
export type Service = { readonly id: string; readonly src: string; readonly input: unknown };

/** One macrostep: where it leads and which services it starts. */
export type Step = { readonly snapshot: AgentSnapshot; readonly started: readonly Service[] };

type Spawn = { readonly type: string; readonly params: Service & { readonly actorRef: unknown } };

/** Microsteps in one macrostep beyond which the chart counts as running in circles. */
const MOST_MICROSTEPS = 200;

/**
 * The chart as a pure function. It does what `transition()` of xstate does, that is, it asks the machine with an actor
 * scope that executes nothing; its own scope besides tells which transitions were taken and which services start.
 */
export class PureChart {
  readonly machine: AgentMachine;
  readonly #taken: (transition: AnyTransitionDefinition) => void;
  readonly #scope: ActorScope<AgentSnapshot, never>;
  #spawns: Spawn[] = [];

  constructor(
    machine: AgentMachine,
    context: AgentContext,
    taken: (transition: AnyTransitionDefinition) => void = () => {},
  ) {
    this.machine = machine.provide({});
    this.machine.options = { ...this.machine.options, maxIterations: MOST_MICROSTEPS };
    this.#taken = taken;
    const self = createActor(this.machine, { input: context, inspect: (event) => this.#inspect(event) });
    this.#scope = {
      self,
      id: "",
      sessionId: "",
      system: self.system,
      logger: () => {},
      defer: () => {},
      emit: () => {},
      stopChild: () => {},
      actionExecutor: (action: { readonly type: string }) => {
        if (action.type === "xstate.spawnChild") this.#spawns.push(action as unknown as Spawn);
      },
    } as unknown as ActorScope<AgentSnapshot, never>;
  }

  /** A new actor of the chart with this context. */
  begin(context: AgentContext): Step {
    return this.#step(() => this.machine.getInitialSnapshot(this.#scope as never, context));
  }

  /** What these events, one after the other, make of a snapshot. */
  next(snapshot: AgentSnapshot, ...events: readonly ChartEvent[]): Step {
    return this.#step(() =>
      events.reduce(
        (now, event) => this.machine.transition(now, event as never, this.#scope as never),
        snapshot,
      ),
    );
  }

  #step(run: () => AgentSnapshot): Step {
    this.#spawns = [];
    const snapshot = run();
    const children = snapshot.children as { readonly [id: string]: unknown };
    const started = this.#spawns
      .map(({ params }) => params)
      .filter(({ id, actorRef }) => children[id] === actorRef)
      .map(({ id, src, input }) => ({ id, src, input }));
    return { snapshot, started };
  }

  #inspect(event: InspectionEvent): void {
    if (event.type === "@xstate.microstep")
      for (const transition of event._transitions) this.#taken(transition);
  }
}

type Child = { readonly src: string; getSnapshot(): { readonly input: unknown } };

/** The services that a snapshot waits for. */
export function servicesOf(snapshot: AgentSnapshot): readonly Service[] {
  const children = snapshot.children as unknown as { readonly [id: string]: Child };
  return Object.entries(children).map(([id, child]) => ({
    id,
    src: child.src,
    input: child.getSnapshot().input,
  }));
}

/** A state value as one path: "reasoning.calling.running". */
export function leafOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Object.entries(value as object)
    .map(([key, inner]) => `${key}.${leafOf(inner)}`)
    .join("|");
}

/** True for the two states in which a session rests. */
export function isAtRest(leaf: string): boolean {
  return leaf === "stopped.idle" || leaf === "suspended.waiting";
}

export function doneEvent(id: string, output: unknown): ServiceEvent {
  return { type: `xstate.done.actor.${id}`, output, actorId: id };
}

export function errorEvent(id: string, error: unknown): ServiceEvent {
  return { type: `xstate.error.actor.${id}`, error, actorId: id };
}
