import { createActor, type ActorScope, type SnapshotFrom, type StateValue } from "xstate";
import { agentSlots, type AgentMachine } from "../../../machines/agent/agent.machine.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { AgentCommand } from "../../../machines/agent/events.ts";
import type { Fact } from "../../../machines/agent/facts.ts";
import type { takenStep } from "../../agent/steps.ts";
import { acceleratedMachine } from "../../../machines/chart/accelerator.ts";
import type { Refusal } from "../../../machines/chart/definition.ts";
import type { ServiceEvent } from "../../../machines/chart/machine-type.ts";
import { statePath } from "../../../machines/chart/nodes.ts";
import type { Resolver } from "../../../machines/chart/resolve.ts";

export type { ServiceEvent };
export type AgentSnapshot = SnapshotFrom<AgentMachine>;

export type ChartEvent = AgentCommand | ServiceEvent;

/** A service that the chart has started and that has not ended yet. */
export type Service = { readonly id: string; readonly src: string; readonly input: unknown };

/** One or more macrosteps: where they lead and what they start. */
export type Step = {
  readonly snapshot: AgentSnapshot;
  readonly started: readonly Service[];
  /** The instant for which the timer of the session is armed. */
  readonly timer: number | null;
  /** The effects of the steps, as their updates have declared them. */
  readonly facts: readonly Fact[];
  /** The reason for which the last event was refused. */
  readonly refused: Refusal | undefined;
};

type Action = { readonly type: string; readonly params: unknown };
type Spawn = Service & { readonly actorRef: unknown };
type Perform = { readonly name: string; readonly params?: { readonly until: number } };

/**
 * The chart as a pure function, as the engine runs it for an agent that nobody observes. It does what `transition()` of xstate does,
 * that is, it asks the machine with an actor scope that executes nothing; its own scope besides records which edges were taken and
 * which services start.
 */
export class PureChart {
  readonly machine: AgentMachine;
  readonly #scope: ActorScope<AgentSnapshot, never>;
  readonly #timers = new WeakMap<AgentSnapshot, number | null>();
  #spawned: Spawn[] = [];
  #timer: number | null = null;
  #facts: Fact[] = [];
  #refused: Refusal | undefined;

  constructor(
    resolver: Resolver<AgentContext>,
    context: AgentContext,
    taken: (edge: string) => void = () => {},
    onStep: (
      event: Parameters<typeof takenStep>[0],
      step: Parameters<typeof takenStep>[1],
    ) => void = () => {},
  ) {
    this.machine = acceleratedMachine(resolver, agentSlots, {
      isUnshared: () => true,
      stepTaken: (_, { event, step }) => {
        this.#refused = step.refused;
        this.#facts.push(...(step.facts as readonly Fact[]));
        for (const edge of step.edges) taken(edge);
        onStep(event as Parameters<typeof takenStep>[0], step as Parameters<typeof takenStep>[1]);
      },
    }) as unknown as AgentMachine;
    const self = createActor(this.machine, { input: context });
    this.#scope = {
      self,
      id: "",
      sessionId: "",
      system: self.system,
      logger: () => {},
      defer: () => {},
      emit: () => {},
      stopChild: () => {},
      actionExecutor: (action: Action) => this.#execute(action),
    } as unknown as ActorScope<AgentSnapshot, never>;
  }

  /** A new actor of the chart with this context. */
  begin(context: AgentContext): Step {
    this.#timer = null;
    return this.#step(() => this.machine.getInitialSnapshot(this.#scope as never, context));
  }

  /** Returns what these events, one after the other, make of a snapshot. */
  next(snapshot: AgentSnapshot, ...events: readonly ChartEvent[]): Step {
    this.#timer = this.timerOf(snapshot);
    return this.#step(() =>
      events.reduce((now, event) => {
        this.#refused = undefined;
        return this.machine.transition(now, { ...event } as never, this.#scope as never);
      }, snapshot),
    );
  }

  /** The instant for which the timer is armed in a snapshot that this chart has made. */
  timerOf(snapshot: AgentSnapshot): number | null {
    return this.#timers.get(snapshot) ?? null;
  }

  #step(run: () => AgentSnapshot): Step {
    this.#spawned = [];
    this.#facts = [];
    this.#refused = undefined;
    const snapshot = run();
    if (snapshot.status === "error") throw snapshot.error;
    const { children } = snapshot;
    const started = this.#spawned
      .filter(({ id, actorRef }) => children[id] === actorRef)
      .map(({ id, src, input }) => ({ id, src, input }));
    this.#timers.set(snapshot, this.#timer);
    return { snapshot, started, timer: this.#timer, facts: this.#facts, refused: this.#refused };
  }

  #execute({ type, params }: Action): void {
    if (type === "xstate.spawnChild") this.#spawned.push(params as Spawn);
    if (type === "perform") {
      const { name, params: data } = params as Perform;
      if (name === "armTimer") this.#timer = data!.until;
      if (name === "disarmTimer") this.#timer = null;
    }
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
export const leafOf = (value: unknown): string => statePath(value as StateValue);

/** True for the states in which a session rests. */
export function isAtRest(leaf: string): boolean {
  return leaf === "stopped.idle" || leaf === "stopped.unfinished" || leaf === "suspended.waiting";
}

export function doneEvent(id: string, output: unknown): ServiceEvent {
  return { type: `xstate.done.actor.${id}`, output, actorId: id };
}

export function errorEvent(id: string, error: unknown): ServiceEvent {
  return { type: `xstate.error.actor.${id}`, error, actorId: id };
}
