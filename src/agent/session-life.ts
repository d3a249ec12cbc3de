import { createActor, type AnyActorScope, type ExecutableActionObject, type SnapshotFrom } from "xstate";
import { AgentError, agentErrorOf, errorFrom, type ErrorInfo } from "../core/base/error.ts";
import { nodeProcess } from "../core/base/platform.ts";
import { Transcript } from "../core/message/transcript.ts";
import { REPEATING, repeatedSession } from "../core/tool/stored-slots.ts";
import type { TakeOver } from "../core/message/types.ts";
import { type RestoredSession, loadTurn } from "../session/restore.ts";
import type { SavedParts } from "../session/save.ts";
import type { Journal } from "../session/journal.ts";
import type { Fingerprint } from "../core/tool/fingerprint.ts";
import { freshContext, type AgentContext } from "../../machines/agent/context.ts";
import { replacing, stepFacts, type StepFacts } from "../../machines/agent/facts.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import { phaseOf } from "../../machines/agent/updates/calls.ts";
import { acceleratedMachine } from "../../machines/chart/accelerator.ts";
import type { Refusal } from "../../machines/chart/definition.ts";
import type { HostEffect } from "../../machines/chart/machine-type.ts";
import { statePath } from "../../machines/chart/nodes.ts";
import {
  sessionResolver,
  type SessionContext,
  type SessionEvent,
  type SessionMachine,
} from "../../machines/session/session.machine.ts";
import { eventsOf } from "./derive-events.ts";
import type { EventEmitter } from "../core/event/emitter.ts";
import type { AgentHost } from "./agent-host.ts";
import { visitors } from "./visitors.ts";

/** The effects that the chart of a session's life causes. */
type LifeEffect = "read" | "begin" | "endAgent" | "releaseLease" | "abandonLease";

/** The reason for which the event that is being handled is refused; undefined if it is not. */
let refused: Refusal | undefined;

const lifeMachine = acceleratedMachine(
  sessionResolver,
  {},
  { isUnshared: () => true, stepTaken: (_, { step }) => (refused = step.refused) },
) as unknown as SessionMachine;

/** One actor stands for all sessions: their machine starts no services and sends nothing. */
const { system, ref } = createActor(lifeMachine);

const nothing = (): void => {};

/** The actions of the event that is being handled. */
let decided: ExecutableActionObject[] = [];

/** A scope in which nothing is executed. */
const SCOPE = {
  self: ref,
  system,
  id: "",
  sessionId: "",
  logger: nothing,
  defer: nothing,
  emit: nothing,
  stopChild: nothing,
  actionExecutor: (action: ExecutableActionObject) => void decided.push(action),
} as unknown as Parameters<SessionMachine["transition"]>[2] & AnyActorScope;

/** The time after which a session that another process has is tried again, ms. */
const RETRY_OPEN_MS = 250;

/** The session that is opened, loaded and left. */
export interface LivingSession {
  readonly settings: Settings;
  readonly context: AgentContext;
  /** The path of the innermost state of the chart. */
  readonly path: string;
  readonly journal: Journal;
  readonly fingerprint: Fingerprint;
  now(): number;
  refusal(event: AgentCommand): ErrorInfo | undefined;
  readonly host: Pick<AgentHost, "withRules" | "config">;
  send(event: AgentCommand): void;
  /** Takes over what a restored session has beside its context. */
  restoreParts(session: RestoredSession, parts: { readonly toolkit: boolean }): void;
  readonly events: Pick<EventEmitter, "emit">;
  /** Nothing of the session runs any more. */
  ended(): void;
  /** The session is loaded: hooks may do what they do while it rests. */
  beginRest(): void;
}

/** The life of one session in this process: read under a lease, loaded into the chart, left before the process exits. It is the state of
 *  its machine, of which steps are taken as XState's `transition()` does: what else a snapshot has is the same for all sessions in that
 *  state. */
export class SessionLife implements Leaver {
  readonly #session: LivingSession;
  #value: SnapshotFrom<SessionMachine>["value"] = "closed";
  #path = "closed";
  #context: SessionContext;

  /** The reading of the stored session, while it is under way. */
  #reading: Promise<void> | undefined;
  /** Ends the wait for another process that has the session. */
  #endWait = nothing;
  #stored: RestoredSession | undefined;

  constructor(about: Pick<SessionContext, "name" | "isDurable">, session: LivingSession) {
    this.#session = session;
    this.#context = { ...about, leaseUntil: null, waitUntil: 0, error: null };
  }

  /** Handles an event and performs what it makes happen. Throws the refusal; its cause is the error that the session met. */
  send(event: SessionEvent): void {
    const snapshot = lifeMachine.resolveState({ value: this.#value, context: this.#context });
    refused = undefined;
    decided.length = 0;
    const { value, context } = lifeMachine.transition(snapshot, event, SCOPE);
    if (refused) throw errorFrom(refused as ErrorInfo, this.#context.error ?? undefined);
    if (value !== this.#value) [this.#value, this.#path] = [value, statePath(value)];
    this.#context = context;
    if (decided.length === 0) return;
    const actions = decided;
    decided = []; // an action may send the next event
    for (const { type, params } of actions)
      if (type === "perform") this.#perform((params as unknown as HostEffect).name as LifeEffect);
  }

  #perform(effect: LifeEffect): void {
    if (effect === "read") this.#reading = this.#read();
    else if (effect === "begin") this.#begin();
    else if (effect === "endAgent") this.#end();
    else if (effect === "releaseLease") this.#giveUpLease();
    else this.#session.journal.abandon();
  }

  /** Calls begin and commands are accepted, and what happens is stored. */
  get isOpen(): boolean {
    return this.#path.startsWith("open.");
  }

  get isQuarantined(): boolean {
    return this.#path === "quarantined";
  }

  /** Nothing of the session runs in this process any more. */
  get isOver(): boolean {
    return this.#path === "stopped" || this.#path === "lost";
  }

  /** The error that ended the agent; undefined while it is alive. */
  get endedBy(): AgentError | undefined {
    return this.isOver ? this.#context.error! : undefined;
  }

  /** Restores the session, once. Rejects as `Journal.open` does; a session that cannot be read is quarantined. `waitMs`: how
   *  long another process that has the session is waited for. */
  async open(waitMs = 0): Promise<void> {
    this.send({ type: "session.open", waitUntil: Date.now() + waitMs });
    await this.#reading;
    this.#reading = undefined;
    const { journal } = this.#session;
    if (journal.isAlone) await journal.saved();
  }

  /** Takes the lease and reads the session. */
  async #read(): Promise<void> {
    const { journal } = this.#session;
    try {
      this.#stored = await journal.open();
      if (this.#stored) await this.#admit(this.#stored);
    } catch (error) {
      this.send({ type: "session.failed", at: Date.now(), error: agentErrorOf(error, "store/failed") });
      if (this.#path !== "waiting") throw error; // else another process has it, and this one tries again soon
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, RETRY_OPEN_MS);
      this.#endWait = resolve;
      await promise;
      clearTimeout(timer);
      this.send({ type: "session.retry" });
      return this.#reading;
    }
    this.send({ type: "session.read", until: journal.leaseUntil });
  }

  /** Gives the lease back of a session that is left to another agent, and throws why. */
  async #admit(session: RestoredSession): Promise<void> {
    try {
      this.#assertLoads(session);
    } catch (error) {
      await this.#session.journal.release();
      throw error;
    }
  }

  /** Loads what was read, or begins a journal. */
  #begin(): void {
    const { journal, settings, context } = this.#session;
    const { takeOver } = journal;
    if (this.#stored) this.#replace(this.#stored, {}, takeOver);
    else journal.recordFacts(stepFacts(replacing(freshContext(settings, Transcript.of()), context)));
    this.#stored = undefined;
    this.send({ type: "session.begun" });
    if (takeOver) this.#tell(stepFacts([{ type: "session.taken", takeOver }]));
    this.#adopt();
    this.#session.beginRest();
    leaveAtProcessEnd(this);
  }

  /** Tells what the journal does not have of the session that was loaded. */
  #tell(step: StepFacts): void {
    const { journal, context, events } = this.#session;
    journal.recordFacts(step);
    for (const event of eventsOf(step, context, false)) events.emit(event);
  }

  /** Replaces the session by a restored one. Throws `session/agent-changed` for one that is left to another agent. */
  load(session: RestoredSession, parts?: SavedParts): void {
    this.#assertLoads(session);
    this.#replace(session, parts);
    this.#adopt();
    this.#session.beginRest();
  }

  #assertLoads(session: RestoredSession): void {
    assertRepeats(session, this.#session);
    const refused = this.#session.refusal(this.#loading(session));
    if (refused?.code === "session/agent-changed") throw errorFrom(refused);
  }

  #loading({ context, isReleased = false }: RestoredSession, takeOver?: TakeOver): AgentCommand {
    const agent = this.#session.fingerprint;
    const more = { ...(isReleased && { isReleased }), ...(takeOver && { takeOver }) };
    return { type: "session.load", context, agent, ...more };
  }

  /** Goes on with the turn of another agent, if the session is in one. */
  #adopt(): void {
    const current = this.#session;
    if (visitors.has(current.host.config.model)) return;
    const event: AgentCommand = { type: "session.adopt", at: current.now(), agent: current.fingerprint };
    if (!current.refusal(event)) current.send(event);
  }

  #replace(
    session: RestoredSession,
    { memory = true, toolkit = true, slots = memory }: SavedParts = {},
    takeOver?: TakeOver,
  ): void {
    const current = this.#session;
    current.restoreParts(session, { toolkit });
    const context = {
      ...(memory ? session : current).context,
      slots: (slots ? session : current).context.slots,
    };
    if (memory || slots)
      current.send(this.#loading({ ...session, context: current.host.withRules(context) }, takeOver));
  }

  /** Stops what waits for the session or for the end of the process. */
  #end(): void {
    stayAtProcessEnd(this);
    this.#endWait();
    this.#session.ended();
  }

  #giveUpLease(): void {
    stayAtProcessEnd(this);
    this.#session.journal.discard();
  }

  /** The process is about to exit. */
  leave(exitCode?: number): void {
    const isAtRest = phaseOf(this.#session.path) !== "running";
    this.send({ type: "session.leave", isAtRest, ...(exitCode !== undefined && { exitCode }) });
  }
}

/** Refuses a fork that repeats recorded results to an agent whose tools would really run. */
function assertRepeats({ context }: RestoredSession, { host, settings }: LivingSession): void {
  const repeats = repeatedSession(context.slots);
  if (repeats === undefined || (host.config as { [REPEATING]?: unknown })[REPEATING] === repeats) return;
  const { sessionId } = settings;
  throw new AgentError(
    "session/agent-changed",
    `Session '${sessionId}' repeats the recorded results of '${String(repeats)}', and the tools of this agent would really run: fork it again.`,
    { data: { sessionId, policy: "pin", repeats } },
  );
}

/** The messages of a session that are needed: those that a turn reads, or all. */
export type Needed = "turn" | "all";

/** Reads messages of an open session that are not here yet; undefined if all that are needed are. Rejects `session/damaged`, and as the
 *  store does. */
export function load(
  { context, host }: { readonly context: AgentContext; readonly host: Pick<AgentHost, "personas"> },
  needed: Needed,
): Promise<void> | undefined {
  if (context.transcript.from === 0) return undefined;
  // a persona's tools may be offered by what was said at any time
  return needed === "all" || host.personas ? context.transcript.load() : loadTurn(context);
}

/** Calls `next` when `ready` has resolved, at once if there is nothing to wait for. */
export function after<T>(ready: Promise<void> | undefined, next: () => T): T | Promise<Awaited<T>> {
  return ready ? (ready.then(next) as Promise<Awaited<T>>) : next();
}

/** A session that holds something which it gives back before the process exits. */
type Leaver = {
  /** `exitCode` is absent if the process has nothing left to do but may still wait for a store. */
  leave(exitCode?: number): void;
};

const sessions = new Set<Leaver>();
const whenIdle = (): void => sessions.forEach((session) => session.leave());
const whenExiting = (exitCode: number): void => sessions.forEach((session) => session.leave(exitCode));

/** Lets a session leave when the process is about to exit normally, until {@link stayAtProcessEnd}. In the event `beforeExit` an
 *  asynchronous store has time to answer, in `exit` only a synchronous one has. */
function leaveAtProcessEnd(session: Leaver): void {
  if (sessions.size === 0) {
    nodeProcess?.on?.("beforeExit", whenIdle);
    nodeProcess?.on?.("exit", whenExiting);
  }
  sessions.add(session);
}

/** The session has nothing to give back any more. */
function stayAtProcessEnd(session: Leaver): void {
  if (!sessions.delete(session) || sessions.size > 0) return;
  nodeProcess?.off?.("beforeExit", whenIdle);
  nodeProcess?.off?.("exit", whenExiting);
}
