import { elapsed } from "../../core/base/time.ts";
import { startIdleTimer } from "./run-call.ts";
import { AgentError, messageOf } from "../../core/base/error.ts";
import type { AgentEventBody } from "../../core/event/types.ts";
import type { AnyHook } from "../../core/hook/types.ts";
import { frozenCopy, type Json, type JsonObject } from "../../core/base/json.ts";
import {
  toolUsesOf,
  newSources,
  SOURCES,
  sourceMetadata,
  sourcesOf,
  type AnswerSource,
} from "../../core/message/msg.ts";
import { sizeOfTools } from "../../core/message/transcript.ts";
import type { Msg, Usage } from "../../core/message/types.ts";
import { checkPart, createFold, type Fold, type FoldChunk } from "../../core/model/fold.ts";
import { EXECUTION_DEFAULTS, mergeExecution, mayRetry } from "../../core/model/execution.ts";
import { PartByPart } from "../../core/model/part-by-part.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../../core/model/port.ts";
import { OUTPUT_TOOL } from "../../core/tool/reserved-names.ts";
import { pruneNulls } from "../../core/tool/prune-nulls.ts";
import { jsonSchemaOf } from "../../core/tool/schema.ts";
import { requestOf } from "../../../machines/agent/prompt/request.ts";
import { nativeValue } from "../../../machines/agent/updates/output.ts";
import type { ModelInput, ModelOutcome } from "../../../machines/agent/services.ts";
import type { Host } from "./host.ts";
import {
  completeUsage,
  costOf,
  reportedUsage,
  recordedCall,
  tellOmitted,
  modelOf,
  outputModeOf,
  partsOf,
} from "./request.ts";
import { fitsOutput } from "../output.ts";
import { observe } from "./call-hook.ts";
import { PartialOutput } from "./partial-output.ts";
import { printedText } from "./printed.ts";

/** A block that is being written: its number in the answer, what its events say of it, all of it so far, and what is shown of it. */
type WrittenBlock = { readonly number: number; block: OpenBlock; soFar: string; shown: string };

type OpenBlock = Omit<Extract<AgentEventBody, { type: "block.start" | "block.end" }>, "type">;

function blockOf(
  { kind, callId, name }: FoldChunk,
  { messageId, phase, index }: Pick<OpenBlock, "messageId" | "phase" | "index">,
): OpenBlock {
  const block = { messageId, phase, index, kind };
  return callId === undefined ? block : { ...block, callId, ...(name !== undefined && { name }) };
}

/** Emits the events of blocks and calls the chunk hooks. One block is open at a time: a block that goes on after another one begins
 *  again with a new index. */
class BlockEmitter {
  readonly #host: Host;
  readonly #input: ModelInput;
  readonly #phase: "reasoning" | "summary";
  readonly #messageId: string;
  readonly #hooks: readonly AnyHook[];
  readonly #point: "reasoningChunk" | "summaryChunk";
  readonly #signal: AbortSignal;
  readonly #printHooks: readonly AnyHook[];
  /** The structured answer that takes form; undefined if none is asked for, or if nobody listens. */
  readonly #output: PartialOutput | undefined;
  readonly #isNative: boolean;
  /** The text of the structured answer so far. */
  #outputText = "";
  #open: WrittenBlock | undefined;
  #index = -1;
  usage: Usage | undefined;

  constructor(host: Host, input: ModelInput, messageId: string, signal: AbortSignal) {
    this.#host = host;
    this.#input = input;
    this.#phase = input.phase === "summary" ? "summary" : "reasoning";
    this.#messageId = messageId;
    this.#signal = signal;
    this.#point = this.#phase === "summary" ? "summaryChunk" : "reasoningChunk";
    this.#hooks = host.hooks().filter((hook) => hook[this.#point]);
    this.#printHooks = host.hooks().filter(({ print }) => print);
    const { wanted } = input;
    const isWanted = wanted !== null && input.phase === "reasoning" && host.isHeard("output.partial");
    this.#isNative = isWanted && outputModeOf(host, input) === "native";
    this.#output = isWanted
      ? new PartialOutput(wanted.schema, (value) => host.emit({ type: "output.partial", messageId, value }))
      : undefined;
  }

  push(chunk: FoldChunk): void {
    if (chunk.kind === "tool_use" && this.#phase === "summary") return; // a summary has no calls
    if (chunk.name === OUTPUT_TOOL) {
      this.end(); // a structured answer is not a call that is reported
      this.#output?.push((this.#outputText = chunk.soFar), true);
      if (this.#hooks.length > 0) this.#notifyHooks(chunk);
      return;
    }
    const open = chunk.index === this.#open?.number ? this.#open : this.#begin(chunk);
    if (chunk.name !== open.block.name) open.block = blockOf(chunk, open.block); // its name comes in later
    const { block } = open;
    const { delta, soFar } = chunk;
    open.soFar = soFar;
    if (this.#printHooks.length > 0 && block.kind !== "tool_use") this.#print(open, false);
    else if (this.#host.isHeard("block.delta"))
      this.#host.emit({ type: "block.delta", ...block, delta }, { soFar });
    if (block.kind === "text" && this.#isNative)
      this.#output?.push((this.#outputText = this.#printHooks.length > 0 ? open.shown : soFar), false);
    if (this.#hooks.length > 0) this.#notifyHooks(chunk);
  }

  /** The answer is over. */
  finish(): void {
    this.end();
    this.#output?.end(this.#outputText, !this.#isNative);
  }

  /** Shows what hooks show of a block. What was shown before is not taken back. */
  #print(open: WrittenBlock, isLast: boolean): void {
    const { block, soFar, shown: before } = open;
    if (block.kind === "tool_use" || !this.#host.isHeard("block.delta")) return;
    const { kind, messageId } = block;
    const [position, signal] = [this.#input, this.#signal];
    const printed = { position, signal, messageId, kind, soFar, isLast };
    const shown = printedText(this.#host, this.#printHooks, printed);
    if (shown === undefined || shown === before || !shown.startsWith(before)) return;
    open.shown = shown;
    const delta = shown.slice(before.length);
    this.#host.emit({ type: "block.delta", ...block, delta }, { soFar: shown });
  }

  end(): void {
    if (this.#open && this.#printHooks.length > 0) this.#print(this.#open, true);
    if (this.#open) this.#host.emit({ type: "block.end", ...this.#open.block });
    this.#open = undefined;
  }

  #begin(chunk: FoldChunk): WrittenBlock {
    this.end();
    this.#index++;
    const block = blockOf(chunk, { messageId: this.#messageId, phase: this.#phase, index: this.#index });
    this.#host.emit({ type: "block.start", ...block });
    return (this.#open = { number: chunk.index, block, soFar: "", shown: "" });
  }

  #notifyHooks({ kind, delta, soFar, callId, name }: FoldChunk): void {
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

type Ending = { readonly error?: AgentError };

type Reading = {
  readonly model: ChatModel;
  readonly request: ModelRequest;
  readonly controller: AbortController;
  /** Returns true once the service was stopped: then the end is reported synchronously, while events still belong to the turn. */
  isStopped(): boolean;
  onPart(part: StreamPart): void;
  /** Called once, when the stream is over or is abandoned. */
  onEnd(ending: Ending): void;
};

/** The next part of an answer if it came together with the last one. */
const alreadyHere = (parts: AsyncIterable<StreamPart>): StreamPart | undefined =>
  parts instanceof PartByPart ? parts.take() : undefined;

/** Reads a stream until it ends, fails, times out or is aborted, whichever is first. A model that ignores its signal is abandoned. */
function read({ model, request, controller, isStopped, onPart, onEnd }: Reading): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const { signal } = controller;
    const { idleTimeoutMs } = request.execution;
    let isOver = false;
    const end = (ending: Ending): void => {
      if (isOver) return;
      isOver = true;
      idle.stop();
      try {
        onEnd(ending);
        resolve(ending);
      } catch (error) {
        reject(error as Error);
      }
    };
    const idle = startIdleTimer(idleTimeoutMs, signal, () => {
      const message = `The model sent nothing for ${idleTimeoutMs} ms (idle timeout).`;
      end({ error: new AgentError("model/timeout", message, { isRetryable: true }) });
      controller.abort();
    });
    if (signal.aborted) return end({});
    let isAborted = false;
    const onAbort = (): void => {
      isAborted = true;
      if (isStopped()) end({});
      else queueMicrotask(() => end({}));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const pump = async (): Promise<void> => {
      const parts = model.stream(request, { signal });
      for await (const first of parts) {
        idle.restart();
        let part: StreamPart | undefined = first;
        do {
          if (isOver || isAborted) return;
          onPart(part);
          part = alreadyHere(parts);
        } while (part);
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

/** The sources that hooks have shown to the model for this answer, beside those that it names itself. A later answer of the turn does not name them again. */
function shownSources({ edits, transcript }: ModelInput, metadata: JsonObject | undefined): JsonObject {
  const shown = edits.flatMap(({ pieces = [] }) =>
    pieces.flatMap((piece) => ("inserted" in piece ? sourcesOf(piece.inserted) : [])),
  );
  if (shown.length === 0) return NO_METADATA;
  let from = transcript.length;
  while (from > 0 && transcript.at(from - 1)!.role !== "user") from--;
  const added = newSources(shown, transcript.slice(from));
  if (added.length === 0) return NO_METADATA;
  const own = metadata?.[SOURCES];
  return sourceMetadata([...(Array.isArray(own) ? (own as unknown as AnswerSource[]) : []), ...added]);
}

const NO_METADATA: JsonObject = {};

/** Returns the outcome of an attempt. One that was cut off before its first part has no known usage. */
function outcomeOf(
  host: Host,
  input: ModelInput,
  messageId: string,
  fold: Fold,
  startedAt: number,
  { request, size }: { readonly request: ModelRequest; readonly size: number | undefined },
  model: ChatModel,
  isBroken: boolean,
): ModelOutcome {
  const folded = fold.finish();
  const { content, finishReason, responseId } = folded;
  const at = host.now();
  const delivered = content.length > 0;
  const reported = reportedUsage(folded.usage);
  if (isBroken && !delivered && !reported) return { at, finishReason, delivered };
  const tools = sizeOfTools(request.tools);
  const counts = completeUsage(reported, request, content, (size ?? 0) + tools);
  const cost = costOf(host, model.name, counts);
  const usage: Usage | undefined =
    model.capabilities?.usesTokens === false
      ? undefined
      : { durationMs: elapsed(startedAt, at), ...counts, ...(cost !== undefined && { cost }) };
  const counted = reported?.inputTokens !== undefined &&
    reported.inputTokens === counts.inputTokens &&
    size !== undefined && { tokens: reported.inputTokens, messages: size, rest: tools };
  const message: Msg = {
    id: messageId,
    role: "assistant",
    name: host.config.name,
    content,
    metadata: {
      ...folded.metadata,
      ...(responseId !== undefined && { responseId }),
      ...(input.persona != null && { persona: input.persona }),
      ...shownSources(input, folded.metadata),
    },
    timestamp: at,
    ...(usage && { usage }),
  };
  return {
    at,
    finishReason,
    ...(usage && { usage }),
    delivered,
    ...(counted && { counted }),
    ...(delivered && { message }),
  };
}

/** Makes one request to the model and folds the answer into a message. Never rejects: a failure is part of the outcome. On abort it
 *  resolves at once with the answer so far. */
export async function callModel(
  host: Host,
  input: ModelInput,
  controller: AbortController,
  isStopped: () => boolean,
): Promise<ModelOutcome> {
  if (input.takesNews && host.hasNews())
    return { at: host.now(), finishReason: "unknown", delivered: false, hasNews: true };
  const parts = partsOf(host, input);
  const { request: sent, size } = requestOf(parts, input.transcript);
  const own = host.config.modelOptions?.execution;
  const execution = own ? mergeExecution(own, EXECUTION_DEFAULTS.model) : EXECUTION_DEFAULTS.model;
  const request: ModelRequest = Object.assign(sent, { execution });
  const model = modelOf(host, input, input.phase);
  const messageId = host.newId();
  host.modelCalled(() => recordedCall(host, input, { parts, model, messageId }));
  const startedAt = host.now();
  const fold = createFold({ newCallId: () => host.newId(), isTaken: (id) => input.transcript.hasCall(id) });
  const blocks = new BlockEmitter(host, input, messageId, controller.signal);
  tellOmitted(host, model, request.tools);
  const observed = host.telemetry?.model({ phase: input.phase, attempt: input.attempt, model, request });
  host.emit({
    type: "model.start",
    messageId,
    phase: input.phase,
    model: model.name,
    attempt: input.attempt,
  });
  let outcome!: ModelOutcome;
  const isShown = input.phase !== "compaction"; // a summary of the conversation is not part of an answer
  const onPart = (part: StreamPart): void => {
    checkPart(part);
    if (part.type !== "ping") observed?.first();
    if (part.type === "usage") blocks.usage = frozenCopy(part.usage);
    const chunk = fold.push(part);
    if (chunk && isShown) blocks.push(chunk);
  };
  const onEnd = (ending: Ending): void => {
    blocks.finish();
    const isBroken = ending.error !== undefined || controller.signal.aborted;
    outcome = outcomeOf(host, input, messageId, fold, startedAt, { request, size }, model, isBroken);
    const { finishReason, usage } = outcome;
    const { aborted: isCutOff } = controller.signal;
    observed?.end({ ...outcome, isCutOff, ...(ending.error && { error: ending.error.toJSON() }) });
    host.emit({
      type: "model.end",
      messageId,
      finishReason,
      ...(usage && { usage }),
      ...(ending.error && { error: ending.error.toJSON() }),
    });
  };
  const reading = { model, request, controller, isStopped, onPart, onEnd };
  const { error } = await (observed ? observed.run(() => read(reading)) : read(reading));
  const { signal } = controller;
  const failure = error && {
    ...host.failed(error),
    ...(!outcome.delivered && { retry: mayRetry(error, request.execution.retryOn) }),
  };
  const isWhole = !error && !signal.aborted;
  const value = isWhole ? await nativeOutput(host, input, outcome) : undefined;
  return {
    ...outcome,
    ...(failure && { error: failure }),
    ...(value !== undefined && { value }),
  };
}

/** Returns the structured answer of a model that keeps to a schema by itself; undefined if the message is not one. */
export async function nativeOutput(
  host: Host,
  input: Pick<ModelInput, "phase" | "persona" | "overrides" | "usesFallback" | "wanted">,
  { message, finishReason }: Pick<ModelOutcome, "message" | "finishReason">,
): Promise<Json | undefined> {
  if (outputModeOf(host, input) !== "native" || finishReason === "length") return undefined;
  if (!message || toolUsesOf(message).length > 0) return undefined;
  const found = nativeValue(message);
  const schema = host.output()?.schema;
  if (found === undefined || !schema) return undefined;
  const value = pruneNulls(jsonSchemaOf(schema), found);
  return (await fitsOutput(schema, value)) ? value : undefined;
}
