import { randomUUID } from "node:crypto";
import { createActor, type Actor, type SnapshotFrom } from "xstate";
import { AgentError, agentErrorOf, errorFrom, messageOf, type ErrorInfo } from "../base/error.ts";
import { sortHooks } from "./services/run-hooks.ts";
import type { Hook } from "../hook/types.ts";
import { frozenCopy } from "../base/freeze.ts";
import { Transcript } from "../message/transcript.ts";
import { checkMessages } from "../message/validate.ts";
import { DurableSession, type RestoredSession } from "../session/durable.ts";
import type { Msg } from "../message/types.ts";
import type { SavedParts } from "../session/save.ts";
import { needsFlush } from "../session/entries.ts";
import type { JournalState } from "../session/format.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import type { SessionToolkit } from "../tool/toolkit.ts";
import type { Schema, Tool } from "../tool/types.ts";
import { freshContext, type AgentContext, type Settings } from "../../machines/agent/context.ts";
import { openCalls } from "../../machines/agent/updates/calls.ts";
import { beginsTurn } from "../../machines/agent/updates/entry.ts";
import { OUTPUT_TOOL } from "../tool/reserved-names.ts";
import { agentResolver } from "../../machines/agent/agent.machine.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import { phaseOf } from "../../machines/agent/phase.ts";
import type { Refusal } from "../../machines/chart/definition.ts";
import type { StepTaken } from "../../machines/chart/xstate-5.ts";
import { liveMachine } from "./services/actors.ts";
import { boundedView } from "./bounded-view.ts";
import { pointsOf, settingsOf, stopHook, toolkitOf } from "./config.ts";
import { agentChart } from "./agent-chart.ts";
import { currentCause } from "./cause.ts";
import { cutOffEvents, eventsBetween, stateName, statePath, DERIVED_TYPES } from "./derive-events.ts";
import { finalTimeouts } from "./services/final-timeouts.ts";
import { bindHost, hostOf, type Host } from "./services/host.ts";
import { ParsedInputs } from "./services/parsed-inputs.ts";
import { SessionTimer } from "./services/timer.ts";
import type { ChartStep, StepSource } from "./steps.ts";
import { EventEmitter } from "../event/emitter.ts";
import { observerOf } from "./inspect.ts";
import { outputTool } from "./output.ts";
import { openPending, resumableAt, waitsFor } from "./reply.ts";
import { SessionLife } from "./session-life.ts";
import { readSnapshot } from "./snapshot.ts";
import type { AgentConfig, Status } from "./types.ts";

type LiveSnapshot = SnapshotFrom<typeof liveMachine>;

/** The schema of the structured answer that is asked for, and the tool that gives it. */
export type Output = { readonly schema: Schema; readonly tool: Tool<never> };

/** What the runtime calls. */
export type RuntimeListener = {
  /** Called when the chart has taken a call, before anything of it runs. */
  onCall(): void;
  /** Called when a turn has come to rest. */
  onSettled(context: AgentContext): void;
  /** Called when the journal has grown. */
  onCommitted(): void;
  /** Called once, when the agent has ended. */
  onStopped(error: AgentError): void;
  /** Called with the lease before the session is read; if it rejects, the lease is released. */
  readonly admit?: (lease: Lease) => Promise<void>;
};

/** A session in this process: the actor, what its services use, its events, and its journal. */
export class Runtime {
  readonly settings: Settings;
  readonly toolkit: SessionToolkit;
  readonly actor: Actor<typeof liveMachine>;
  readonly events: EventEmitter;
  readonly #config: AgentConfig<never>;
  readonly #listener: RuntimeListener;
  readonly #controllers = new Set<AbortController>();
  readonly #durable: DurableSession | undefined;
  readonly #timer = new SessionTimer(
    () => this.now(),
    () => this.#timerDue(),
  );
  readonly #stepListeners = new Set<(step: ChartStep) => void>();
  /** The steps of the chart, for inspectors. */
  readonly steps: StepSource = {
    current: () => ({ state: this.path, context: this.context }),
    subscribe: (listener) => {
      this.#stepListeners.add(listener);
      return () => void this.#stepListeners.delete(listener);
    },
  };
  /** Commands whose answer is awaited, by id. */
  readonly #pending = new Map<string, (refused: Refusal | undefined) => void>();
  #commands = 0;
  #hooks: readonly Hook<never>[];
  #sortedHooks: readonly Hook<never>[];
  #last: LiveSnapshot;
  /** The state and context of the newest step, which a listener may hear of before the snapshot is there. */
  #now: { readonly path: string; readonly context: AgentContext };
  readonly #life: SessionLife;
  /** The reading of the stored session, while it is under way. */
  #reading: Promise<void> = Promise.resolve();
  #stored: RestoredSession | undefined;
  #output: Output | undefined;
  readonly #inputs = new ParsedInputs((callId) =>
    openCalls(this.context).some(({ call }) => call.id === callId),
  );
  /** The `context` of the running call, else of the agent. */
  userContext: never;

  constructor(config: AgentConfig<never>, listener: RuntimeListener) {
    this.#config = config;
    this.#listener = listener;
    this.settings = settingsOf(config);
    this.toolkit = toolkitOf(config);
    this.#hooks = [...(config.hooks ?? []), ...(config.stopWhen ? [stopHook(config.stopWhen)] : [])];
    this.#sortedHooks = sortHooks(this.#hooks);
    this.userContext = this.sessionContext();
    this.#durable = config.store && this.#durableSession(config.store);
    this.#life = new SessionLife(
      { name: config.name, isDurable: config.store !== undefined },
      {
        read: () => void (this.#reading = this.#read(this.#durable!)),
        begin: () => this.#begin(),
        endAgent: () => this.#end(),
        releaseLease: () => this.#durable!.discard(),
        abandonLease: () => this.#durable!.abandon(),
      },
    );
    const initial = checkMessages(config.messages ?? [], "createAgent: `messages`");
    const restored = config.snapshot && readSnapshot(config.snapshot, this.settings);
    if (restored) this.toolkit.restoreGroups(restored.activeGroups);
    const inspect = observerOf(config);
    this.actor = createActor(liveMachine, {
      input: {
        ...freshContext(this.settings, Transcript.of(initial)),
        listening: pointsOf(this.#hooks),
      },
      ...(inspect && { inspect }),
    });
    bindHost(this.actor, this.#host());
    this.events = new EventEmitter(() => ({ seq: this.seq, at: this.now(), turn: this.#turn() }));
    this.#last = this.actor.getSnapshot();
    this.#now = { path: statePath(this.#last.value), context: this.#last.context };
    this.actor.subscribe({
      next: (snapshot) => this.#follow(snapshot),
      error: (error) =>
        this.stop(
          new AgentError("run/closed", `The agent's machine failed: ${messageOf(error)}`, { cause: error }),
        ),
    });
    this.actor.start();
    if (!this.#durable) this.#life.send({ type: "session.open" });
    if (restored) this.send({ type: "session.load", context: restored.context });
  }

  get context(): AgentContext {
    return this.#now.context;
  }

  /** The path of the innermost state of the chart, such as "reasoning.calling.running". */
  get path(): string {
    return this.#now.path;
  }

  /** The state of the chart as events and journals name it, such as "reasoning.calling". */
  get state(): string {
    return stateName(this.#last.value);
  }

  /** Journal position of the last durable fact; 0 without a store. */
  get seq(): number {
    return this.#durable?.seq ?? 0;
  }

  get lease(): Lease | undefined {
    return this.#durable?.lease;
  }

  get isStopped(): boolean {
    return this.#life.isOver;
  }

  /** The error that ended the agent; undefined while it is alive. */
  get stoppedBy(): AgentError | undefined {
    return this.#life.endedBy;
  }

  /** Throws why a call or a command is refused by the session's life in this process: the agent has ended, or takes no calls. */
  assertAccepts(type: "call" | "command"): void {
    this.#life.send({ type });
  }

  /** Takes no further calls; what runs may come to rest. */
  drain(error: AgentError): void {
    this.#life.send({ type: "session.drain", error });
  }

  now(): number {
    return (this.#config.now ?? Date.now)();
  }

  /** Sends a command to the chart. One that is sent while the chart handles another is queued behind it. */
  send(event: AgentCommand): void {
    if (this.isStopped) return;
    const by = currentCause();
    this.actor.send(by === undefined ? event : { ...event, by });
  }

  /** Why the chart would refuse a command now; undefined if it would accept it. */
  refusal(event: AgentCommand): AgentError | undefined {
    const refused = agentResolver.refusal(this.path, this.context, event);
    return refused && errorFrom(refused as ErrorInfo);
  }

  /** Sends a command and resolves once the chart has accepted it; rejects with its refusal. An input that the command came from
   *  is acknowledged by the append that stores what the command changed. */
  command(event: AgentCommand, inputId?: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = `${++this.#commands}`;
    this.#pending.set(id, (refused) => {
      if (refused) return reject(errorFrom(refused as ErrorInfo));
      if (inputId !== undefined) this.#durable?.acknowledge(inputId);
      resolve();
    });
    this.send({ ...event, id });
    return promise;
  }

  status(): Status {
    const { context } = this;
    const phase = this.#life.isQuarantined ? "quarantined" : phaseOf(this.path);
    const isWaiting = phase === "suspended";
    return {
      phase,
      ...(context.outcome && { reason: context.outcome.reason }),
      waitsFor: isWaiting ? waitsFor(context) : [],
      pending: isWaiting ? openPending(context) : [],
      seq: this.seq,
    };
  }

  /** Returns the session as its journal needs it. */
  journalState(): JournalState {
    const { context, state } = this;
    const { phase, waitsFor: waits } = this.status();
    const wakeAt = phase === "suspended" ? resumableAt(context) : undefined;
    return {
      context,
      state,
      activeGroups: this.toolkit.activeGroups(),
      isAtRest: phase !== "running",
      chart: agentChart().hash,
      edges: agentChart().edges,
      hooks: this.#hooks.map(({ name }) => name),
      position: {
        phase,
        state,
        ...(context.outcome && { reason: context.outcome.reason }),
        ...(waits.length > 0 && { waitsFor: waits }),
        ...(wakeAt !== undefined && { wakeAt }),
        ...(this.#config.meta && { meta: this.#config.meta }),
      },
    };
  }

  /** Restores the session, once. Rejects as `DurableSession.open` does; a session that cannot be read is quarantined. */
  async open(): Promise<void> {
    this.#life.send({ type: "session.open" });
    await this.#reading;
    if (this.#durable && this.seq === 0) await this.saved();
  }

  /** As {@link open}; undefined if there is nothing to wait for. */
  opened(): Promise<void> | undefined {
    return this.#durable ? this.open() : undefined;
  }

  /** The turn that events belong to: the one of the input while it is being entered. */
  #turn(): number {
    const { inbox, progress } = this.context;
    return inbox.input.length > 0 && beginsTurn(this.context) ? progress.turn + 1 : progress.turn;
  }

  /** Replaces the session by a restored one. */
  load(
    { context, activeGroups, hooks }: RestoredSession,
    { memory = true, toolkit = true }: SavedParts = {},
  ): void {
    for (const name of hooks.filter((each) => !this.#hooks.some((hook) => hook.name === each))) {
      const message = `The session had a hook '${name}', which this agent does not have.`;
      this.events.emit({ type: "hook.failed", hook: name, error: { code: "hook/failed", message } });
    }
    if (activeGroups && toolkit) this.toolkit.restoreGroups(activeGroups);
    if (!memory) return;
    this.send({ type: "session.load", context });
  }

  /** Accepts an input for an idempotency key, durably if there is a store. Returns its messages, or undefined if the key was used
   *  before. */
  async claim(key: string, messages: readonly Msg[]): Promise<readonly Msg[] | undefined> {
    return this.#durable ? this.#durable.claim(key, messages) : messages;
  }

  /** Acknowledges the input with this key in the append that stores the next event. */
  acknowledge(key: string, hash: string): void {
    this.#durable?.acknowledge(key, hash);
  }

  /** Journals that an input was refused, and acknowledges it. */
  async refuse(inputId: string, error: ErrorInfo): Promise<void> {
    this.#durable?.acknowledge(inputId);
    this.#durable?.record(this.context, this.context, [
      { type: "input.refused", data: { id: inputId, error } },
    ]);
    this.events.emit({ type: "input.refused", inputId, error });
    await this.saved();
  }

  /** Journals the position of the session, although nothing has changed. */
  async touch(): Promise<void> {
    this.#durable?.record(this.context, this.context, [{ type: "position", data: {} }]);
    await this.saved();
  }

  /** Resolves when everything that has happened is durable. */
  async saved(): Promise<void> {
    await this.#durable?.flush();
  }

  setHooks(change: (hooks: readonly Hook<never>[]) => readonly Hook<never>[]): void {
    this.#hooks = change(this.#hooks);
    this.#sortedHooks = sortHooks(this.#hooks);
    this.send({ type: "hooks.listen", points: pointsOf(this.#hooks) });
  }

  get hooks(): readonly Hook<never>[] {
    return this.#hooks;
  }

  /** The structured answer that is asked for; after a restore its schema is plain JSON Schema. */
  get output(): Output | undefined {
    const { wanted } = this.context;
    if (!wanted) return this.#output;
    this.#output ??= { schema: wanted.schema, tool: outputTool(wanted.schema) };
    return this.#output;
  }

  /** True if this process has the schema itself of the structured answer that is asked for. */
  get hasOutput(): boolean {
    return this.#output !== undefined;
  }

  set output(output: Output | undefined) {
    this.#output = output;
  }

  sessionContext(): never {
    const { context, meta = {} } = this.#config;
    if (typeof context !== "function") return context as never;
    try {
      return (context as (session: object) => never)({ sessionId: this.settings.sessionId, meta });
    } catch (cause) {
      throw new AgentError("config/invalid", `The agent's \`context\` failed: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  /** Ends the agent at once. */
  stop(error: AgentError): void {
    this.#life.send({ type: "session.stop", error });
  }

  #end(): void {
    const error = this.stoppedBy!;
    this.#timer.stop();
    this.actor.stop();
    this.#inputs.clear();
    for (const event of cutOffEvents(this.context, this.now())) this.events.emit(event);
    this.#listener.onStopped(error);
  }

  /** Ends the agent at once, and lets the lease expire as if the process had died. */
  abandon(error: AgentError): void {
    this.stop(error);
    this.#durable?.abandon();
  }

  /** Renews the lease no more, so that it expires. */
  abandonLease(): void {
    this.#durable?.abandon();
  }

  /** Saves what has happened and releases the lease. */
  async release(): Promise<void> {
    await this.#durable?.close();
  }

  #timerDue(): void {
    const at = this.now();
    const final = finalTimeouts(hostOf(this.actor), this.context, at);
    const event: AgentCommand = { type: "timer.due", at, ...(final.length > 0 && { final }) };
    if (!this.isStopped) this.actor.send(event);
  }

  #stepTaken({ event, from, step }: StepTaken<AgentContext>): void {
    const { context, edges, actions, move, refused } = step;
    const command = event as AgentCommand;
    this.#now = { path: move?.target ?? from, context };
    if (this.#life.isOpen && !refused) this.#durable?.recordStep(edges, command.by);
    for (const listener of this.#stepListeners)
      listener({ event: command, state: move?.target ?? from, context, edges, actions });
    if (command.type === "call" && !refused) this.#listener.onCall();
    const { id } = command;
    if (id === undefined) return;
    this.#pending.get(id)?.(refused);
    this.#pending.delete(id);
  }

  #follow(snapshot: LiveSnapshot): void {
    const before = this.#last;
    this.#last = snapshot;
    this.#now = { path: statePath(snapshot.value), context: snapshot.context };
    if (before.context.calls !== snapshot.context.calls) this.#inputs.prune();
    if (!this.#life.isOpen) return;
    this.#durable?.record(before.context, snapshot.context);
    const hasSettled = before.context.progress.settled !== snapshot.context.progress.settled;
    if (hasSettled || (this.settings.isDurable && needsFlush(before.context, snapshot.context))) {
      this.#durable?.flush().catch(() => {}); // an error reaches those who wait for `saved`
    }
    if (this.events.hasListeners(DERIVED_TYPES)) this.#emitBetween(before, snapshot);
    if (hasSettled) this.#listener.onSettled(snapshot.context);
  }

  #emitBetween(before: LiveSnapshot, after: LiveSnapshot): void {
    const isWaiting = phaseOf(statePath(after.value)) === "suspended";
    for (const event of eventsBetween(before.context, after.context, isWaiting)) this.events.emit(event);
    const value = stateName(after.value);
    if (value !== stateName(before.value)) this.events.emit({ type: "state", value });
  }

  async #read(durable: DurableSession): Promise<void> {
    try {
      this.#stored = await durable.open();
    } catch (error) {
      this.#life.send({ type: "session.failed", error: agentErrorOf(error, "store/failed") });
      throw error;
    }
    this.#life.send({ type: "session.read", until: durable.leaseUntil });
  }

  #begin(): void {
    if (this.#stored) this.load(this.#stored);
    else this.#durable!.record(freshContext(this.settings, Transcript.of()), this.context);
    this.#stored = undefined;
    this.#life.send({ type: "session.begun" });
  }

  #durableSession(store: SessionStore): DurableSession {
    const { redact, leaseMs } = this.#config;
    return new DurableSession({
      store,
      settings: this.settings,
      now: () => this.now(),
      state: () => this.journalState(),
      onCommitted: () => this.#listener.onCommitted(),
      onLease: (event) => this.#life.send(event),
      ...(this.#listener.admit && { admit: this.#listener.admit }),
      ...(redact && { redact }),
      ...(leaseMs !== undefined && { leaseMs }),
    });
  }

  #host(): Host {
    const { sessionId, agent, maxIters } = this.settings;
    const { generateOptions = {} } = this.#config;
    return {
      sessionId,
      config: { ...this.#config, generateOptions: frozenCopy(generateOptions) },
      toolkit: this.toolkit,
      maxIters,
      find: (call) => {
        const tool = call.name === OUTPUT_TOOL && this.context.wanted ? this.output?.tool : undefined;
        return tool ? { tool } : this.toolkit.find(call);
      },
      output: () => (this.context.wanted ? this.output : undefined),
      hooks: () => this.#sortedHooks,
      context: () => this.userContext,
      now: () => this.now(),
      newId: this.#config.newId ?? randomUUID,
      emit: (event, extras) => this.events.emit(event, extras),
      commit: () => this.saved(),
      perform: ({ name, params }) => {
        if (name === "armTimer") this.#timer.arm((params as { readonly until: number }).until);
        else if (name === "disarmTimer") this.#timer.disarm();
        else this.#controllers.forEach((controller) => controller.abort());
      },
      stepTaken: (taken) => this.#stepTaken(taken),
      hold: (controller) => {
        this.#controllers.add(controller);
        return () => void this.#controllers.delete(controller);
      },
      inputs: this.#inputs,
      hookEvent: ({ turn, iteration }, signal) => ({
        agent,
        sessionId,
        turn,
        iteration,
        maxIters,
        context: this.userContext,
        signal,
      }),
      view: (messages, turnAt) => boundedView(messages, this.#config.contextWindow, turnAt),
    };
  }
}
