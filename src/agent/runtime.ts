import { AgentError, type ErrorInfo } from "../core/base/error.ts";
import type { AnyHook } from "../core/hook/types.ts";
import { Transcript } from "../core/message/transcript.ts";
import { checkMessages } from "../core/message/validate.ts";
import { checkHistory } from "../session/check-history.ts";
import { Journal, type LeaseEvent } from "../session/journal.ts";
import type { RestoredSession } from "../session/restore.ts";
import type { SavedParts } from "../session/save.ts";
import type { JournalState } from "../session/format.ts";
import { freshContext, type AgentContext } from "../../machines/agent/context.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import { beginsTurn } from "../../machines/agent/updates/entry.ts";
import { agentResolver } from "../../machines/agent/agent-chart.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import type { Fact, StepFacts } from "../../machines/agent/facts.ts";
import { phaseOf, shortPath } from "../../machines/agent/updates/calls.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import type { Fingerprint } from "../core/tool/fingerprint.ts";
import type { StepTaken } from "../../machines/chart/accelerator.ts";
import { SessionSummary, journalStateOf, statusOf } from "./status.ts";
import { AgentHost } from "./agent-host.ts";
import { settingsOf } from "./options/config.ts";
import { currentCause, StepPublisher, takenStep, type TakenStep } from "./steps.ts";
import { cutOffEvents, eventsOf, DERIVED_TYPES, UNTOLD } from "./derive-events.ts";
import { finalTimeouts } from "./services/final-timeouts.ts";
import { AllowedTools } from "./allowed-tools.ts";
import type { EventEmitter, EventPlace } from "../core/event/emitter.ts";
import { observerOf } from "./inspect.ts";
import { LiveChart, type ActorParent, type ChartOwner, type ChartPlace, SentCommands } from "./live-chart.ts";
import { RestHooks } from "./rest-hooks.ts";
import { SessionLife, type LivingSession } from "./session-life.ts";
import type { SharedParts, RuntimeListener } from "./runtime-parts.ts";
import { readSnapshot } from "./snapshot.ts";
import type { SessionTelemetry } from "./telemetry.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";
import type { Status } from "./types.ts";

/** A session in this process: its chart, its life, its events, and what changes it. */
export class Runtime implements ChartOwner, LivingSession {
  readonly settings: Settings;
  readonly events: EventEmitter;
  readonly journal: Journal;
  /** The steps of the chart, for inspectors. */
  readonly steps = new StepPublisher(this);
  readonly telemetry: SessionTelemetry | undefined;
  readonly #config: AnyAgentConfig;
  readonly #listener: RuntimeListener;
  readonly host: AgentHost;
  readonly #chart: LiveChart;
  readonly #life: SessionLife;
  readonly #commands = new SentCommands();
  /** Made for the first rest with hooks for it: few sessions have any. */
  #rest: RestHooks | undefined;
  /** Resolved when something has changed, or the agent has ended. */
  #moved: PromiseWithResolvers<void> | undefined;
  /** The requests to models so far. */
  #modelCalls = 0;
  #about: SessionSummary | undefined;

  constructor(config: AnyAgentConfig, listener: RuntimeListener, shared: SharedParts) {
    this.#config = config;
    this.#listener = listener;
    this.settings = settingsOf(config);
    this.events = shared.events;
    this.host = new AgentHost(this, config, shared, listener.around.rules);
    const { toolkit, personas } = this.host;
    const { store, sessionOptions: { leaseMs, redact } = {} } = config;
    this.journal = new Journal({ session: this, store, leaseMs, redact, ...listener.around });
    this.#life = new SessionLife({ name: config.name, isDurable: this.isDurable }, this);
    const initial = config.messages ? checkMessages(config.messages, "createAgent: `messages`") : [];
    const { snapshot } = config.sessionOptions ?? {};
    const restored = snapshot && readSnapshot(snapshot, this.settings);
    if (restored) toolkit.restoreGroups(restored.activeGroups);
    const inspect = config.inspect === undefined ? undefined : observerOf(config);
    const fresh = freshContext(this.settings, Transcript.of(initial));
    if (initial.length > 0) checkHistory(fresh, "createAgent: `messages`", "message/invalid");
    const allowed = new AllowedTools(config, toolkit, personas?.permissions);
    this.#chart = new LiveChart(this, {
      ...this.host.withRules(fresh),
      listening: this.host.hookPoints,
      allowed: allowed.current,
    });
    const { name, model, otel } = config;
    this.telemetry = otel?.observe({
      name,
      sessionId: this.settings.sessionId,
      model,
      redact,
      steps: this.steps,
    });
    if (listener.around.parent ?? inspect) this.#chart.show(inspect && { inspect });
    allowed.watch(this);
    if (!this.isDurable) this.#life.send({ type: "session.open" });
    if (restored) this.load({ ...restored, hooks: [] });
  }

  get context(): AgentContext {
    return this.#chart.context;
  }

  /** The path of the innermost state of the chart, such as "reasoning.calling.running". */
  get path(): string {
    return this.#chart.path;
  }

  /** The state of the chart as events and journals name it, such as "reasoning.calling". */
  get state(): string {
    return shortPath(this.path);
  }

  /** The actor of the chart. It stays once somebody has it. */
  get actor(): LiveChart["actor"] {
    return this.#chart.actor;
  }

  get parent(): ActorParent | undefined {
    return this.#listener.around.parent;
  }

  /** The names of the agents inside of which this one runs, the outermost first, and its own. */
  get names(): readonly string[] {
    return this.#listener.around.path ?? [this.#config.name];
  }

  /** True while commands are accepted: the session is open in this process. */
  get isOpen(): boolean {
    return this.#life.isOpen;
  }

  get isStopped(): boolean {
    return this.#life.isOver;
  }

  /** The error that ended the agent; undefined while it is alive. */
  get stoppedBy(): AgentError | undefined {
    return this.#life.endedBy;
  }

  /** Returns the error of a service that a turn failed with, if it is known in this process. */
  causeOf(failure: ErrorInfo): AgentError | undefined {
    return this.host.causeOf(failure);
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
    return (this.#config.sessionOptions?.now ?? Date.now)();
  }

  /** Sends a command to the chart. One that is sent while the chart handles another is queued behind it. */
  send(event: AgentCommand): void {
    if (this.isStopped) return;
    const by = currentCause();
    this.#chart.send(by === undefined ? event : { ...event, by });
  }

  /** Returns the reason for which the chart would refuse a command now; undefined if it would accept it. */
  refusal(event: AgentCommand): ErrorInfo | undefined {
    return agentResolver.refusal(this.path, this.context, event) as ErrorInfo | undefined;
  }

  /** Sends a command and resolves once the chart has accepted it; rejects with its refusal, or with why the agent has ended. An input
   *  that the command came from is acknowledged by the append that stores what the command changed. */
  async command(event: AgentCommand, inputId?: string): Promise<void> {
    this.assertAccepts("command");
    await this.#commands.send(
      (id) => this.send({ ...event, id }),
      () => inputId !== undefined && this.journal.acknowledge(inputId),
    );
  }

  get phase(): Status["phase"] {
    return this.#life.isQuarantined ? "quarantined" : phaseOf(this.path);
  }

  status(): Status {
    return statusOf(this.context, this.phase, this.journal.seq);
  }

  /** Returns the session as its journal needs it. */
  journalState(): JournalState {
    const { context, state } = this;
    return journalStateOf(
      { ...this.status(), context, state },
      {
        activeGroups: this.host.toolkit.activeGroups(),
        hooks: this.host.allHooks.map(({ name }) => name),
        name: this.#config.name,
        about: (this.#about ??= new SessionSummary()).of(context, this.#config.sessionOptions?.redact),
        ...(this.#config.meta && { meta: this.#config.meta }),
      },
    );
  }

  open(waitMs?: number): Promise<void> {
    return this.#life.open(waitMs);
  }

  /** As {@link open}; undefined if there is nothing to wait for. */
  opened(): Promise<void> | undefined {
    return this.isDurable ? this.open() : undefined;
  }

  get isSeen(): boolean {
    const hasRules = this.#config.rules !== undefined; // what they remember may have to be read from the messages
    return hasRules || this.#chart.isSeen || this.steps.hasCallListeners;
  }

  /** The parts of which this agent consists. */
  get fingerprint(): Fingerprint {
    return this.host.fingerprint;
  }

  /** The place of events that happen now. */
  get position(): EventPlace {
    return { seq: this.journal.seq, at: this.now(), turn: this.#turn() };
  }

  /** The turn that events belong to: the one of the input while it is being entered. */
  #turn(): number {
    const { inbox, progress } = this.context;
    return inbox.input.length > 0 && beginsTurn(this.context) ? progress.turn + 1 : progress.turn;
  }

  /** Replaces the session by a restored one. Throws `session/agent-changed` for one that is left to another agent. */
  load(session: RestoredSession, parts?: SavedParts): void {
    this.#life.load(session, parts);
    if (parts?.memory ?? true) this.host.schema = undefined; // it was of another turn
  }

  /** Takes over what a restored session has beside its context. */
  restoreParts(
    { activeGroups, hooks, modelCalls, title }: RestoredSession,
    { toolkit }: { readonly toolkit: boolean },
  ): void {
    this.#modelCalls = modelCalls ?? this.#modelCalls;
    this.#about = new SessionSummary(title);
    const { allHooks: own, toolkit: tools } = this.host;
    for (const name of hooks.filter((each) => !own.some((hook) => hook.name === each))) {
      const message = `The session had a hook '${name}', which this agent does not have.`;
      this.events.emit({ type: "hook.failed", hook: name, error: { code: "hook/failed", message } });
    }
    if (activeGroups && toolkit) tools.restoreGroups(activeGroups);
  }

  /** Lets hooks do what they do while the session rests, if it does. */
  beginRest(): void {
    if (phaseOf(this.path) !== "stopped" || this.isStopped || !this.host.hooks().some(({ onRest }) => onRest))
      return;
    (this.#rest ??= new RestHooks(this, this.host)).begin();
  }

  /** The work of hooks while the session rests; undefined if there was none. */
  get rest(): RestHooks | undefined {
    return this.#rest;
  }

  /** Journals that an input was refused, and emits an event. */
  async refuse(inputId: string, error: ErrorInfo): Promise<void> {
    const refused = this.journal.refuse(inputId, error);
    this.events.emit({ type: "input.refused", inputId, error });
    await refused;
  }

  setHooks(change: (hooks: readonly AnyHook[]) => readonly AnyHook[]): readonly AnyHook[] {
    const { host } = this;
    host.replaceHooks(change(host.allHooks));
    this.send({ type: "hooks.listen", points: host.hookPoints });
    return host.allHooks;
  }

  get isDurable(): boolean {
    return this.#config.store !== undefined;
  }

  /** Ends the agent at once. */
  stop(error: AgentError): void {
    this.#life.send({ type: "session.stop", error });
  }

  /** Resolves when the agents that ran inside of this one have left their sessions too. */
  innerEnded(): Promise<unknown> | undefined {
    return this.host.ended();
  }

  /** The session's life in this process is over. */
  ended(): void {
    const error = this.stoppedBy!;
    this.#rest?.stop();
    this.#chart.stop();
    this.steps.end();
    this.#commands.end(error);
    this.#moved?.resolve();
    this.host.stop();
    this.events.drop(UNTOLD);
    for (const event of cutOffEvents(this.context, this.now())) this.events.emit(event);
    this.#listener.onStopped(error);
  }

  /** Ends the agent at once, and lets the lease expire as if the process had died. */
  abandon(error: AgentError): void {
    this.stop(error);
    this.journal.abandon();
  }

  /** The instant has come for which the chart armed the session's timer. */
  timerDue(): void {
    const at = this.now();
    const final = finalTimeouts(this.host, this.context, at);
    const event: AgentCommand = { type: "timer.due", at, ...(final.length > 0 && { final }) };
    if (!this.isStopped) this.#chart.send(event);
  }

  /** The chart has taken a step. Its subscribers hear of it later. */
  stepTaken({ event, step }: StepTaken<AgentContext>): void {
    const { path, context, refused } = step;
    const command = event as AgentCommand;
    const taken = (this.isDurable || this.steps.hasListeners) && takenStep(command, step, this);
    this.#chart.stepTaken(path, context, step.facts as readonly Fact[]);
    if (taken && (this.#life.isOpen || command.type === "session.load")) this.#record(taken);
    if (taken) this.steps.publish({ ...taken, state: path });
    if (command.type === "call" && !refused) this.#listener.onCall();
    this.#commands.answer(command.id, refused);
  }

  #record({ event: { by }, edges, at, account }: TakenStep): void {
    this.journal.recordStep({ edges, at, ...(by !== undefined && { by }), ...(account && { account }) });
  }

  /** A request to a model is made. */
  modelCalled(describe: () => Omit<ModelCall, "number">): void {
    const number = ++this.#modelCalls;
    if (!this.isDurable && !this.steps.hasCallListeners) return;
    const call: ModelCall = { ...describe(), number };
    this.journal.recordCall(call);
    this.steps.publishCall(call);
  }

  /** Something has changed, and the subscribers of the chart hear of it. */
  followed(
    { path: left, context: before }: ChartPlace,
    { path, context }: ChartPlace,
    step: StepFacts,
  ): void {
    this.#moved?.resolve();
    this.#moved = undefined;
    if (before.calls !== context.calls) this.host.inputs.prune();
    if (!this.#life.isOpen) return;
    if (step.hasSettled) this.host.rested();
    if (this.isDurable) this.journal.follow(step, this.settings.isDurable);
    this.host.closeNestedAgents(step);
    if (this.events.hasListeners(DERIVED_TYPES)) {
      if (shortPath(path) !== shortPath(left)) this.events.emit({ type: "state", value: shortPath(path) });
      const events = eventsOf(step, context, phaseOf(path) === "suspended");
      if (this.isDurable && events.some(({ type }) => UNTOLD.includes(type)))
        this.events.holdUntil(this.journal.saved(), UNTOLD);
      for (const event of events) this.events.emit(event);
    }
    if (step.hasSettled) this.#listener.onSettled(context, step);
    if (phaseOf(left) !== "stopped") this.beginRest();
  }

  /** The machine of the chart has failed, or was stopped. */
  failed(message: string, cause?: unknown): void {
    this.stop(new AgentError("run/closed", message, { cause }));
  }

  /** Resolves when nothing runs and everything is durable. */
  async rested(): Promise<void> {
    while (this.phase === "running" && !this.isStopped)
      await (this.#moved ??= Promise.withResolvers<void>()).promise;
    await this.saved();
  }

  /** Resolves when everything that has happened is durable; undefined for a session without a store. */
  saved(): Promise<void> | undefined {
    return this.isDurable ? this.journal.saved() : undefined;
  }

  /** Reports that the recorded entries have been written. */
  committed(): void {
    this.#listener.onCommitted();
  }

  /** The lease was renewed, was not renewed, or is lost. */
  leaseChanged(event: LeaseEvent): void {
    this.#life.send(event);
  }
}
