import { shortened } from "../base/shown.ts";
import { AgentError, errorInfo, type ErrorInfo } from "../base/error.ts";
import type { Hook } from "../hook/types.ts";
import type { Msg } from "../message/types.ts";
import { restoreSession } from "../session/restore.ts";
import { replayEvents } from "../session/replay.ts";
import { savedPartsSchema, saveSession, type SavedParts } from "../session/save.ts";
import { withDeadlines } from "../store/deadlines.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import type { OutputOf, Schema, Toolkit } from "../tool/types.ts";
import { refusalOf } from "../../machines/agent/updates/entry.ts";
import { statsWithWaiting } from "../../machines/agent/updates/spent.ts";
import type { TurnStats } from "../../machines/agent/context.ts";
import type { PendingCall } from "../tool/pending.ts";
import { openSchema, shutdownSchema, subscribeSchema } from "./call-schema.ts";
import { checkCallOptions } from "./check-arguments.ts";
import { check } from "../base/options.ts";
import { hookSchema } from "../hook/hook-schema.ts";
import type { OnBegin } from "./call-limits.ts";
import { errorOfWaiter } from "./caller.ts";
import { currentHooks, joinClass } from "./class-hooks.ts";
import { rulesOption } from "./agent-rules.ts";
import { checkConfig, messagesOf, sessionIdOf } from "./config.ts";
import { closeDown, shutDown } from "./ending.ts";
import type { LiveSession } from "./live-session.ts";
import { after, load, type Needed } from "./needed-messages.ts";
import { agentSlots } from "./agent-slots.ts";
import { Passivation } from "./passivation.ts";
import { resumableAt } from "./reply.ts";
import { SessionCommands } from "./session-commands.ts";
import { limitedCall, unretried } from "./retried-call.ts";
import { STEPS, type StepSource } from "./steps.ts";
import type { Runtime } from "./runtime.ts";
import type { Surroundings } from "./runtime-parts.ts";
import type { ActorAgent, InboxAgent, InnerAgent } from "./inbox-agent.ts";
import { takeSnapshot } from "./snapshot.ts";
import { TurnStream } from "./stream.ts";
import type { Turns } from "./turns.ts";
import type { AgentEvent } from "../event/types.ts";
import type { CompactionResult } from "./compaction-options.ts";
import type {
  Agent,
  AgentStream,
  CallOptions,
  Input,
  Reply,
  RetryOptions,
  Snapshot,
  Status,
  StreamOptions,
} from "./types.ts";
import type { AgentConfig } from "./agent-config.ts";

/** How long a shutdown takes at most by default, ms. */
const SHUTDOWN_MS = 10_000;

/** Nothing is around most agents. */
const NOWHERE: Surroundings = Object.freeze({});

/** An agent: what its callers and its worker ask of one session. */
export class AgentSession implements InboxAgent, InnerAgent, ActorAgent {
  readonly name: string;
  readonly sessionId: string;
  readonly #config: AgentConfig<never>;
  readonly #session: Passivation;
  // Few of the agents that rest have been asked for either.
  #slots: ReturnType<typeof agentSlots> | undefined;
  #made: SessionCommands | undefined;
  /** Calls whose promise is pending. */
  #calls = 0;

  constructor(config: AgentConfig<never>, around: Surroundings = NOWHERE) {
    checkConfig(config);
    const store = config.store && { store: withDeadlines(config.store) };
    this.name = config.name;
    this.sessionId = sessionIdOf(config);
    const own = { ...currentHooks(config), ...rulesOption(config) };
    this.#config = { ...config, ...own, sessionId: this.sessionId, ...store };
    (this.#session = new Passivation(this.#config, around, this)).revive();
    joinClass(config, this.#session);
  }

  /** The slots, of whichever runtime the session has. */
  get slots(): ReturnType<typeof agentSlots> {
    return (this.#slots ??= agentSlots(
      () => this.#runtime,
      () => this.#ready(),
    ));
  }

  get #commands(): SessionCommands {
    return (this.#made ??= new SessionCommands(
      () => this.#runtime,
      (needed) => this.#between(needed),
    ));
  }

  get [STEPS](): StepSource {
    return this.#runtime.steps;
  }

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  get #here(): LiveSession {
    return this.#session.here;
  }

  get #runtime(): Runtime {
    return this.#here.runtime;
  }

  get #turns(): Turns {
    return this.#here.turns;
  }

  get toolkit(): Toolkit<never> {
    return this.#session.keepToolkit();
  }

  get actor(): Runtime["actor"] {
    return this.#runtime.actor;
  }

  async open(options: { readonly waitMs?: number } = {}): Promise<void> {
    check(openSchema(), options, "open");
    await this.#open(options.waitMs);
    if (!this.#here.around.admit) await this.#turns.endStored(); // a worker ends it when it is heard
  }

  async #open(waitMs?: number): Promise<void> {
    this.#runtime.assertAccepts("command");
    await this.#session.leaving;
    const { runtime, loading } = this.#here;
    await loading;
    await runtime.open(waitMs);
    this.#session.rested();
  }

  async call<const S extends Schema | undefined = undefined>(
    input?: Input,
    options: CallOptions<S, never> & RetryOptions = {},
  ): Promise<Reply<OutputOf<S>>> {
    try {
      return await this.#call(input, options);
    } catch (thrown) {
      throw errorOfWaiter(thrown);
    }
  }

  /** As {@link call}. `onBegin` is called when the events that follow belong to this call. */
  async #call<S extends Schema | undefined>(
    input: Input,
    options: CallOptions<S, never> & RetryOptions,
    onBegin: () => void = () => {},
  ): Promise<Reply<OutputOf<S>>> {
    this.#runtime.assertAccepts("command");
    checkCallOptions(options);
    this.#calls++;
    try {
      return await limitedCall(input, options, this.#runtime.settings, this.#config, (keyed, begin) =>
        this.#take(input, keyed, onBegin, (interrupt) => (begin(interrupt), onBegin())),
      );
    } finally {
      this.#calls--;
    }
  }

  async #take<S extends Schema | undefined>(
    input: Input,
    options: CallOptions<S, never>,
    onJoin: () => void,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>> {
    const { idempotencyKey } = options;
    const goesOn = idempotencyKey === undefined && messagesOf(input, true).length === 0;
    const ready = this.#between("turn", !goesOn);
    if (ready) await ready; // else the turn begins in this tick, so that it can be interrupted at once
    if (idempotencyKey === undefined) return this.#turns.start(input, options, onBegin);
    return this.#here.keyed.call(messagesOf(input, true), { ...options, idempotencyKey }, onJoin, onBegin);
  }

  async begin(...[input, inputId, options]: Parameters<InboxAgent["begin"]>): Promise<void> {
    await this.#between("turn", false);
    try {
      messagesOf(input, true);
      this.#turns.accepted(options?.clientTools);
    } catch (error) {
      await this.refuse(inputId, errorInfo(error, "message/invalid"));
      throw error;
    }
    await this.#turns.run(input, { ...options, idempotencyKey: inputId });
  }

  refusalOf(input: readonly Msg[]): ErrorInfo | undefined {
    return refusalOf(this.#runtime.context, { input, at: this.#runtime.now() });
  }

  async writeSlot(...args: Parameters<InboxAgent["writeSlot"]>): Promise<void> {
    await this.slots.writeSlot(...args);
  }

  async refuse(inputId: string, error: ErrorInfo): Promise<void> {
    await this.#ready();
    await this.#runtime.refuse(inputId, error);
  }

  get stats(): TurnStats {
    return statsWithWaiting(this.#runtime.context);
  }

  get lease(): Lease | undefined {
    return this.#runtime.journal.lease;
  }

  get journal(): InboxAgent["journal"] {
    return this.#runtime.journal;
  }

  get closedBy(): AgentError | undefined {
    return this.#runtime.stoppedBy;
  }

  abandon(error: AgentError): void {
    this.#runtime.abandon(error);
  }

  async rest(): Promise<void> {
    await this.#runtime.rested();
  }

  lastReply<S extends Schema | undefined>(schema: S): Promise<Reply<OutputOf<S>>> {
    return this.#turns.repeatReply(this.#runtime.context, schema);
  }

  async touch(): Promise<void> {
    await this.#ready();
    await this.#runtime.journal.touch();
  }

  async acknowledge(inputId: string): Promise<void> {
    await this.#ready();
    this.#runtime.journal.acknowledge(inputId);
    await this.#runtime.journal.touch();
  }

  wakeAt(): number | undefined {
    return this.#runtime.status().phase === "suspended" ? resumableAt(this.#runtime.context) : undefined;
  }

  stream<const S extends Schema | undefined = undefined>(
    input?: Input,
    options: CallOptions<S, never> & StreamOptions = {},
  ): AgentStream<OutputOf<S>> {
    let hasBegun = false; // earlier events belong to another turn
    return new TurnStream<OutputOf<S>>({
      subscribe: (listener) =>
        this.#runtime.events.subscribe(
          (event) => hasBegun && listener(event),
          undefined,
          options?.cumulative,
        ),
      run: () => this.#call(input, unretried(options), () => (hasBegun = true)),
      onLeave: () => void (options?.onLeave === "continue" || this.interrupt()),
    }) as unknown as AgentStream<OutputOf<S>>; // its events are typed by the schema
  }

  async decide(...args: Parameters<InboxAgent["decide"]>): Promise<PendingCall[]> {
    return this.#commands.decide(...args);
  }

  interrupt(message?: string | Msg, inputId?: string): boolean {
    return this.#commands.interrupt(message, inputId);
  }

  steer(message: string | Msg, inputId?: string): boolean {
    return this.#commands.steer(message, inputId);
  }

  async extendBudget(...args: Parameters<InboxAgent["extendBudget"]>): Promise<void> {
    await this.#commands.extendBudget(...args);
  }

  async compact(...args: Parameters<InboxAgent["compact"]>): Promise<CompactionResult> {
    return this.#commands.compact(...args);
  }

  async edit(change: Parameters<Agent["edit"]>[0]): Promise<void> {
    await this.#commands.edit(change);
  }

  async observe(messages: Msg | readonly Msg[]): Promise<void> {
    await this.#commands.observe(messages);
  }

  async messages(): Promise<Msg[]> {
    await (this.#runtime.isStopped ? load(this.#runtime, "all") : this.#between("all", false));
    return this.#runtime.context.transcript.slice();
  }

  status(): Status {
    const status = this.#runtime.status();
    const isAtRest = status.phase === "stopped" || status.phase === "unfinished";
    const isPending = this.#calls > 0 && !this.#turns.isAnnouncing; // it is opened or saved
    return isAtRest && isPending ? { ...status, phase: "running" } : status;
  }

  subscribe(
    listener: (event: AgentEvent) => void,
    options: Parameters<Agent["subscribe"]>[1] = {},
  ): () => void {
    if (typeof listener !== "function")
      throw new AgentError("config/invalid", "subscribe: the listener must be a function.");
    check(subscribeSchema(), options, "subscribe");
    const [{ after, types }, { events }, { store }] = [options, this.#runtime, this.#config];
    if (after === undefined || !store) return events.subscribe(listener, types);
    const wanted = types && new Set(types);
    return replayEvents(
      store,
      this.sessionId,
      after,
      (live) => events.subscribe(live),
      (event) => void ((wanted?.has(event.type) ?? true) && listener(event)),
    );
  }

  addHook(hook: Hook<never>): void {
    check(hookSchema(), hook, "addHook", "The hook");
    this.#session.addHook(hook);
  }

  removeHook(name: string): boolean {
    return this.#session.removeHooks((hook) => hook.name === name);
  }

  snapshot(): Snapshot {
    const { context, state, equipment } = this.#runtime;
    const { redact } = this.#config.sessionOptions ?? {};
    return takeSnapshot(context, state, equipment.toolkit.activeGroups(), redact);
  }

  async saveTo(store: SessionStore, key: string, parts: SavedParts = {}): Promise<void> {
    check(savedPartsSchema(), parts, "saveTo");
    await this.#between("all", false);
    const [{ redact }, now] = [this.#config.sessionOptions ?? {}, () => this.#runtime.now()];
    await saveSession(store, key, this.#runtime.journalState(), { now, parts, ...(redact && { redact }) });
  }

  async loadFrom(store: SessionStore, key: string, parts: SavedParts = {}): Promise<void> {
    const isThere = await this.loadIfExists(store, key, parts);
    if (!isThere) throw new AgentError("session/not-found", `Session not found: ${shortened(key)}`);
  }

  async loadIfExists(store: SessionStore, key: string, parts: SavedParts = {}): Promise<boolean> {
    check(savedPartsSchema(), parts, "loadIfExists");
    await this.#between("all", false);
    this.#turns.assertIdle();
    const stored = await restoreSession(store, key, this.#runtime.settings);
    await stored?.context.transcript.load(); // the journal notes what is replaced by what
    this.#turns.assertIdle();
    if (stored) this.#runtime.load(stored, parts);
    await this.#runtime.journal.saved();
    return stored !== undefined;
  }

  async passivate(): Promise<void> {
    this.#runtime.assertAccepts("command");
    await this.#session.passivate();
  }

  async shutdown(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    check(shutdownSchema(), options, "shutdown");
    const runtime = this.#runtime;
    if (runtime.isStopped) return;
    this.#session.remain();
    await shutDown(runtime, this.#turns, options.deadlineMs ?? SHUTDOWN_MS);
    await this.#here.reported();
  }

  async close(): Promise<void> {
    if (this.#runtime.isStopped) return;
    this.#session.remain();
    await closeDown(this.#runtime, this.#turns, () => this.interrupt());
    await this.#here.reported();
  }

  /** Resolves when the agent is open; undefined if it is, so that a call begins in the same tick. Throws `run/closed`. */
  #ready(): Promise<void> | undefined {
    this.#runtime.assertAccepts("command");
    return this.#session.leaving || this.#here.loading ? this.#open() : this.#runtime.opened();
  }

  /** As {@link #ready}, with the messages that are `needed`. `ends`: a turn that was stored while hooks ran at its end has ended then. */
  #between(needed: Needed = "turn", ends = true): Promise<void> | undefined {
    const ready = this.#ready();
    const ended = ends ? after(ready, () => this.#turns.endStored()) : ready;
    return after(ended, () => load(this.#runtime, needed));
  }
}
