import type { InspectionEvent } from "xstate";
import type { AgentWatcher } from "../../agent/options/agent-config.ts";
import { watcherOfSystem } from "../../agent/observed-systems.ts";
import { guarded } from "../../core/base/guarded.ts";
import { newId } from "../../core/message/msg.ts";
import type { Json } from "../../core/base/json.ts";
import { areActorBreaks } from "../protocol/actor-break.ts";
import type { RunCommand } from "../protocol/commands.ts";
import { statusOf, type ActorSnapshot } from "./actor-chart.ts";
import type { ReadActor } from "./actor-kind.ts";
import type { HistoryLimits } from "./history.ts";
import { ObservedActor, type Sent } from "./observed-actor.ts";
import { StepBudget } from "./step-budget.ts";

/** Actors that are shown at a time; of more, those that ended first make room. */
const MAX_ACTORS = 200;
/** Events that wait in the mailbox of an actor and are known by their sender. */
const MAX_WAITING = 1_000;
/** The amount of each actor that is retained. */
const KEEP: HistoryLimits = { steps: 5_000, bytes: 2_000_000 };

type ActorSystemsOptions = {
  /** True if people may pause actors. */
  readonly takesCommands?: boolean;
  /** Watches the agents in the systems; without one they are shown as other actors. */
  readonly watcher?: AgentWatcher;
  /** Is told of a new actor, of a change of one, and of one that is no longer shown. */
  readonly added: (actor: ObservedActor) => void;
  readonly changed: (runId: string) => void;
  readonly dropped: (runId: string) => void;
  readonly keep: HistoryLimits | undefined;
  readonly redact: ((value: Json) => Json) | undefined;
  readonly budget?: StepBudget;
};

type System = {
  readonly id: string;
  actors: number;
  events: number;
  root: Observation | undefined;
  missing: number;
};

/** The event of XState 6 that tells what four of XState 5 tell: once for each event that an actor has processed. */
type Transition6 = {
  readonly type: "@xstate.transition";
  readonly actorRef: object;
  readonly event: { readonly type: string };
  readonly sourceRef: object | undefined;
  readonly snapshot: ActorSnapshot;
  readonly microsteps: readonly object[];
  readonly actions: readonly { readonly type: string }[];
};

/** An inspection event of XState 5 or 6. */
type Inspected = InspectionEvent | Transition6;

type Observation = {
  readonly actor: ReadActor;
  readonly shown: ObservedActor;
  readonly system: System;
  readonly waiting: Sent[];
  /** Events that were not recorded since the last step, and in all. */
  omitted: number;
  omittedInAll: number;
};

/**
 * The actors of XState systems that are not ours, as their inspection events tell of them.
 *
 * A1 It calls nothing of the program but `getSnapshot` of actors: no guard is asked again and no getter is read.
 * A2 What it costs and keeps is bounded; what is left out is counted and said.
 * A3 Nothing throws.
 */
export class ActorSystems {
  readonly #options: ActorSystemsOptions;
  readonly #budget: StepBudget;
  readonly #systems = new WeakMap<object, System>();
  readonly #observations = new WeakMap<object, Observation>();
  /** Actors inside of an agent, which is shown as the agent. */
  readonly #inside = new WeakSet<object>();
  /** Actors that are not shown, or no longer, for lack of room. */
  readonly #leftOut = new WeakSet<object>();
  readonly #shown = new Map<string, Observation>();
  #hasEnded = false;

  constructor(options: ActorSystemsOptions) {
    this.#options = options;
    this.#budget = options.budget ?? new StepBudget();
  }

  /** Takes an inspection event. */
  observe(event: Inspected): void {
    if (this.#hasEnded) return;
    try {
      this.#take(event);
    } catch {
      // an observer must not harm what it observes
    }
  }

  /** Returns the run of the actor that is the agent of a session. */
  actorOf(sessionId: string): { readonly runId: string; readonly callId: string } | undefined {
    for (const { shown, actor } of this.#shown.values())
      if (shown.kind === "agent" && shown.sessionId === sessionId)
        return { runId: shown.runId, callId: actor.id };
    return undefined;
  }

  /** Pauses an actor now or later, or has it go on. Returns the problem if that is not possible, and undefined for a run that is not an actor of these. */
  command(command: RunCommand): "done" | { readonly problem: string } | undefined {
    const { runId, type } = command;
    const { shown } = this.#shown.get(runId) ?? {};
    if (!shown) return undefined;
    const { gate } = shown;
    if (type !== "shutdown" && type !== "resume" && type !== "breakAt")
      return { problem: `An actor of XState does not accept '${type}'.` };
    if (shown.hasEnded) return { problem: "The actor has ended." };
    if (!gate?.canHold) return { problem: "XState cannot hold this actor between two events." };
    if (type === "breakAt" && !areActorBreaks(command.breaks))
      return { problem: "`breaks` is not a list of conditions." };
    if (type === "breakAt") shown.breakAt(command.breaks);
    else if (type === "shutdown") gate.hold();
    else gate.release();
    this.#options.changed(runId);
    return "done";
  }

  /** Has every actor go on, without conditions: nobody is there who could. */
  release(): void {
    for (const { shown } of this.#shown.values()) {
      const { gate } = shown;
      if (!gate || (!gate.isHeld && gate.breaks.length === 0)) continue;
      shown.breakAt([]);
      gate.release();
      this.#options.changed(shown.runId);
    }
  }

  /** Records the failures that XState tells nobody of: that of a first actor, and those before the start. */
  sweep(): void {
    for (const observation of this.#shown.values()) guarded(() => this.#noteFailure(observation));
  }

  /** Observes no more: actors that are active are shown as stopped, for the reason that their `notice` says. Returns all runs. */
  end(reason: string): readonly string[] {
    this.release();
    this.#hasEnded = true;
    for (const { shown } of this.#shown.values()) {
      if (!shown.hasEnded) shown.end(reason);
      this.#options.changed(shown.runId);
    }
    return [...this.#shown.keys()];
  }

  #take(event: Inspected): void {
    const actor = event.actorRef as ReadActor;
    const observation = this.#observations.get(actor) ?? this.#budget.timed(() => this.#add(actor));
    if (event.type === "@xstate.transition") {
      if (observation && "microsteps" in event) this.#transition(event, observation); // XState 5 has others beside it
      return;
    }
    if (event.type === "@xstate.event") this.#sent(event, observation);
    if (!observation) return;
    if (event.type === "@xstate.microstep") observation.shown.took(event._transitions, event.snapshot);
    else if (event.type === "@xstate.action") observation.shown.ran(event.action.type);
    else if (event.type === "@xstate.snapshot") this.#processed(event, observation);
  }

  #add(actor: ReadActor): Observation | undefined {
    const above = (actor as { readonly _parent?: ReadActor })._parent;
    if (this.#inside.has(actor) || this.#leftOut.has(actor)) return undefined;
    // XState 6 may tell of an actor before its parent
    if (above && !this.#observations.has(above)) this.#add(above);
    const parent = this.#shownAbove(above);
    if (parent === "inside" || parent?.shown.kind === "agent") {
      this.#inside.add(actor);
      return undefined;
    }
    const system = this.#systemOf(actor);
    if (this.#shown.size >= MAX_ACTORS && !this.#dropEnded()) {
      this.#leftOut.add(actor);
      system.missing++;
      return this.#saysMore(system);
    }
    const root = system.root?.shown.runId;
    const runId = `${system.id}.${system.actors++}`;
    const { keep = KEEP, redact } = this.#options;
    const place = {
      runId,
      system: root ?? runId,
      parent: parent?.shown.runId ?? root,
      keep,
      redact,
      budget: this.#budget,
      leftOut: () => noticeOf(made),
      held: this.#options.takesCommands ? () => this.#options.changed(runId) : undefined,
    };
    const shown = new ObservedActor(actor, place);
    const made: Observation = { actor, shown, system, waiting: [], omitted: 0, omittedInAll: 0 };
    system.root ??= made;
    this.#observations.set(actor, made);
    this.#shown.set(runId, made);
    this.#options.added(shown);
    return made;
  }

  #transition({ event, sourceRef, snapshot, microsteps, actions }: Transition6, to: Observation): void {
    if (to.shown.hasEnded) return;
    const type = event.type.replace(/^@(?=xstate\.)/, ""); // as XState 5 names it
    const from = sourceRef && this.#observations.get(sourceRef)?.shown.runId;
    const sent = { ...event, type };
    to.waiting.push({ event: sent, order: ++to.system.events, from, at: Date.now() });
    to.shown.took(microsteps);
    for (const action of actions) to.shown.ran(action.type.replace(/^@(?=xstate\.)/, ""));
    this.#record(to, sent, snapshot);
  }

  #systemOf({ system }: ReadActor): System {
    let known = this.#systems.get(system);
    if (!known) {
      known = { id: newId().slice(0, 8), actors: 0, events: 0, root: undefined, missing: 0 };
      this.#systems.set(system, known);
      const { watcher } = this.#options;
      if (watcher) watcherOfSystem.set(system, watcher);
    }
    return known;
  }

  /** The next actor above that is shown; an actor may be left out for lack of room. */
  #shownAbove(above: ReadActor | undefined): Observation | "inside" | undefined {
    for (let at = above; at; at = (at as { readonly _parent?: ReadActor })._parent) {
      if (this.#inside.has(at)) return "inside";
      const observation = this.#observations.get(at);
      if (observation) return observation;
    }
    return undefined;
  }

  #sent(
    { sourceRef, event }: Extract<InspectionEvent, { type: "@xstate.event" }>,
    to: Observation | undefined,
  ): void {
    const source = sourceRef && this.#observations.get(sourceRef);
    if (source) this.#noteFailure(source); // before the parent hears of it
    if (!to) return;
    const order = ++to.system.events;
    if (to.shown.hasEnded || to.waiting.length >= MAX_WAITING) return;
    to.waiting.push({ event, order, from: source?.shown.runId, at: Date.now() });
  }

  #processed(
    { event, snapshot, actorRef }: Extract<InspectionEvent, { type: "@xstate.snapshot" }>,
    observation: Observation,
  ): void {
    if (observation.shown.hasEnded) return;
    const now = actorRef.getSnapshot() as ActorSnapshot; // initial actions that throw make another snapshot
    this.#record(observation, event, statusOf(now) === "error" ? now : (snapshot as ActorSnapshot));
  }

  #record(observation: Observation, event: { readonly type: string }, snapshot: ActorSnapshot): void {
    const { shown, system } = observation;
    const begin = this.#budget.now();
    const sent = takeSent(observation.waiting, event);
    const isPlain = shown.hasBegun && statusOf(snapshot) === "active";
    const hasRoom = this.#budget.takesStep();
    if (isPlain && !hasRoom) {
      shown.skip(snapshot);
      observation.omitted++;
      observation.omittedInAll++;
    } else {
      const { omitted } = observation;
      observation.omitted = 0;
      const readsContext = !isPlain || this.#budget.hasTime();
      const told = sent ?? { event, order: ++system.events, from: undefined, at: Date.now() };
      shown.record(told, snapshot, omitted, readsContext);
      this.#budget.spent(begin);
    }
    this.#options.changed(shown.runId);
  }

  /** Records that an actor has failed in the middle of an event, of which XState makes no snapshot. */
  #noteFailure(observation: Observation): void {
    const { actor, shown, waiting } = observation;
    if (shown.hasEnded) return;
    const snapshot = actor.getSnapshot() as ActorSnapshot | undefined;
    if (!snapshot || statusOf(snapshot) !== "error") return;
    const event = (waiting[0]?.event ?? { type: "xstate.init" }) as { readonly type: string };
    this.#record(observation, event, snapshot);
  }

  #dropEnded(): boolean {
    for (const [runId, { shown, system, actor }] of this.#shown) {
      if (!shown.hasEnded || (system.root?.shown === shown && this.#hasOthers(system, shown))) continue;
      this.#shown.delete(runId);
      this.#observations.delete(actor);
      this.#leftOut.add(actor);
      system.missing++;
      this.#saysMore(system);
      this.#options.dropped(runId);
      return true;
    }
    return false;
  }

  #hasOthers(system: System, root: ObservedActor): boolean {
    return [...this.#shown.values()].some((each) => each.system === system && each.shown !== root);
  }

  #saysMore({ root }: System): undefined {
    if (root) this.#options.changed(root.shown.runId);
  }
}

/** Takes an event out of those that wait, with those before it. */
function takeSent(waiting: Sent[], event: unknown): Sent | undefined {
  if (waiting[0]?.event === event) return waiting.shift();
  const place = waiting.findIndex((sent) => sent.event === event);
  return place < 0 ? undefined : waiting.splice(0, place + 1).at(-1);
}

/** Says what is left out of an actor, and in the first one what is left out of its system. */
function noticeOf({ omittedInAll, system, shown }: Observation): string {
  const missing = system.root?.shown === shown ? system.missing : 0;
  return [
    omittedInAll > 0 &&
      `${omittedInAll} events of this actor were not recorded: there were more than 1,000 a second.`,
    missing > 0 && `${missing} actors of this system are not shown: at most ${MAX_ACTORS} are.`,
  ]
    .filter((text) => text !== false)
    .join(" ");
}
