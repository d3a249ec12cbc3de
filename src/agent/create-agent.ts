import { randomUUID } from "node:crypto";
import { createActor, type Actor, type InspectionEvent, type SnapshotFrom } from "xstate";
import { AgentError, errorFrom, messageOf } from "../error/error.ts";
import { sortHooks } from "../hook/run.ts";
import type { At, Hook } from "../hook/types.ts";
import { userMsg } from "../message/create.ts";
import { Transcript } from "../message/transcript.ts";
import type { Json, Msg } from "../message/types.ts";
import { checkMessages } from "../message/validate.ts";
import { LONGEST_DELAY_MS } from "../model/execution.ts";
import { jsonSchemaOf } from "../tool/schema.ts";
import type { ChatModel } from "../model/port.ts";
import type { OutputOf, Schema, Tool, Toolkit } from "../tool/types.ts";
import type { SessionToolkit } from "../tool/toolkit.ts";
import { isUndecided, pendingCalls } from "../turn/calls.ts";
import { freshContext, type AgentContext, type Settings, type WantedOutput } from "../turn/context.ts";
import { OUTPUT_TOOL } from "../turn/output.ts";
import type { Decision, PendingCall } from "../turn/pending.ts";
import type { AgentMachineEvent } from "../turn/services.ts";
import { liveMachine } from "./actors.ts";
import { boundedView, checkConfig, messagesOf, pointsOf, settingsOf, stopHook, toolkitOf } from "./config.ts";
import { eventsBetween, stateName } from "./facts.ts";
import { bindHost, type Host } from "./host.ts";
import { EventHub } from "./hub.ts";
import { openPending, plainReply, replyOf, waitsFor } from "./reply.ts";
import { outputTool, parsedOutput } from "./output.ts";
import { hasNewResult } from "../session/entries.ts";
import { DurableSession, readStored, type Stored } from "../session/durable.ts";
import type { Standing } from "../session/journal.ts";
import { saveSession } from "../session/save.ts";
import type { SessionStore } from "../store/port.ts";
import { readSnapshot, takeSnapshot } from "./snapshot.ts";
import { createStream } from "./stream.ts";
import type {
  Agent,
  AgentConfig,
  AgentEvent,
  AgentStream,
  Budget,
  CallOptions,
  Inspector,
  Reply,
  Snapshot,
  Status,
} from "./types.ts";

type LiveSnapshot = SnapshotFrom<typeof liveMachine>;

/** A call that waits for its turn to come to rest. */
type Running = {
  readonly settledBefore: number;
  readonly resolve: (reply: Promise<Reply<never>>) => void;
  readonly reject: (error: AgentError) => void;
  readonly hasFallbackReply: boolean;
};

function wantedOf(schema: Schema, model: ChatModel): WantedOutput {
  const mode = model.capabilities?.structuredOutput ? "native" : "tool";
  return { mode, schema: jsonSchemaOf(schema), reminders: 0 };
}

function safely(inspect: Inspector): (event: InspectionEvent) => void {
  return (event) => {
    try {
      if (typeof inspect === "function") inspect(event);
      else inspect.next?.(event);
    } catch {
      // XState would stop the actor for good if an inspector threw
    }
  };
}

class AgentSession implements Agent<never> {
  readonly name: string;
  readonly sessionId: string;
  readonly actor: Actor<typeof liveMachine>;
  readonly #toolkit: SessionToolkit;
  readonly #config: AgentConfig<never>;
  readonly #hub: EventHub;
  readonly #controllers = new Set<AbortController>();
  #hooks: readonly Hook<never>[];
  #sortedHooks: readonly Hook<never>[];
  #context: never;
  #last: LiveSnapshot;
  #running: Running | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #output: { readonly schema: Schema; readonly tool: Tool<never> } | undefined;
  #isClosed = false;
  readonly #settings: Settings;
  readonly #durable: DurableSession | undefined;
  #opening: Promise<void> | undefined;
  #quarantine: AgentError | undefined;
  /** Until then what the actor does is no news. */
  #isRestored: boolean;

  constructor(config: AgentConfig<never>) {
    checkConfig(config);
    const settings = settingsOf(config);
    this.#config = config;
    this.name = config.name;
    this.sessionId = settings.sessionId;
    this.#toolkit = toolkitOf(config);
    this.#hooks = [...(config.hooks ?? []), ...(config.stopWhen ? [stopHook(config.stopWhen)] : [])];
    this.#sortedHooks = sortHooks(this.#hooks);
    this.#context = this.#sessionContext();
    this.#settings = settings;
    this.#durable = config.store && this.#durableSession(config.store);
    this.#isRestored = this.#durable === undefined;
    const initial = checkMessages(config.messages ?? [], "createAgent: `messages`");
    const restored = config.snapshot && readSnapshot(config.snapshot, settings);
    if (restored) this.#toolkit.restoreGroups(restored.activeGroups);
    const context: AgentContext = {
      ...(restored?.context ?? freshContext(settings, Transcript.of(initial))),
      listening: pointsOf(this.#hooks),
    };
    this.actor = createActor(liveMachine, {
      input: context,
      ...(config.inspect && { inspect: safely(config.inspect) }),
    });
    bindHost(this.actor.system, this.#host(settings.maxIters));
    this.#hub = new EventHub(() => ({ seq: this.#seq(), at: this.#now(), turn: this.#last.context.progress.turn }));
    this.#last = this.actor.getSnapshot();
    this.actor.subscribe({
      next: (snapshot) => this.#follow(snapshot),
      error: (error) => this.#broken(error),
    });
    this.actor.start();
    if (restored) this.#resumeRest();
  }

  get toolkit(): Toolkit<never> {
    return this.#toolkit;
  }

  async open(): Promise<void> {
    this.#assertOpen();
    this.#opening ??= this.#durable ? this.#restore(this.#durable) : Promise.resolve();
    await this.#opening;
  }

  async #restore(durable: DurableSession): Promise<void> {
    try {
      const stored = await durable.open();
      if (stored) this.#load(stored);
      else durable.note(freshContext(this.#settings, Transcript.of()), this.#last.context);
      this.#isRestored = true;
      await durable.flush();
    } catch (error) {
      if (AgentError.is(error) && (error.code === "session/version" || error.code === "session/damaged")) {
        this.#quarantine = error;
      } else this.#opening = undefined;
      throw error;
    }
  }

  #load({ context, activeGroups }: Stored): void {
    if (activeGroups) this.#toolkit.restoreGroups(activeGroups);
    this.#send({ type: "session.load", context });
    this.#resumeRest();
  }

  /** A session that rested in `suspended` rests there again; an unfinished one waits for a call. */
  #resumeRest(): void {
    if (this.#last.context.progress.resumeAt === null) {
      this.#send({ type: "session.resume", at: this.#now(), input: [] });
    }
  }

  #durableSession(store: SessionStore): DurableSession {
    const { redact } = this.#config;
    return new DurableSession({
      store,
      settings: this.#settings,
      now: () => this.#now(),
      standing: () => this.#standing(),
      lost: (error) => this.#stop(error),
      ...(redact && { redact }),
    });
  }

  #standing(): Standing {
    const { context } = this.#last;
    const { phase, waitsFor: waits } = this.status();
    const state = stateName(this.#last.value);
    const wakeAt = Math.min(...context.calls.map(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt));
    return {
      context,
      state,
      activeGroups: this.#toolkit.activeGroups(),
      isAtRest: phase === "stopped" || phase === "suspended" || phase === "unfinished",
      position: {
        phase,
        state,
        ...(waits.length > 0 && { waitsFor: waits }),
        ...(Number.isFinite(wakeAt) && { wakeAt }),
        ...(this.#config.meta && { meta: this.#config.meta }),
      },
    };
  }

  #seq(): number {
    return this.#durable?.seq ?? 0;
  }

  async call<const S extends Schema | undefined = undefined>(
    input?: Parameters<Agent["call"]>[0],
    options: CallOptions<S, never> = {},
  ): Promise<Reply<OutputOf<S>>> {
    await this.#ready();
    if (options.whenBusy !== "queue") return this.#turn(input, options);
    const mine = this.#queue.then(async () => {
      await this.#idle();
      return this.#turn(input, options);
    });
    this.#queue = mine.catch(() => {});
    return mine;
  }

  stream<const S extends Schema | undefined = undefined>(
    input?: Parameters<Agent["call"]>[0],
    options: CallOptions<S, never> & { readonly cumulative?: boolean } = {},
  ): AgentStream<OutputOf<S>> {
    return createStream<OutputOf<S>>(
      {
        subscribe: (listener) => this.#hub.subscribe(listener),
        run: () => this.call(input, options),
        interrupt: () => void this.interrupt(),
      },
      options.cumulative ?? false,
    );
  }

  async decide(
    callId: string,
    decision: Decision,
    expect?: { readonly argsHash: string },
  ): Promise<PendingCall[]> {
    await this.#ready();
    const pending = pendingCalls(this.#last.context).find((call) => call.callId === callId);
    if (!pending || this.status().phase !== "suspended") {
      throw new AgentError("run/bad-results", `No open call has the id '${callId}'.`, { data: { callId } });
    }
    if (expect && expect.argsHash !== pending.argsHash) {
      throw new AgentError(
        "run/stale-decision",
        `The arguments of call '${callId}' are others than the decision was made for.`,
      );
    }
    if ((pending.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#now()) {
      throw new AgentError("run/stale-decision", `The time to decide about call '${callId}' is over.`);
    }
    this.#send({ type: "tool.decide", at: this.#now(), callId, decision });
    await this.#durable?.flush();
    const { context } = this.#last;
    const undecided = new Set(context.calls.filter(isUndecided).map(({ call }) => call.id));
    return pendingCalls(context).filter((call) => undecided.has(call.callId));
  }

  interrupt(message?: string | Msg): boolean {
    const { phase } = this.status();
    if (this.#isClosed || (phase !== "running" && phase !== "suspended")) return false;
    const said = message === undefined ? undefined : messagesOf(message)[0];
    this.#send({ type: "run.interrupt", at: this.#now(), cause: "user", ...(said && { message: said }) });
    return true;
  }

  steer(message: string | Msg): boolean {
    if (this.#isClosed || this.status().phase !== "running") return false;
    this.#send({ type: "run.steer", at: this.#now(), message: messagesOf(message)[0]! });
    return true;
  }

  async extendBudget(extra: Omit<Budget, "onExceeded">): Promise<void> {
    await this.#ready();
    this.#send({ type: "budget.extend", at: this.#now(), extra });
    await this.#durable?.flush();
  }

  async observe(messages: Msg | readonly Msg[]): Promise<void> {
    await this.#ready();
    this.#send({ type: "session.observe", at: this.#now(), messages: messagesOf(messages) });
    await this.#durable?.flush();
  }

  async messages(): Promise<Msg[]> {
    if (!this.#isClosed) await this.#ready();
    return this.#last.context.transcript.slice();
  }

  status(): Status {
    const { context } = this.#last;
    const suspended = this.#last.matches({ suspended: "waiting" });
    const idle = this.#last.matches({ stopped: "idle" });
    const unfinished = context.progress.resumeAt === null ? "stopped" : "unfinished";
    const rest = suspended ? "suspended" : idle ? unfinished : "running";
    const phase = this.#quarantine ? "quarantined" : rest;
    const isWaiting = phase === "suspended";
    return {
      phase,
      ...(context.outcome && { reason: context.outcome.reason }),
      waitsFor: isWaiting ? waitsFor(context) : [],
      pending: isWaiting ? openPending(context) : [],
      seq: this.#seq(),
    };
  }

  subscribe(listener: (event: AgentEvent) => void): () => void {
    return this.#hub.subscribe(listener);
  }

  addHook(hook: Hook<never>): void {
    for (const tool of hook.tools ?? []) this.#toolkit.add(tool);
    this.#setHooks([...this.#hooks, hook]);
  }

  removeHook(name: string): boolean {
    const removed = this.#hooks.filter((hook) => hook.name === name);
    for (const tool of removed.flatMap((hook) => hook.tools ?? [])) this.#toolkit.remove(tool.name);
    this.#setHooks(this.#hooks.filter((hook) => hook.name !== name));
    return removed.length > 0;
  }

  snapshot(): Snapshot {
    const { context, value } = this.#last;
    return takeSnapshot(context, stateName(value), this.#toolkit.activeGroups(), this.#config.redact);
  }

  async saveTo(store: SessionStore, key: string): Promise<void> {
    await this.#ready();
    await saveSession(store, key, this.#standing(), () => this.#now(), this.#config.redact);
  }

  async loadFrom(store: SessionStore, key: string): Promise<void> {
    if (!(await this.loadIfExists(store, key))) {
      throw new AgentError("session/not-found", `Session not found: ${key}`);
    }
  }

  async loadIfExists(store: SessionStore, key: string): Promise<boolean> {
    await this.#ready();
    if (this.#running) throw this.#busy();
    const stored = await readStored(store, key, this.#settings);
    if (stored) this.#load(stored);
    await this.#durable?.flush();
    return stored !== undefined;
  }

  async shutdown(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    if (this.#isClosed) return;
    if (this.#running) {
      this.#send({ type: "run.shutdown", at: this.#now() });
      const { deadlineMs = 10_000 } = options;
      let timer: NodeJS.Timeout | undefined;
      const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, deadlineMs)));
      await Promise.race([this.#idle(), deadline]);
      clearTimeout(timer);
    }
    this.#stop(new AgentError("run/shutdown", "The agent was shut down; call() goes on with the turn, in any process."));
    await this.#durable?.close(true);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.status().phase === "running") this.interrupt();
    await this.#idle();
    this.#stop(new AgentError("run/closed", `Agent '${this.name}' is closed.`));
    await this.#durable?.close(true);
  }

  #host(maxIters: number): Host {
    const at = (position: { turn: number; iteration: number }, signal: AbortSignal): At<never> => ({
      agent: this.name,
      sessionId: this.sessionId,
      turn: position.turn,
      iteration: position.iteration,
      maxIters,
      context: this.#context,
      signal,
    });
    return {
      sessionId: this.sessionId,
      config: this.#config,
      toolkit: this.#toolkit,
      maxIters,
      find: (call) => {
        const tool = call.name === OUTPUT_TOOL ? this.#outputNow()?.tool : undefined;
        return tool ? { tool } : this.#toolkit.find(call);
      },
      output: () => this.#outputNow(),
      hooks: () => this.#sortedHooks,
      context: () => this.#context,
      now: () => this.#now(),
      newId: this.#config.newId ?? randomUUID,
      publish: (event) => this.#hub.publish(event),
      commit: () => this.#saved(),
      abort: () => this.#controllers.forEach((controller) => controller.abort()),
      hold: (controller) => {
        this.#controllers.add(controller);
        return () => void this.#controllers.delete(controller);
      },
      at,
      view: (messages) => boundedView(messages, this.#config.memory),
    };
  }

  #busy(): AgentError {
    return new AgentError("run/busy", "Agent is still running, please wait for it to finish");
  }

  /** The structured answer that is wanted; after a restore it is known by its JSON Schema only. */
  #outputNow(): ReturnType<Host["output"]> {
    const { wanted } = this.#last.context;
    if (!wanted) return undefined;
    this.#output ??= { schema: wanted.schema, tool: outputTool(wanted.schema) };
    return this.#output;
  }

  #now(): number {
    return (this.#config.now ?? Date.now)();
  }

  #sessionContext(): never {
    const { context, meta = {} } = this.#config;
    return (
      typeof context === "function"
        ? (context as (session: object) => never)({ sessionId: this.sessionId, meta })
        : context
    ) as never;
  }

  #setHooks(hooks: readonly Hook<never>[]): void {
    this.#hooks = hooks;
    this.#sortedHooks = sortHooks(hooks);
    this.#send({ type: "hooks.listen", points: pointsOf(hooks) });
  }

  /** Without a store there is nothing to wait for, so the turn begins at once. */
  #ready(): Promise<void> | undefined {
    this.#assertOpen();
    if (this.#quarantine) throw this.#quarantine;
    return this.#durable ? this.open() : undefined;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new AgentError("run/closed", `Agent '${this.name}' is closed.`);
  }

  #send(event: AgentMachineEvent): void {
    this.actor.send(event);
  }

  async #idle(): Promise<void> {
    while (this.#running) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  readonly #whenIdle: (() => void)[] = [];

  async #turn<S extends Schema | undefined>(
    input: Parameters<Agent["call"]>[0],
    options: CallOptions<S, never>,
  ): Promise<Reply<OutputOf<S>>> {
    const { signal, timeoutMs, fallbackReply } = options;
    const { phase } = this.status();
    if (this.#running || phase === "running") {
      throw this.#busy();
    }
    const messages = messagesOf(input);
    if (signal?.aborted) throw new AgentError("run/aborted", "The call was aborted before it began.");
    const wanted = options.output && wantedOf(options.output, this.#config.model);
    this.#output = options.output && { schema: options.output, tool: outputTool(options.output) };
    this.#context = options.context ?? this.#sessionContext();

    const { promise, resolve, reject } = Promise.withResolvers<Reply<never>>();
    const settledBefore = this.#last.context.progress.settled;
    this.#running = { settledBefore, resolve, reject, hasFallbackReply: fallbackReply !== undefined };
    this.#hub.publish({ type: "turn.start", input: messages, resumed: phase !== "stopped" });

    const breakOff = (cause: "signal" | "timeout") => (): void =>
      this.#send({
        type: "run.interrupt",
        at: this.#now(),
        cause,
        ...(cause === "timeout" && fallbackReply !== undefined && { reply: fallbackReply }),
      });
    const abort = breakOff("signal");
    const isLimited = timeoutMs !== undefined && timeoutMs <= LONGEST_DELAY_MS;
    const timer = isLimited ? setTimeout(breakOff("timeout"), timeoutMs) : undefined;
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const told = { at: this.#now(), input: messages };
      this.#send(phase === "unfinished" ? { type: "session.resume", ...told } : { type: "call", ...told, ...(wanted && { wanted }) });
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  #tell(before: LiveSnapshot, now: LiveSnapshot): void {
    const isSuspended = now.matches("suspended");
    for (const event of eventsBetween(before.context, now.context, isSuspended)) this.#hub.publish(event);
    const value = stateName(now.value);
    if (value !== stateName(before.value)) this.#hub.publish({ type: "state", value });
  }

  #follow(snapshot: LiveSnapshot): void {
    const before = this.#last;
    this.#last = snapshot;
    if (!this.#isRestored) return;
    this.#durable?.note(before.context, snapshot.context);
    const isAtRest = before.context.progress.settled !== snapshot.context.progress.settled;
    if (isAtRest || (this.#settings.isDurable && hasNewResult(before.context, snapshot.context))) {
      this.#durable?.flush().catch(() => {}); // whoever waits for it hears of a failure
    }
    if (this.#hub.isHeard) this.#tell(before, snapshot);
    if (this.#running && snapshot.context.progress.settled > this.#running.settledBefore)
      this.#finish(snapshot.context);
  }

  /** The call is over: the agent is free before anybody hears of it (spec scar S8). */
  #finish(context: AgentContext): void {
    const running = this.#running!;
    this.#running = undefined;
    const error = this.#errorOf(context, running);
    if (error) {
      this.#hub.publish({
        type: "turn.end",
        reason: context.outcome?.reason ?? "ERROR",
        error: error.toJSON(),
      });
      this.#saved().then(
        () => running.reject(error),
        () => running.reject(error),
      );
    } else {
      this.#hub.publish({ type: "turn.end", reason: context.outcome!.reason, reply: plainReply(context) });
      running.resolve(this.#reply(context));
    }
    for (const wake of this.#whenIdle.splice(0)) wake();
  }

  /** Ends when the turn is durable. */
  async #saved(): Promise<void> {
    await this.#durable?.flush();
  }

  async #reply(context: AgentContext): Promise<Reply<never>> {
    await this.#saved();
    const value = context.outcome?.output;
    return replyOf(context, value === undefined ? undefined : await parsedOutput(this.#output?.schema, value));
  }

  #errorOf(context: AgentContext, running: Running): AgentError | undefined {
    if (context.failure) {
      const { retry: _, ...info } = context.failure;
      return errorFrom(info);
    }
    if (context.outcome?.reason !== "INTERRUPTED") return undefined;
    if (context.interruption?.cause === "signal")
      return new AgentError("run/aborted", "The call was aborted by its signal.");
    if (context.interruption?.cause === "timeout" && !running.hasFallbackReply) {
      return new AgentError("run/timeout", "The call did not finish within its timeoutMs.");
    }
    return undefined;
  }

  /** The chart itself failed: it cannot go on, and says so instead of hanging. */
  #broken(error: unknown): void {
    this.#stop(new AgentError("run/closed", `The agent's machine failed: ${messageOf(error)}`, { cause: error }));
  }

  /** Ends here and now: nothing runs and nothing is written after it. */
  #stop(error: AgentError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.actor.stop();
    const running = this.#running;
    this.#running = undefined;
    running?.reject(error);
    for (const wake of this.#whenIdle.splice(0)) wake();
  }
}

/** An agent: one session of one statechart. Synchronous and without I/O. Throws `config/invalid`, and for a `snapshot`
 *  also `session/version` and `session/damaged`. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  return new AgentSession(config as unknown as AgentConfig<never>) as unknown as Agent<Ctx>;
}
