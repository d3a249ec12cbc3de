import { AgentError, messageOf } from "../../base/error.ts";
import type { Hook } from "../../hook/types.ts";
import { frozenCopy } from "../../base/freeze.ts";
import { toolUsesOf } from "../../message/query.ts";
import type { Json } from "../../base/json.ts";
import type { Msg, Usage } from "../../message/types.ts";
import { LONGEST_DELAY_MS } from "../../model/execution.ts";
import { checkPart } from "../../model/check-part.ts";
import { createFold, type Fold, type FoldChunk } from "../../model/fold.ts";
import { mayRetry } from "../../model/may-retry.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../../model/port.ts";
import { pruneNulls } from "../../tool/prune-nulls.ts";
import { jsonSchemaOf } from "../../tool/schema.ts";
import { nativeValue } from "../../../machines/agent/updates/output.ts";
import type { ModelInput, ModelOutcome } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";
import { completeUsage, costOf, saidUsage } from "./model-usage.ts";
import { fitsOutput } from "../output.ts";
import { modelOf, outputModeOf, requestOf } from "./request.ts";

/** Tells listeners of the blocks as they grow. One block is open at a time: a block that goes on after another one is
 *  opened again under a new index. */
class BlockSink {
  readonly #host: Host;
  readonly #input: ModelInput;
  readonly #messageId: string;
  readonly #hooks: readonly Hook<never>[];
  readonly #point: "reasoningChunk" | "summaryChunk";
  readonly #signal: AbortSignal;
  #open: FoldChunk | undefined;
  #index = -1;
  usage: Usage | undefined;

  constructor(host: Host, input: ModelInput, messageId: string, signal: AbortSignal) {
    this.#host = host;
    this.#input = input;
    this.#messageId = messageId;
    this.#signal = signal;
    this.#point = input.phase === "summary" ? "summaryChunk" : "reasoningChunk";
    this.#hooks = host.hooks().filter((hook) => hook[this.#point]);
  }

  push(chunk: FoldChunk): void {
    if (chunk.kind === "tool_use" && this.#input.phase === "summary") return; // no part of a summary
    if (chunk.index !== this.#open?.index) {
      this.end();
      this.#index++;
      this.#host.emit({ type: "block.start", ...this.#block(chunk) });
    }
    this.#open = chunk;
    const { delta, soFar } = chunk;
    this.#host.emit({ type: "block.delta", ...this.#block(chunk), delta }, { soFar });
    if (this.#hooks.length > 0) this.#tellHooks(chunk);
  }

  end(): void {
    if (this.#open) this.#host.emit({ type: "block.end", ...this.#block(this.#open) });
    this.#open = undefined;
  }

  #block({ kind, callId, name }: FoldChunk) {
    const block = { messageId: this.#messageId, phase: this.#input.phase, index: this.#index, kind };
    return callId === undefined ? block : { ...block, callId, ...(name !== undefined && { name }) };
  }

  #tellHooks({ kind, delta, soFar, callId, name }: FoldChunk): void {
    const event = Object.freeze({
      ...this.#host.hookEvent(this.#input, this.#signal),
      messageId: this.#messageId,
      kind,
      delta,
      soFar,
      ...(callId !== undefined && { callId }),
      ...(name !== undefined && { name }),
      ...(this.usage && { usage: this.usage }),
    });
    for (const hook of this.#hooks) observe(this.#host, hook, () => hook[this.#point]?.(event as never));
  }
}

/** Calls a hook that only observes: whatever it throws, now or later, becomes an event. */
export function observe(host: Host, hook: Hook<never>, tell: () => unknown): void {
  const failed = (error: unknown): void =>
    host.emit({
      type: "hook.failed",
      hook: hook.name,
      error: { code: "hook/failed", message: messageOf(error) },
    });
  try {
    const returned = tell();
    if (returned instanceof Promise) returned.catch(failed);
  } catch (error) {
    failed(error);
  }
}

type Ending = { readonly error?: AgentError };

type Reading = {
  readonly model: ChatModel;
  readonly request: ModelRequest;
  readonly controller: AbortController;
  /** The service was stopped: what there is to say has to be said at once. */
  isStopped(): boolean;
  take(part: StreamPart): void;
  /** Called once. */
  ended(ending: Ending): void;
};

/** Reads a stream until it ends, fails, falls silent or is aborted, whichever comes first. A deaf model is left behind. */
function read({ model, request, controller, isStopped, take, ended }: Reading): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const { signal } = controller;
    const { idleTimeoutMs } = request.execution;
    let isOver = false;
    const end = (ending: Ending): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(idle);
      try {
        ended(ending);
        resolve(ending);
      } catch (error) {
        reject(error as Error);
      }
    };
    const idle =
      idleTimeoutMs === undefined || idleTimeoutMs > LONGEST_DELAY_MS
        ? undefined
        : setTimeout(() => {
            const message = `The model sent nothing for ${idleTimeoutMs} ms (idle timeout).`;
            end({ error: new AgentError("model/timeout", message, { isRetryable: true }) });
            controller.abort();
          }, idleTimeoutMs);
    if (signal.aborted) return end({});
    let isAborted = false;
    const onAbort = (): void => {
      isAborted = true;
      if (isStopped()) end({});
      else queueMicrotask(() => end({}));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const pump = async (): Promise<void> => {
      for await (const part of model.stream(request, { signal })) {
        if (isOver || isAborted) return;
        idle?.refresh();
        take(part);
      }
    };
    pump().then(
      () => end({}),
      (thrown: unknown) => {
        const error = AgentError.is(thrown)
          ? thrown
          : new AgentError("model/failed", messageOf(thrown), { cause: thrown });
        end(isAborted ? {} : { error });
      },
    );
  });
}

/** What an attempt came to. One that broke off before it said anything has used nothing that anybody knows of. */
function messageOfFold(
  host: Host,
  messageId: string,
  fold: Fold,
  startedAt: number,
  request: ModelRequest,
  model: string,
  isBroken: boolean,
): ModelOutcome {
  const folded = fold.finish();
  const { content, finishReason } = folded;
  const at = host.now();
  const delivered = content.length > 0;
  const said = saidUsage(folded.usage);
  if (isBroken && !delivered && !said) return { at, finishReason, delivered };
  const counts = completeUsage(said, request, content);
  const cost = costOf(host, model, counts);
  const usage: Usage = { durationMs: at - startedAt, ...counts, ...(cost !== undefined && { cost }) };
  const message: Msg = {
    id: messageId,
    role: "assistant",
    name: host.config.name,
    content,
    metadata: {},
    timestamp: at,
    usage,
  };
  return { at, finishReason, usage, delivered, ...(delivered && { message }) };
}

/** One request to the model, folded into a message. Never rejects: a failure is part of the outcome. On abort it ends
 *  at once with what it has. */
export async function callModel(
  host: Host,
  input: ModelInput,
  controller: AbortController,
  isStopped: () => boolean,
): Promise<ModelOutcome> {
  const request = requestOf(host, input);
  const model = modelOf(host, input.usesFallback);
  const messageId = host.newId();
  const startedAt = host.now();
  const fold = createFold({ newCallId: host.newId, isTaken: (id) => input.transcript.hasCall(id) });
  const sink = new BlockSink(host, input, messageId, controller.signal);
  host.emit({
    type: "model.start",
    messageId,
    phase: input.phase,
    model: model.name,
    attempt: input.attempt,
  });
  let outcome!: ModelOutcome;
  const take = (part: StreamPart): void => {
    checkPart(part);
    if (part.type === "usage") sink.usage = frozenCopy(part.usage);
    const chunk = fold.push(part);
    if (chunk) sink.push(chunk);
  };
  const ended = (ending: Ending): void => {
    sink.end();
    const isBroken = ending.error !== undefined || controller.signal.aborted;
    outcome = messageOfFold(host, messageId, fold, startedAt, request, model.name, isBroken);
    const { finishReason, usage } = outcome;
    host.emit({
      type: "model.end",
      messageId,
      finishReason,
      ...(usage && { usage }),
      ...(ending.error && { error: ending.error.toJSON() }),
    });
  };
  const { error } = await read({ model, request, controller, isStopped, take, ended });
  const { signal } = controller;
  const failure = error && {
    ...error.toJSON(),
    ...(!outcome.delivered && { retry: mayRetry(error, request.execution.retryOn) }),
  };
  const isWhole = !error && !signal.aborted;
  const value = isWhole ? await nativeOutput(host, input, outcome) : undefined;
  return { ...outcome, ...(failure && { error: failure }), ...(value !== undefined && { value }) };
}

/** What a model that keeps to a schema by itself has answered, if it did. */
export async function nativeOutput(
  host: Host,
  asked: Pick<ModelInput, "phase" | "usesFallback" | "wanted">,
  { message, finishReason }: Pick<ModelOutcome, "message" | "finishReason">,
): Promise<Json | undefined> {
  if (outputModeOf(host, asked) !== "native" || finishReason === "length") return undefined;
  if (!message || toolUsesOf(message).length > 0) return undefined;
  const said = nativeValue(message);
  const schema = host.output()?.schema;
  if (said === undefined || !schema) return undefined;
  const value = pruneNulls(jsonSchemaOf(schema), said);
  return (await fitsOutput(schema, value)) ? value : undefined;
}
