import type { StepFacts } from "../../machines/agent/facts.ts";
import { AgentError, errorFrom } from "../core/base/error.ts";
import type { AgentEventBody } from "../core/event/types.ts";
import type { ChatModel } from "../core/model/port.ts";
import type { SessionStore } from "../store/port.ts";
import type { Msg } from "../core/message/types.ts";
import { inputHash } from "../session/format.ts";
import { acceptedTools } from "../core/tool/client-tools.ts";
import type { ClientTool } from "../core/tool/declared-tools.ts";
import { isStandardSchema, jsonSchemaOf } from "../core/tool/schema.ts";
import type { OutputOf, Schema } from "../core/tool/types.ts";
import type { AgentContext, WantedOutput } from "../../machines/agent/context.ts";
import { beginsTurn } from "../../machines/agent/updates/entry.ts";
import { nativeValue } from "../../machines/agent/updates/output.ts";
import { limitError, type OnBegin } from "./call-limits.ts";
import { KeyedCalls } from "./keyed-calls.ts";
import { parsedOutput } from "./output.ts";
import { plainReply, replyOf } from "./status.ts";
import { Runtime } from "./runtime.ts";
import type { SharedParts, RuntimeListener, ParentScope } from "./runtime-parts.ts";
import { Watches } from "./inspect.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";
import type { AnyAgent, AnyCallOptions, Reply, AnyReply } from "./types.ts";

/** The call whose turn is running. */
type RunningCall = {
  readonly resolve: (reply: Promise<AnyReply>) => void;
  readonly reject: (error: AgentError) => void;
  readonly fallbackReply: string | undefined;
};

function wantedOf(schema: Schema, model: ChatModel): WantedOutput {
  const mode = model.capabilities?.structuredOutput ? "native" : "tool";
  const isStandard = isStandardSchema(schema);
  return { mode, schema: jsonSchemaOf(schema), ...(isStandard && { isStandard }), reminders: 0 };
}

/** Returns a `run/busy`. */
export function busy(): AgentError {
  return new AgentError("run/busy", "Agent is still running, please wait for it to finish");
}

function errorOf(context: AgentContext, running: RunningCall, runtime: Runtime): AgentError | undefined {
  if (context.failure) {
    const { retry: _, ...info } = context.failure;
    return runtime.causeOf(info) ?? errorFrom(info);
  }
  if (context.outcome?.reason !== "INTERRUPTED") return undefined;
  const { cause } = context.outcome;
  if (cause === "signal" || (cause === "timeout" && running.fallbackReply === undefined))
    return limitError(cause);
  return undefined;
}

const NO_TOOLS: readonly string[] = [];

/** Who has the session. */
type SessionOwner = {
  /** Called when a turn has come to rest. */
  rested(): void;
};

/** A session that lives in this process, and its calls: one at a time, each resolved when its turn is at rest and saved. */
export class Turns implements RuntimeListener {
  readonly runtime: Runtime;
  readonly around: ParentScope;
  readonly #owner: SessionOwner;
  readonly #model: ChatModel;
  readonly #clientTools: readonly string[];
  readonly #store: SessionStore | undefined;
  /** Made with the first key: most sessions have none. */
  #keyed: KeyedCalls | undefined;
  /** Most sessions have no inspectors. */
  #watches: Watches | undefined;
  #whenIdle: (() => void)[] | undefined;
  #running: RunningCall | undefined;
  /** The event that the call begins, until it is emitted. It is data: V8 frees a function that stands here in a full collection only. */
  #start: { readonly event: AgentEventBody; readonly turn: number } | undefined;
  #isAnnouncing = false;
  #queue: Promise<unknown> | undefined;
  /** While {@link endStored} ends a turn. */
  #ending: Promise<void> | undefined;

  constructor(config: AnyAgentConfig, shared: SharedParts, around: ParentScope, owner: SessionOwner) {
    this.around = around;
    this.#owner = owner;
    this.#model = config.model;
    this.#clientTools = config.toolOptions?.clientTools ?? NO_TOOLS;
    this.runtime = new Runtime(config, this, shared);
    this.#store = config.store;
  }

  /** The calls with an idempotency key. */
  get keyed(): KeyedCalls {
    return (this.#keyed ??= new KeyedCalls(this, this.#store));
  }

  /** Lets inspectors watch the agent. */
  watch(agent: AnyAgent, config: AnyAgentConfig): void {
    if (config.inspect === undefined) return;
    this.#watches = new Watches(agent, config, () => this.runtime.journal.seq);
  }

  /** Settles when all inspectors are loaded; undefined if there is nothing to wait for. */
  get loading(): Promise<void> | undefined {
    return this.#watches?.loading;
  }

  /** Resolves when the inspectors have sent all that happened. */
  async reported(): Promise<void> {
    await this.#watches?.flushed();
  }

  onCommitted(): void {
    this.#watches?.committed();
  }

  /** True while a call runs. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** True while listeners hear how a turn has ended. */
  get isAnnouncing(): boolean {
    return this.#isAnnouncing;
  }

  /** True while a call runs, or hooks at `onInterrupt` do. */
  get isBusy(): boolean {
    const { runtime } = this;
    return this.isRunning || (!runtime.isStopped && runtime.phase === "running");
  }

  /** Throws `run/busy` while a call runs, and why the agent takes no calls. */
  assertIdle(): void {
    this.runtime.assertAccepts("call");
    if (this.isBusy) throw busy();
  }

  /** Resolves when no call runs. */
  async idle(): Promise<void> {
    while (this.isBusy) await this.#nextIdle();
  }

  #nextIdle(): Promise<void> {
    return new Promise((resolve) => (this.#whenIdle ??= []).push(resolve));
  }

  /** Makes one call, after those before it if the caller wants it to wait for them. */
  start<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: AnyCallOptions<S>,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>> {
    return options.whenBusy === "queue"
      ? this.#enqueue(messages, options, onBegin)
      : this.run(messages, options, onBegin);
  }

  #enqueue<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: AnyCallOptions<S>,
    onBegin: OnBegin,
  ): Promise<Reply<OutputOf<S>>> {
    const queued = (this.#queue ?? Promise.resolve()).then(async () => {
      while (this.isBusy) await this.#nextIdle();
      return this.run(messages, options, onBegin);
    });
    this.#queue = queued.catch(() => {});
    return queued;
  }

  /** Throws `message/invalid` for tools of a client that no model can call. */
  accepted(declared: readonly ClientTool[] | undefined): readonly ClientTool[] {
    return declared ? acceptedTools(declared, this.#clientTools) : [];
  }

  /** Makes one call. `onBegin` is called when the events that follow belong to this call. */
  async run<S extends Schema | undefined>(
    messages: readonly Msg[],
    options: AnyCallOptions<S>,
    onBegin: OnBegin = () => {},
  ): Promise<Reply<OutputOf<S>>> {
    const runtime = this.runtime;
    const { fallbackReply } = options;
    const { phase } = runtime;
    this.assertIdle();
    const { promise, resolve, reject } = Promise.withResolvers<AnyReply>();
    const running: RunningCall = { resolve, reject, fallbackReply };
    onBegin((cause) => this.#interrupt(running, cause));
    const wanted = options.output && wantedOf(options.output, this.#model);
    const clientTools = this.accepted(options.clientTools);
    if (beginsTurn(runtime.context, messages)) runtime.host.toolkit.refresh();
    const { host } = runtime;
    const { fingerprint: agent, schema: formerSchema } = host;
    const hasOutput = options.output !== undefined || formerSchema !== undefined;
    const event = {
      type: "call",
      at: runtime.now(),
      input: messages,
      agent,
      hasOutput,
      ...(wanted && { wanted }),
      ...(clientTools.length > 0 && { clientTools }),
    } as const;
    const refused = runtime.refusal(event);
    if (refused) throw errorFrom(refused);
    host.userContext = options.context ?? host.sessionContext();
    if (options.output) host.schema = options.output;
    else if (phase === "stopped" && !runtime.context.progress.continues) host.schema = undefined;

    const goesOn = !beginsTurn(runtime.context, messages);
    const { progress } = runtime.context;
    const turn = progress.turn + (goesOn ? 0 : 1);
    this.#start = { event: { type: "turn.start", input: messages, resumed: phase !== "stopped" }, turn };
    this.#running = running;
    try {
      this.#take(options.idempotencyKey, messages);
      const trace = runtime.telemetry?.beginTurn({ turn, goesOn, trace: progress.trace ?? undefined });
      runtime.send({ ...event, ...(trace !== undefined && { trace }) });
      return await promise;
    } catch (error) {
      if (phase === "suspended" && runtime.phase === phase) host.schema = formerSchema; // the call was refused
      throw error;
    }
  }

  /** Ends the turn of a session that was stored while hooks ran at its end. Its outcome is not that of the caller. Undefined if there
   *  is none. */
  endStored(): Promise<void> | undefined {
    const { context } = this.runtime;
    if (context.progress.resumeAt !== "ending") return this.#ending;
    const ended = (): void => void (this.#ending = undefined);
    return (this.#ending = this.run([], {}).then(ended, ended));
  }

  #take(key: string | undefined, messages: readonly Msg[]): void {
    if (key === undefined) return this.#keyed?.takeUnnamed();
    const hash = inputHash(messages);
    this.keyed.take(key, hash);
    this.runtime.journal.acknowledge(key, hash);
  }

  /** So that a listener of its event can interrupt the call. */
  onCall(): void {
    const start = this.#start;
    this.#start = undefined;
    if (start) this.runtime.events.emit(start.event, { turn: start.turn });
  }

  onSettled(context: AgentContext, step: StepFacts): void {
    this.#settle(context, step);
    this.#owner.rested();
  }

  /** The agent is free before the caller and the listeners learn how a turn came to rest (S8). A turn that is interrupted while it is
   *  suspended has an end although no call runs. */
  #settle(context: AgentContext, { end }: StepFacts): void {
    this.#keyed?.settled(context);
    const running = this.#running;
    if (!running) {
      if (end?.reason === "INTERRUPTED" && !end.error)
        this.#announce({ type: "turn.end", reason: "INTERRUPTED", reply: plainReply(context) });
      return this.#wake();
    }
    this.#running = undefined;
    const error = errorOf(context, running, this.runtime);
    const reason = context.outcome?.reason ?? "ERROR";
    this.runtime.telemetry?.endTurn({ reason, ...(error && { error: error.toJSON() }) });
    if (error) {
      this.#announce({ type: "turn.end", reason, error: error.toJSON() });
      const reject = (): void => running.reject(error); // also if saving fails
      Promise.resolve(this.runtime.saved()).then(reject, reject);
    } else {
      const { limit } = context.outcome ?? {};
      this.#announce({ type: "turn.end", reason, reply: plainReply(context), ...(limit && { limit }) });
      running.resolve(this.#reply(context));
    }
    this.#wake();
  }

  #announce(event: AgentEventBody): void {
    this.#isAnnouncing = true;
    this.runtime.events.emit(event);
    this.#isAnnouncing = false;
  }

  /** The running call rejects with `error`. */
  onStopped(error: AgentError): void {
    const running = this.#running;
    if (!running) return this.#wake();
    this.#running = undefined;
    const reason = error.code === "run/shutdown" ? "SHUTDOWN" : "ERROR";
    this.runtime.telemetry?.endTurn({ reason, error: error.toJSON() });
    this.runtime.events.emit({ type: "turn.end", reason, error: error.toJSON() });
    running.reject(error);
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#whenIdle;
    this.#whenIdle = undefined;
    for (const wake of waiting ?? []) wake();
  }

  /** Returns the reply of an earlier turn, for a repeated idempotency key. */
  async repeatReply<S extends Schema | undefined>(
    context: AgentContext,
    schema: S | undefined,
  ): Promise<Reply<OutputOf<S>>> {
    const isOutput = context.outcome?.reason === "STRUCTURED_OUTPUT";
    const value = isOutput ? nativeValue(replyOf(context, undefined)) : undefined;
    return replyOf(context, value === undefined ? undefined : await parsedOutput(schema, value));
  }

  async #reply(context: AgentContext): Promise<AnyReply> {
    const runtime = this.runtime;
    const { schema } = runtime.host;
    await runtime.saved();
    const value = context.outcome?.output;
    return replyOf(context, value === undefined ? undefined : await parsedOutput(schema, value));
  }

  /** Interrupts the turn of a call that has reached a limit. The chart takes it behind the call, and refuses it at rest. */
  #interrupt(call: RunningCall, cause: "signal" | "timeout"): void {
    if (this.#running !== call) return;
    const runtime = this.runtime;
    const reply = cause === "timeout" ? call.fallbackReply : undefined;
    const at = runtime.now();
    runtime.send({ type: "run.interrupt", at, cause, ...(reply !== undefined && { reply }) });
  }
}
