import { createActor, pathToStateValue, type Actor, type AnyActorRef, type InspectionEvent } from "xstate";
import { agentResolver } from "../../machines/agent/agent-chart.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import { type Fact, stepFacts, type StepFacts } from "../../machines/agent/facts.ts";
import { phaseOf } from "../../machines/agent/updates/calls.ts";
import { statePath } from "../../machines/chart/nodes.ts";
import { bindHost, liveMachine, markShared } from "./services/actors.ts";
import type { Host } from "./services/host.ts";
import { type AgentError, type ErrorInfo, errorFrom, messageOf } from "../core/base/error.ts";
import type { Refusal } from "../../machines/chart/definition.ts";
import { delayUntil, unref } from "../core/base/time.ts";

/** A state of the chart by its path, such as "reasoning.calling.running", with the context. */
export type ChartPlace = { readonly path: string; readonly context: AgentContext };

/** An actor of another system that an agent's chart runs inside of. */
export type ActorParent = {
  readonly ref: AnyActorRef;
  /** Stops the chart, which is a child of the actor. */
  readonly stop: (child: AnyActorRef) => void;
};

/** The part of a session that its chart needs. */
export type ChartOwner = {
  readonly host: Host;
  readonly parent: ActorParent | undefined;
  readonly isStopped: boolean;
  /** Called after each event that changed something, with the place before it and what the step did. */
  followed(before: ChartPlace, after: ChartPlace, step: StepFacts): void;
  /** Called once if the actor fails, with what it threw, or if somebody else stops it. */
  failed(message: string, cause?: unknown): void;
};

const NO_FACTS: readonly never[] = [];

type ChartActor = Actor<typeof liveMachine>;
type Observer = (event: InspectionEvent) => void;
/**
 * The chart of a session in this process. A session at rest is its place alone: nothing runs that XState would have to hold.
 * Its actor is made for an event and dropped when the session rests again, unless somebody outside has seen it.
 */
export class LiveChart {
  readonly #owner: ChartOwner;
  #actor: ChartActor | undefined;
  /** Made by a step that subscribers of the actor have not seen yet, or {@link LiveChart.#followed}. */
  #now: ChartPlace;
  #followed: ChartPlace;
  /** The facts of the steps that subscribers have not seen yet. */
  #facts: readonly Fact[] = NO_FACTS;
  #isSeen = false;
  #isDropping = false;
  #isStopped = false;

  /** Begins with the first states of the chart. */
  constructor(owner: ChartOwner, input: AgentContext) {
    const { path, context } = agentResolver.begin(input);
    this.#owner = owner;
    this.#now = { path, context };
    this.#followed = this.#now;
  }

  get context(): AgentContext {
    return this.#now.context;
  }

  get path(): string {
    return this.#now.path;
  }

  /** True if somebody has the actor, and with it each context. */
  get isSeen(): boolean {
    return this.#isSeen;
  }

  /** The actor, which stays from now on. */
  get actor(): ChartActor {
    this.#isSeen = true;
    this.#actor ??= this.#start();
    markShared(this.#actor);
    if (this.#owner.isStopped) this.stop();
    return this.#actor;
  }

  /** Makes the actor in the system of its parent, or one that is observed. */
  show(options: { readonly inspect?: Observer } = {}): void {
    this.#isSeen = true;
    this.#actor = this.#start(options);
    markShared(this.#actor);
  }

  send(event: AgentCommand): void {
    const actor = (this.#actor ??= this.#start());
    actor.send(event);
    this.#dropSoon();
  }

  /** A step was taken: it counts from now on, and its subscribers hear of it later. */
  stepTaken(path: string, context: AgentContext, facts: readonly Fact[]): void {
    this.#now = { path, context };
    this.#facts = this.#facts.length > 0 ? [...this.#facts, ...facts] : facts;
  }

  stop(): void {
    const { parent } = this.#owner;
    this.#isStopped = true;
    if (this.#actor && parent) parent.stop(this.#actor);
    else this.#actor?.stop();
  }

  #start(options: { readonly inspect?: Observer } = {}): ChartActor {
    const { host, parent } = this.#owner;
    const { path, context } = this.#now;
    const actor = createActor(liveMachine, {
      snapshot: liveMachine.resolveState({ value: pathToStateValue(path.split(".")), context }),
      input: context, // not read: the snapshot has it
      ...(parent ? { parent: parent.ref, id: context.settings.agent } : options),
    });
    Object.assign(actor.options, { snapshot: undefined, input: undefined }); // they would be retained beside the newest snapshot
    bindHost(actor, host);
    actor.subscribe({
      next: ({ value, context: newest }) => this.#follow(statePath(value), newest),
      error: (error) => this.#owner.failed(`The agent's machine failed: ${messageOf(error)}`, error),
      complete: () => {
        if (this.#actor === actor && !this.#isStopped) this.#owner.failed("The agent's actor was stopped.");
      },
    });
    actor.start();
    return actor;
  }

  #follow(path: string, context: AgentContext): void {
    const before = this.#followed;
    if (before.context === context && before.path === path) return;
    this.#now = { path, context };
    this.#followed = this.#now;
    const facts = this.#facts;
    this.#facts = NO_FACTS;
    this.#owner.followed(before, this.#now, stepFacts(facts));
    this.#dropSoon();
  }

  /** Drops the actor behind the event that is being handled, if the session rests then. */
  #dropSoon(): void {
    if (this.#isSeen || this.#isDropping || phaseOf(this.path) === "running") return;
    this.#isDropping = true;
    queueMicrotask(() => {
      this.#isDropping = false;
      if (this.#isSeen || phaseOf(this.path) === "running") return;
      const actor = this.#actor;
      this.#actor = undefined;
      actor?.stop();
    });
  }
}

type Answers = Map<string, (refused: AgentError | undefined) => void>;

/** The commands whose answer by the chart is awaited. */
export class SentCommands {
  #answers: Answers | undefined;
  #count = 0;

  /** Sends a command under a new id. Resolves once the chart has accepted it, after `onAccepted`, which is called in the same step;
   *  rejects with its refusal, or as {@link end} says. */
  send(send: (id: string) => void, onAccepted: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = `${++this.#count}`;
    (this.#answers ??= new Map() as Answers).set(id, (refused) => {
      if (refused) return reject(refused);
      onAccepted();
      resolve();
    });
    send(id);
    return promise;
  }

  /** The chart has answered the command with this id. */
  answer(id: string | undefined, refused: Refusal | undefined): void {
    if (id === undefined) return;
    this.#answers?.get(id)?.(refused && errorFrom(refused as ErrorInfo));
    this.#answers?.delete(id);
  }

  /** The chart answers no more: the commands that wait are rejected. */
  end(error: AgentError): void {
    for (const answer of this.#answers?.values() ?? []) answer(error);
    this.#answers = undefined;
  }
}

type TimedSession = {
  now(): number;
  /** Called once the instant has come for which the timer was armed last. */
  timerDue(): void;
};

/** The one timer of a session. It re-arms one Node timer lazily: arming it for a later instant costs nothing until the earlier
 *  one has passed. An armed timer keeps the process alive. */
export class SessionTimer {
  readonly #session: TimedSession;
  #until: number | null = null;
  #handle: NodeJS.Timeout | undefined;
  #firesAt = 0;

  constructor(session: TimedSession) {
    this.#session = session;
  }

  /** Arms the timer for an instant, epoch ms, in place of the one before. */
  arm(until: number): void {
    this.#until = until;
    if (this.#handle && this.#firesAt <= until) return void this.#handle.ref?.();
    clearTimeout(this.#handle);
    this.#start();
  }

  disarm(): void {
    this.#until = null;
    if (this.#handle) unref(this.#handle);
  }

  /** Frees what a timer holds that is not armed. */
  release(): void {
    if (this.#until === null) this.stop();
  }

  /** Disarms the timer for good. */
  stop(): void {
    this.#until = null;
    clearTimeout(this.#handle);
    this.#handle = undefined;
  }

  #start(): void {
    const until = this.#until!;
    this.#firesAt = until;
    this.#handle = setTimeout(() => this.#fire(), delayUntil(until, this.#session.now()));
  }

  #fire(): void {
    this.#handle = undefined;
    if (this.#until === null) return;
    if (this.#session.now() < this.#until) return this.#start();
    this.#until = null;
    this.#session.timerDue();
  }
}
