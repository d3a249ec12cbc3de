import { truncated } from "../core/base/shown.ts";
import { LONGEST_DELAY_MS, unref } from "../core/base/time.ts";
import { AgentError, configError } from "../core/base/error.ts";
import { EventEmitter, type EventPlace } from "../core/event/emitter.ts";
import type { AnyHook } from "../core/hook/types.ts";
import type { Msg } from "../core/message/types.ts";
import { replayEvents } from "../session/replay.ts";
import type { SavedParts } from "../session/save.ts";
import { withDeadlines } from "../store/deadlines.ts";
import type { SessionStore } from "../store/port.ts";
import type { SessionToolkit } from "../core/tool/toolkit.ts";
import type { OutputOf, Schema } from "../core/tool/types.ts";
import { openSchema, shutdownSchema, subscribeSchema, checkCallOptions } from "./options/call-schema.ts";
import { check } from "../core/base/options.ts";
import { hookSchema } from "../core/hook/hook-schema.ts";
import { type OnBegin, limitedCall, unretried, errorOfWaiter } from "./call-limits.ts";
import { currentHooks, joinClass, type ClassMember } from "./class-hooks.ts";
import { rulesOption } from "./options/agent-rules.ts";
import { checkConfig, messagesOf, sessionIdOf } from "./options/config.ts";
import { closeDown, leave, restsAndIsSaved, shutDown } from "./ending.ts";
import { after, load, type Needed } from "./session-life.ts";
import { agentSlots, SessionCommands } from "./session-commands.ts";
import { resumableAt } from "./status.ts";
import { STEPS, type StepSource } from "./steps.ts";
import type { Runtime } from "./runtime.ts";
import type { SharedParts, ParentScope } from "./runtime-parts.ts";
import { takeSnapshot } from "./snapshot.ts";
import { TurnStream } from "./stream.ts";
import { printedEvent } from "./services/printed.ts";
import { busy, Turns } from "./turns.ts";
import type { AgentEvent, AgentEventBody } from "../core/event/types.ts";
import type {
  Agent,
  AnyAgent,
  AgentStream,
  AnyCallOptions,
  Input,
  Reply,
  RetryOptions,
  Snapshot,
  Status,
  StreamOptions,
} from "./types.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";

/** The default of the maximum time of a shutdown, ms. */
const SHUTDOWN_MS = 10_000;

/** Most calls have no options: nothing of them is to be checked, and nothing limits them. */
const NO_OPTIONS = Object.freeze({});

/** Nothing is around most agents. */
const NO_PARENT: ParentScope = Object.freeze({});

/** An agent: the session that its callers ask for, alive in this process or passive until somebody needs it. */
export class AgentSession extends SessionCommands implements AnyAgent, ClassMember {
  readonly name: string;
  readonly sessionId: string;
  readonly #config: AnyAgentConfig;
  readonly #around: ParentScope;
  readonly #shared: SharedParts = { events: new EventEmitter(this) };
  /** Undefined while the session is passive. */
  #live: Turns | undefined;
  #leaving: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  // Few of the agents that rest have been asked for them.
  #slots: ReturnType<typeof agentSlots> | undefined;
  /** Calls whose promise is pending. */
  #calls = 0;
  /** The number of those that wait for the session to be opened or read: it does not become passive by itself then. */
  #readers = 0;

  constructor(config: AnyAgentConfig, around: ParentScope = NO_PARENT) {
    super();
    checkConfig(config);
    const store = config.store && { store: withDeadlines(config.store) };
    this.name = config.name;
    this.sessionId = sessionIdOf(config);
    const own = { ...currentHooks(config), ...rulesOption(config) };
    this.#config = { ...config, ...own, sessionId: this.sessionId, ...store };
    this.#around = around;
    this.#revive();
    joinClass(config, this);
  }

  protected get turns(): Turns {
    return this.#live ?? this.#revive();
  }

  protected get runtime(): Runtime {
    return this.turns.runtime;
  }

  #revive(): Turns {
    const live = new Turns(this.#config, this.#shared, this.#around, this);
    this.#live = live;
    live.watch(this, this.#config);
    return live;
  }

  /** The place of events that happen now. */
  get position(): EventPlace {
    return this.runtime.position;
  }

  /** An event as listeners get it. */
  shown(body: AgentEventBody): AgentEventBody {
    const { host, context } = this.runtime;
    return host.hooks().length === 0 ? body : printedEvent(host, context.progress, body);
  }

  /** The slots, of whichever runtime the session has. */
  get slots(): ReturnType<typeof agentSlots> {
    return (this.#slots ??= agentSlots(
      () => this.runtime,
      () => this.opened(() => this.ready()),
    ));
  }

  get [STEPS](): StepSource {
    return this.runtime.steps;
  }

  /** The tools, which the caller may change from now on: the next runtime has the same object. */
  get toolkit(): SessionToolkit {
    return (this.#shared.toolkit = this.runtime.host.toolkit);
  }

  get actor(): Runtime["actor"] {
    return this.runtime.actor;
  }

  async open(options: { readonly waitMs?: number } = NO_OPTIONS): Promise<void> {
    if (options !== NO_OPTIONS) check(openSchema(), options, "open");
    await this.#open(options.waitMs);
    if (!this.#around.admit) await this.turns.endStored(); // a worker ends it when it is heard
  }

  async #open(waitMs?: number): Promise<void> {
    this.runtime.assertAccepts("command");
    await this.#leaving;
    const { runtime, loading } = this.turns;
    await loading;
    await runtime.open(waitMs);
    this.rested();
  }

  async call<const S extends Schema | undefined = undefined>(
    input?: Input,
    options: AnyCallOptions<S> & RetryOptions = NO_OPTIONS as AnyCallOptions<S>,
  ): Promise<Reply<OutputOf<S>>> {
    try {
      return await this.#call(input, options);
    } catch (thrown) {
      throw errorOfWaiter(thrown);
    }
  }

  /** As {@link call}. `onBegin` is called when the events that follow belong to this call: to a turn of its own, or of others too. */
  async #call<S extends Schema | undefined>(
    input: Input,
    options: AnyCallOptions<S> & RetryOptions,
    onBegin: (isOwn: boolean) => void = () => {},
  ): Promise<Reply<OutputOf<S>>> {
    this.runtime.assertAccepts("command");
    const isPlain = options === NO_OPTIONS;
    if (!isPlain) checkCallOptions(options);
    this.#calls++;
    try {
      const messages = messagesOf(input, true);
      const onJoin = (): void => onBegin(false);
      if (isPlain) return await this.#take(messages, options, onJoin, () => onBegin(true));
      return await limitedCall(messages, options, this.runtime.settings, this.#config, (keyed, begin) =>
        this.#take(messages, keyed, onJoin, (interrupt) => (begin(interrupt), onBegin(true))),
      );
    } finally {
      this.#calls--;
    }
  }

  async #take<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: AnyCallOptions<S>,
    onJoin: () => void,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>> {
    const { idempotencyKey } = options;
    const goesOn = idempotencyKey === undefined && messages.length === 0;
    const ready = this.between("turn", !goesOn);
    if (ready) await ready; // else the turn begins in this tick, so that it can be interrupted at once
    if (idempotencyKey === undefined) return this.turns.start(messages, options, onBegin);
    return this.turns.keyed.call(messages, { ...options, idempotencyKey }, onJoin, onBegin);
  }

  stream<const S extends Schema | undefined = undefined>(
    input?: Input,
    options: AnyCallOptions<S> & StreamOptions = NO_OPTIONS as AnyCallOptions<S>,
  ): AgentStream<OutputOf<S>> {
    let hasBegun = false; // earlier events belong to another turn, and an interrupt would be of that one
    let isLeft = false;
    let isOwn = false; // the turn that it has joined by a key is of others too
    const begin = (isNew: boolean): void => {
      if (isLeft) throw new AgentError("run/aborted", "The stream was left before its turn began.");
      hasBegun = true;
      isOwn = isNew;
    };
    const leave = (): void => {
      if (isOwn) this.interrupt();
      isLeft = true;
    };
    return new TurnStream<OutputOf<S>>({
      subscribe: (listener) =>
        this.runtime.events.subscribe((event) => hasBegun && listener(event), undefined, options?.cumulative),
      run: () => this.#call(input, unretried(options), begin),
      onLeave: () => void (options?.onLeave === "continue" || leave()),
    }) as unknown as AgentStream<OutputOf<S>>; // its events are typed by the schema
  }

  async messages(): Promise<Msg[]> {
    const all = (): Promise<void> | undefined =>
      this.runtime.isStopped ? load(this.runtime, "all") : this.between("all", false);
    return (await this.opened(all)).context.transcript.slice();
  }

  status(): Status {
    const status = this.runtime.status();
    const isAtRest = status.phase === "stopped" || status.phase === "unfinished";
    const isPending = this.#calls > 0 && !this.turns.isAnnouncing; // it is opened or saved
    return isAtRest && isPending ? { ...status, phase: "running" } : status;
  }

  subscribe(
    listener: (event: AgentEvent) => void,
    options: Parameters<Agent["subscribe"]>[1] = {},
  ): () => void {
    if (typeof listener !== "function") throw configError("subscribe: the listener must be a function.");
    check(subscribeSchema(), options, "subscribe");
    const [{ after, types }, { events }, { store }] = [options, this.runtime, this.#config];
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

  /** True once the agent has ended for good, and not only its runtime. */
  get isOver(): boolean {
    return this.#live?.runtime.isStopped ?? false;
  }

  addHook(hook: AnyHook): void {
    check(hookSchema(), hook, "addHook", "The hook");
    this.toolkit.addAll(hook.tools ?? [], hook.writes);
    this.#setHooks((hooks) => [...hooks, hook]);
  }

  removeHook(name: string): boolean {
    return this.#removeHooks((hook) => hook.name === name);
  }

  dropHook(hook: AnyHook): void {
    this.#removeHooks((each) => each === hook);
  }

  #removeHooks(isMeant: (hook: AnyHook) => boolean): boolean {
    const { toolkit } = this;
    const removed = this.runtime.host.allHooks.filter(isMeant);
    for (const tool of removed.flatMap((hook) => hook.tools ?? [])) toolkit.removeOwn(tool);
    this.#setHooks((hooks) => hooks.filter((hook) => !removed.includes(hook)));
    return removed.length > 0;
  }

  /** Changes the hooks, also for later runtimes. */
  #setHooks(change: (hooks: readonly AnyHook[]) => readonly AnyHook[]): void {
    this.#shared.hooks = this.runtime.setHooks(change);
  }

  snapshot(): Snapshot {
    const { context, state, host } = this.runtime;
    const { redact } = this.#config.sessionOptions ?? {};
    return takeSnapshot(context, state, host.toolkit.activeGroups(), redact);
  }

  async loadFrom(store: SessionStore, key: string, parts?: SavedParts): Promise<void> {
    const isThere = await this.loadIfExists(store, key, parts);
    if (!isThere) throw new AgentError("session/not-found", `Session not found: ${truncated(key)}`);
  }

  async passivate(): Promise<void> {
    this.runtime.assertAccepts("command");
    if (!this.#config.store) throw configError("passivate: the agent has no store that keeps its session.");
    const live = this.#live;
    if (!live?.runtime.isOpen) return this.#leaving;
    this.#assertIdle(live);
    await restsAndIsSaved(live.runtime);
    if (this.#live !== live || live.runtime.isStopped) return;
    this.#assertIdle(live);
    this.#live = undefined;
    this.#shared.schema = live.runtime.host.schema;
    this.#leaving = leave(live.runtime).finally(() => (this.#leaving = undefined));
    await this.#leaving;
    await live.reported();
  }

  #assertIdle(live: Turns): void {
    if (this.#calls > 0) throw busy();
    live.assertIdle();
  }

  /** Begins to count the time after which the session is passivated. */
  rested(): void {
    const { store, sessionOptions: { idleMs } = {} } = this.#config;
    const isHeld = Object.keys(this.#around).length > 0; // by a worker or another agent
    if (idleMs === undefined || !store || isHeld) return;
    clearTimeout(this.#idle);
    this.#idle = unref(setTimeout(() => this.#idleFor(), Math.min(idleMs, LONGEST_DELAY_MS)));
  }

  #idleFor(): void {
    const live = this.#live;
    if (!live || live.runtime.isStopped) return;
    const isSuspended = live.runtime.phase === "suspended";
    const goesOn = isSuspended && resumableAt(live.runtime.context) !== undefined; // at a time, without a call
    if (this.#calls + this.#readers > 0 || live.isBusy || goesOn) this.rested();
    else this.passivate().catch(() => this.rested());
  }

  async shutdown(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    check(shutdownSchema(), options, "shutdown");
    const runtime = this.runtime;
    if (runtime.isStopped) return;
    clearTimeout(this.#idle);
    await shutDown(runtime, this.turns, options.deadlineMs ?? SHUTDOWN_MS);
    await this.turns.reported();
  }

  async close(): Promise<void> {
    if (this.runtime.isStopped) return;
    clearTimeout(this.#idle);
    await closeDown(this.runtime, this.turns, () => this.interrupt());
    await this.turns.reported();
  }

  /** Resolves when the agent is open; undefined if it is, so that a call begins in the same tick. Throws `run/closed`. */
  protected ready(): Promise<void> | undefined {
    this.runtime.assertAccepts("command");
    return this.#leaving || this.turns.loading ? this.#open() : this.runtime.opened();
  }

  protected async opened(ready: () => Promise<void> | undefined): Promise<Runtime> {
    this.#readers++;
    try {
      for (;;) {
        const { runtime } = this;
        await ready();
        if (runtime === this.runtime) return runtime;
      }
    } finally {
      this.#readers--;
    }
  }

  protected between(needed: Needed = "turn", ends = true): Promise<void> | undefined {
    const ready = this.ready();
    const ended = ends ? after(ready, () => this.turns.endStored()) : ready;
    return after(ended, () => load(this.runtime, needed));
  }
}
