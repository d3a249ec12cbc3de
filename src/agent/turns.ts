import { AgentError, errorFrom } from "../base/error.ts";
import { LONGEST_DELAY_MS } from "../base/longest-delay.ts";
import { assistantMsg } from "../message/create.ts";
import type { ChatModel } from "../model/port.ts";
import type { Msg } from "../message/types.ts";
import { inputHash } from "../session/input-outcome.ts";
import { jsonSchemaOf } from "../tool/schema.ts";
import type { OutputOf, Schema } from "../tool/types.ts";
import type { AgentContext, WantedOutput } from "../../machines/agent/context.ts";
import { beginsTurn } from "../../machines/agent/updates/entry.ts";
import { nativeValue } from "../../machines/agent/updates/output.ts";
import { messagesOf } from "./config.ts";
import { outputTool, parsedOutput } from "./output.ts";
import { plainReply, replyOf } from "./reply.ts";
import type { Runtime } from "./runtime.ts";
import type { TakenInputs } from "./taken-inputs.ts";
import type { CallOptions, Input, Reply } from "./types.ts";

/** The call whose turn is running. */
type RunningCall = {
  readonly resolve: (reply: Promise<Reply<never>>) => void;
  readonly reject: (error: AgentError) => void;
  readonly hasFallbackReply: boolean;
};

function wantedOf(schema: Schema, model: ChatModel): WantedOutput {
  const mode = model.capabilities?.structuredOutput ? "native" : "tool";
  return { mode, schema: jsonSchemaOf(schema), reminders: 0 };
}

function busy(): AgentError {
  return new AgentError("run/busy", "Agent is still running, please wait for it to finish");
}

function errorOf(context: AgentContext, running: RunningCall): AgentError | undefined {
  if (context.failure) {
    const { retry: _, ...info } = context.failure;
    return errorFrom(info);
  }
  if (context.outcome?.reason !== "INTERRUPTED") return undefined;
  const { cause } = context.outcome;
  if (cause === "signal" || (cause === "timeout" && !running.hasFallbackReply)) return limitError(cause);
  return undefined;
}

function limitError(cause: "signal" | "timeout"): AgentError {
  return cause === "signal"
    ? new AgentError("run/aborted", "The call was aborted by its signal.")
    : new AgentError("run/timeout", "The call did not finish within its timeoutMs.");
}

/** Returns the reply of a queued call that timed out before it began. Nothing of it is stored. */
function expiredReply<O>(text: string, durationMs: number): Reply<O> {
  return {
    ...assistantMsg(text, { metadata: { interrupted: true } }),
    reason: "INTERRUPTED",
    text,
    output: undefined as O,
    pending: [],
    turn: { usage: {}, iterations: 0, modelCalls: 0, toolCalls: 0, durationMs },
  };
}

/** Calls `end` when the signal or the time-out of a call ends it, at once for a signal that has aborted already. Returns a function
 *  that stops both. */
function startLimits(
  { signal, timeoutMs }: CallOptions<unknown, never>,
  end: (cause: "signal" | "timeout") => void,
): () => void {
  const abort = (): void => end("signal");
  if (signal?.aborted) abort();
  const isLimited = timeoutMs !== undefined && timeoutMs <= LONGEST_DELAY_MS;
  const timer = isLimited ? setTimeout(() => end("timeout"), Math.max(0, timeoutMs)) : undefined;
  signal?.addEventListener("abort", abort, { once: true });
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
}

/** The calls of a session: one at a time, each resolved when its turn is at rest and saved. */
export class Turns {
  readonly #runtime: () => Runtime;
  readonly #model: ChatModel;
  readonly #inputs: TakenInputs;
  readonly #whenIdle: (() => void)[] = [];
  #running: RunningCall | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(runtime: () => Runtime, model: ChatModel, inputs: TakenInputs) {
    this.#runtime = runtime;
    this.#model = model;
    this.#inputs = inputs;
  }

  /** True while a call runs. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** True while a call runs, or hooks at `onInterrupt` do. */
  get #isBusy(): boolean {
    const runtime = this.#runtime();
    return this.isRunning || (!runtime.isStopped && runtime.status().phase === "running");
  }

  /** Throws `run/busy` while a call runs, and why the agent takes no calls. */
  assertIdle(): void {
    this.#runtime().assertAccepts("call");
    if (this.#isBusy) throw busy();
  }

  /** Resolves when no call runs. */
  async idle(): Promise<void> {
    while (this.#isBusy) await this.#nextIdle();
  }

  #nextIdle(): Promise<void> {
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** As {@link run}, after the calls before it. The signal and the time-out of the call apply while it waits, too. */
  enqueue<S extends Schema | undefined>(
    input: Input,
    options: CallOptions<S, never>,
    onBegin?: () => void,
  ): Promise<Reply<OutputOf<S>>> {
    const { promise: early, resolve, reject } = Promise.withResolvers<Reply<OutputOf<S>>>();
    const { timeoutMs, fallbackReply } = options;
    const since = Date.now();
    let hasEnded = false;
    const end = (cause: "signal" | "timeout"): void => {
      hasEnded = true;
      if (cause === "signal" || fallbackReply === undefined) reject(limitError(cause));
      else resolve(expiredReply(fallbackReply, Date.now() - since));
    };
    const stop = startLimits(options, end);
    const queued = this.#queue.then(async () => {
      while (this.#isBusy) await this.#nextIdle();
      stop();
      if (hasEnded) return early;
      const left =
        timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, timeoutMs - (Date.now() - since)) };
      return this.run(input, { ...options, ...left }, onBegin);
    });
    this.#queue = queued.catch(() => {});
    return Promise.race([queued, early]);
  }

  /** Makes one call. `onBegin` is called when the events that follow belong to this call. */
  async run<S extends Schema | undefined>(
    input: Input,
    options: CallOptions<S, never>,
    onBegin: () => void = () => {},
  ): Promise<Reply<OutputOf<S>>> {
    const runtime = this.#runtime();
    const { signal, fallbackReply } = options;
    const { phase } = runtime.status();
    this.assertIdle();
    onBegin();
    const messages = messagesOf(input, true);
    if (signal?.aborted) throw new AgentError("run/aborted", "The call was aborted before it began.");
    const userContext = options.context ?? runtime.sessionContext();
    const wanted = options.output && wantedOf(options.output, this.#model);
    const { output: previousOutput } = runtime;
    if (options.output) runtime.output = { schema: options.output, tool: outputTool(options.output) };
    else if (phase === "stopped" && !runtime.context.progress.continues) runtime.output = undefined;
    runtime.userContext = userContext;

    const { promise, resolve, reject } = Promise.withResolvers<Reply<never>>();
    const running: RunningCall = { resolve, reject, hasFallbackReply: fallbackReply !== undefined };
    this.#running = running;
    const turn = runtime.context.progress.turn + (beginsTurn(runtime.context, messages) ? 1 : 0);
    runtime.events.emit({ type: "turn.start", input: messages, resumed: phase !== "stopped" }, { turn });
    let unlimit = (): void => {};
    try {
      this.#take(options.idempotencyKey, messages);
      runtime.send({ type: "call", at: runtime.now(), input: messages, ...(wanted && { wanted }) });
      unlimit = this.#limit(options, running);
      return await promise;
    } catch (error) {
      if (phase === "suspended" && runtime.status().phase === phase) runtime.output = previousOutput; // the call was refused
      throw error;
    } finally {
      unlimit();
    }
  }

  #take(key: string | undefined, messages: readonly Msg[]): void {
    const hash = inputHash(messages);
    this.#inputs.take(key, hash);
    if (key !== undefined) this.#runtime().acknowledge(key, hash);
  }

  /** Called when a turn has come to rest. The agent is free before the caller and the listeners learn of it (S8). */
  settled(context: AgentContext): void {
    this.#inputs.settled(context);
    const running = this.#running;
    if (!running) return this.#wake();
    this.#running = undefined;
    const { events } = this.#runtime();
    const error = errorOf(context, running);
    if (error) {
      events.emit({ type: "turn.end", reason: context.outcome?.reason ?? "ERROR", error: error.toJSON() });
      const reject = (): void => running.reject(error); // also if saving fails
      this.#runtime().saved().then(reject, reject);
    } else {
      events.emit({ type: "turn.end", reason: context.outcome!.reason, reply: plainReply(context) });
      running.resolve(this.#reply(context));
    }
    this.#wake();
  }

  /** Called when the agent has ended: the running call rejects with `error`. */
  stopped(error: AgentError): void {
    const running = this.#running;
    if (!running) return this.#wake();
    this.#running = undefined;
    const reason = error.code === "run/shutdown" ? "SHUTDOWN" : "ERROR";
    this.#runtime().events.emit({ type: "turn.end", reason, error: error.toJSON() });
    running.reject(error);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#whenIdle.splice(0)) wake();
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

  async #reply(context: AgentContext): Promise<Reply<never>> {
    const runtime = this.#runtime();
    const schema = runtime.output?.schema;
    await runtime.saved();
    const value = context.outcome?.output;
    return replyOf(context, value === undefined ? undefined : await parsedOutput(schema, value));
  }

  /** Lets the signal and the time-out of a call interrupt its turn. Returns a function that stops both. */
  #limit(options: CallOptions<unknown, never>, running: RunningCall): () => void {
    return startLimits(options, (cause) => {
      const runtime = this.#runtime();
      if (this.#running !== running || runtime.status().phase !== "running") return;
      const reply = cause === "timeout" ? options.fallbackReply : undefined;
      runtime.send({
        type: "run.interrupt",
        at: runtime.now(),
        cause,
        ...(reply !== undefined && { reply }),
      });
    });
  }
}
