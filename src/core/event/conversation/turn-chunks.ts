// src/core/event/conversation folds the events of a session into its conversation, the only place that does: protocols of pages write what it says.
import { isSame, type Json } from "../../base/json.ts";
import type { AgentEvent } from "../types.ts";
import { textOf, sourcesOf } from "../../message/msg.ts";
import type { Msg, Reason, ToolResultBlock, ToolUseBlock } from "../../message/types.ts";
import type { PendingCall } from "../../tool/pending.ts";
import { changedInput } from "../../message/account.ts";
import { OUTPUT_TOOL } from "../../tool/reserved-names.ts";
import { callAround, innerEvent } from "./inner-event.ts";
import { MessageFold } from "./message-fold.ts";
import { isSaid, shownBlocks, shownOutput, shownResults } from "./shown-messages.ts";
import { withProgress } from "./shown-progress.ts";
import { sourceChunk } from "./source-chunk.ts";
import type { TurnChunk } from "./ui-message-chunk.ts";

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;
type BlockStart = Extract<AgentEvent, { readonly type: "block.start" | "block.end" }>;
type FinishReason = Extract<TurnChunk, { readonly type: "finish" }>["finishReason"];

/** A part of an answer as the page shows it. */
type Shown =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly callId: string };

const FINISH: { readonly [R in Reason]: FinishReason } = {
  MODEL_STOP: "stop",
  STRUCTURED_OUTPUT: "stop",
  TOOL_SUSPENDED: "tool-calls",
  APPROVAL_REQUIRED: "tool-calls",
  OUTCOME_UNKNOWN: "tool-calls",
  REASONING_STOP_REQUESTED: "other",
  ACTING_STOP_REQUESTED: "other",
  INTERRUPTED: "other",
  MAX_ITERATIONS: "length",
  BUDGET_EXCEEDED: "length",
  BREAKPOINT: "other",
  SHUTDOWN: "other",
  ERROR: "error",
};

/** The names that the AI SDK has for an answer that did not come to its end by itself. */
const CUT: { readonly [reason: string]: FinishReason } = {
  length: "length",
  content_filter: "content-filter",
  refusal: "content-filter",
  unknown: "other",
};

function shownOf(message: Msg): readonly Shown[] {
  return shownBlocks(message).map((block): Shown => {
    if (block.type === "tool_use") return { kind: "call", callId: block.id };
    return block.type === "text"
      ? { kind: "text", text: block.text }
      : { kind: "reasoning", text: block.thinking };
  });
}

/** Folds the events of one turn into chunks of the AI SDK's UI message stream. The durable events alone give the same message as all
 *  of them: what was not streamed is made of the stored messages. */
export class TurnChunks {
  #hasStarted = false;
  #isOver = false;
  /** The message of the step that is open, and what of it was streamed so far. */
  #step: { readonly messageId: string; shown: Shown[]; isStored: boolean } | undefined;
  #block: { readonly id: string; readonly index: number; readonly kind: "text" | "reasoning" } | undefined;
  readonly #progress = new Map<string, string>();
  readonly #asked = new Set<string>();
  /** The calls that the page has. */
  readonly #announced = new Map<string, Pick<ToolUseBlock, "name" | "input">>();
  /** Those of them whose output is preliminary. */
  readonly #preliminary = new Set<string>();
  /** The sub-agents that run inside of calls, by call. */
  readonly #inner = new Map<string, { chunks: TurnChunks; readonly message: MessageFold }>();

  /** The message of the structured answer that the page has. */
  #outputOf: string | undefined;

  /** The sources that the page has. */
  readonly #cited = new Set<string>();

  /** The reason for which the model ended the newest answer, unless it came to its end by itself. */
  #finishReason: string | undefined;

  /** The reason for which the model ended the newest answer; undefined if it came to its end by itself. */
  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  /** True once the turn has ended: later events are of another one. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True once the turn has an answer of the model: what the user says from then on is steering. */
  get hasAnswer(): boolean {
    return this.#step !== undefined;
  }

  push(event: AgentEvent): readonly TurnChunk[] {
    if (this.#isOver || event.turn === 0) return [];
    if (event.source) return this.#hasStarted ? this.#inside(event) : [];
    const chunks = this.#chunksOf(event);
    if (this.#hasStarted || chunks.length === 0) return chunks;
    this.#hasStarted = true;
    const { turn } = event;
    return [{ type: "start", messageId: `turn-${turn}`, messageMetadata: { turn } }, ...chunks];
  }

  #chunksOf(event: AgentEvent): readonly TurnChunk[] {
    switch (event.type) {
      case "state":
        return [{ type: "data-state", data: { state: event.value }, transient: true }];
      case "block.start":
        return this.#begin(event);
      case "block.delta":
        return this.#grow(event);
      case "block.end":
        return this.#endBlock();
      case "output.partial":
        return this.#takeForm(event);
      case "message":
        return this.#store(event.message);
      case "tool.delta": {
        const text = withProgress(this.#progress.get(event.callId), event.delta);
        this.#progress.set(event.callId, text);
        return this.#announced.has(event.callId) ? [this.#soFar(event.callId, text)] : [];
      }
      case "tool.start": // a call that goes on is of a message that the page has already
        this.#progress.delete(event.call.id); // what an earlier attempt has said
        if (event.attempt > 0) this.#announced.set(event.call.id, event.call);
        return [];
      case "pending":
        return event.calls.flatMap((call) => this.#ask(call));
      case "compaction.end":
        return [{ type: "data-compaction", data: { did: event.did }, transient: true }];
      case "turn.end":
        return this.#end(event);
      default:
        return [];
    }
  }

  #soFar(toolCallId: string, output: Json): TurnChunk {
    this.#preliminary.add(toolCallId);
    return { type: "tool-output-available", toolCallId, output, dynamic: true, preliminary: true };
  }

  /** Returns the text and actions of a sub-agent so far as the interim output of its call: a message, as that of the turn. */
  #inside(event: AgentEvent): readonly TurnChunk[] {
    const call = callAround(event, this.#announced.keys());
    if (call === undefined) return [];
    const inner = this.#inner.get(call) ?? { chunks: new TurnChunks(), message: new MessageFold() };
    this.#inner.set(call, inner);
    if (inner.chunks.isOver) inner.chunks = new TurnChunks(); // it was suspended, and goes on
    for (const chunk of inner.chunks.push(innerEvent(event))) inner.message.push(chunk);
    const { message } = inner.message;
    return event.type === "message" && message ? [this.#soFar(call, message as unknown as Json)] : [];
  }

  /** The page shows a call that has no result yet as it is, without what it has said meanwhile. */
  #withoutPreliminary(): readonly TurnChunk[] {
    return [...this.#preliminary].map((toolCallId) => {
      const { name: toolName, input } = this.#announced.get(toolCallId)!;
      return { type: "tool-input-available", toolCallId, toolName, input, dynamic: true };
    });
  }

  /** Opens the step of a message. What an attempt has streamed whose message was rejected is removed. */
  #open(messageId: string): readonly TurnChunk[] {
    const before = this.#step;
    if (before?.messageId === messageId) return [];
    this.#step = { messageId, shown: [], isStored: false };
    if (!before) return [{ type: "start-step" }];
    if (before.isStored) return [{ type: "finish-step" }, { type: "start-step" }];
    this.#forget(before.shown);
    return [...this.#endBlock(), { type: "reset-step" }];
  }

  #forget(shown: readonly Shown[]): void {
    for (const part of shown) if (part.kind === "call") this.#announced.delete(part.callId);
  }

  #begin({ messageId, index, kind, callId, name }: BlockStart): readonly TurnChunk[] {
    if (name === OUTPUT_TOOL) return [];
    const opened = this.#open(messageId);
    const shown = this.#step!.shown;
    if (kind === "tool_use") {
      if (callId === undefined || name === undefined) return opened;
      shown.push({ kind: "call", callId });
      return [...opened, { type: "tool-input-start", toolCallId: callId, toolName: name, dynamic: true }];
    }
    const shownKind = kind === "text" ? "text" : "reasoning";
    this.#block = { id: `${messageId}:${index}`, index, kind: shownKind };
    shown.push({ kind: shownKind, text: "" });
    return [...opened, { type: `${shownKind}-start`, id: this.#block.id }];
  }

  #grow({ messageId, index, kind, delta, callId, name }: Event<"block.delta">): readonly TurnChunk[] {
    const step = this.#step;
    if (name === OUTPUT_TOOL || step?.messageId !== messageId || delta === "") return [];
    if (kind === "tool_use") {
      const isShown = step.shown.some((part) => part.kind === "call" && part.callId === callId);
      return isShown && callId !== undefined
        ? [{ type: "tool-input-delta", toolCallId: callId, inputTextDelta: delta }]
        : [];
    }
    const last = step.shown.at(-1);
    if (this.#block?.index !== index || !last || last.kind === "call") return []; // its start was missed
    step.shown[step.shown.length - 1] = { ...last, text: last.text + delta };
    return [{ type: `${this.#block.kind}-delta`, id: this.#block.id, delta }];
  }

  /** The page merges what it is told into what it knows, so that an answer that begins again replaces nothing. */
  #takeForm({ messageId, value, turn }: Event<"output.partial">): readonly TurnChunk[] {
    const shown = (partialOutput: Json): TurnChunk => ({
      type: "message-metadata",
      messageMetadata: { turn, partialOutput },
    });
    const isAnew = this.#outputOf !== undefined && this.#outputOf !== messageId;
    this.#outputOf = messageId;
    return isAnew ? [shown(null), shown(value)] : [shown(value)];
  }

  #endBlock(): readonly TurnChunk[] {
    const block = this.#block;
    this.#block = undefined;
    return block ? [{ type: `${block.kind}-end`, id: block.id }] : [];
  }

  #store(message: Msg): readonly TurnChunk[] {
    if (message.role === "tool") {
      const answers = shownResults(message).flatMap((result) => this.#answer(result));
      return [...answers, ...this.#cite(message)];
    }
    if (message.role === "user") return this.#steer(message);
    if (message.role !== "assistant") return [];
    const opened = this.#open(message.id);
    this.#finishReason = message.finishReason;
    const step = this.#step!;
    step.isStored = true;
    const shown = shownOf(message);
    const calls = shownBlocks(message).flatMap((block): readonly TurnChunk[] => {
      if (block.type !== "tool_use") return [];
      const { id: toolCallId, name: toolName, input } = block;
      this.#announced.set(toolCallId, block);
      return [{ type: "tool-input-available", toolCallId, toolName, input, dynamic: true }];
    });
    const ended = this.#endBlock();
    const sources = this.#cite(message);
    if (isSame(step.shown.filter(isVisible), shown)) return [...opened, ...ended, ...calls, ...sources];
    const reset: readonly TurnChunk[] = step.shown.length > 0 ? [{ type: "reset-step" }] : [];
    step.shown = [...shown];
    const written = shown.flatMap((part, index) => this.#write(part, `${message.id}:${index}`, calls));
    return [...opened, ...ended, ...reset, ...written, ...sources];
  }

  /** Returns the sources on which the answers of the turn may rest, each once. */
  #cite(message: Msg): readonly TurnChunk[] {
    return sourcesOf([message]).flatMap((source): readonly TurnChunk[] => {
      const sourceId = `${source.kind}:${source.id}`;
      if (this.#cited.has(sourceId)) return [];
      this.#cited.add(sourceId);
      return [sourceChunk(sourceId, source)];
    });
  }

  /** A part that was not streamed, whole. */
  #write(part: Shown, id: string, calls: readonly TurnChunk[]): readonly TurnChunk[] {
    if (part.kind === "call")
      return calls.filter((chunk) => "toolCallId" in chunk && chunk.toolCallId === part.callId);
    const { kind, text } = part;
    return [
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta: text },
      { type: `${kind}-end`, id },
    ];
  }

  #answer(result: ToolResultBlock): readonly TurnChunk[] {
    const { id: toolCallId, state, account, metadata } = result;
    this.#preliminary.delete(toolCallId);
    const diff = metadata?.["diff"]; // of the rest of what a tool keeps for its caller, pages get nothing
    const told = {
      ...(account && { account: account as unknown as Json }),
      ...(diff !== undefined && { diff }),
    };
    const about = (account || diff !== undefined) && { toolMetadata: told };
    if (state === "denied") return [{ type: "tool-output-denied", toolCallId, ...about }];
    const ran = this.#ran(result);
    const output = shownOutput(result);
    if (state === "success")
      return [...ran, { type: "tool-output-available", toolCallId, output, dynamic: true, ...about }];
    const errorText = typeof output === "string" ? output : JSON.stringify(output);
    return [...ran, { type: "tool-output-error", toolCallId, errorText, dynamic: true, ...about }];
  }

  /** The arguments with which a call ran, if they are not those that the model gave. */
  #ran({ id: toolCallId, name: toolName, account }: ToolResultBlock): readonly TurnChunk[] {
    const changed = changedInput(account);
    if (!changed) return [];
    const input = "input" in changed ? changed.input : null;
    return [{ type: "tool-input-available", toolCallId, toolName, input, dynamic: true }];
  }

  /** Returns the messages of the user while the turn ran; reminders of the agent itself, which have a name of their own, are not shown. */
  #steer(message: Msg): readonly TurnChunk[] {
    const text = textOf(message);
    if (!this.hasAnswer || text === "" || !isSaid(message)) return [];
    return [{ type: "steering-message", id: message.id, parts: [{ type: "text", text }] }];
  }

  #ask(call: PendingCall): readonly TurnChunk[] {
    const { callId, name, input, waitsFor, reason, ask, answerSchema, argsHash, path, decided } = call;
    if (decided !== undefined || this.#asked.has(callId)) return [];
    this.#asked.add(callId);
    if (ask) {
      const data = { message: reason ?? "", ...ask, argsHash, ...(answerSchema && { schema: answerSchema }) };
      return [{ type: "data-ask", id: callId, data }];
    }
    if (waitsFor !== "approval") return [];
    if (path) {
      const data = { message: reason ?? "", kind: "approval", name, input, argsHash };
      return [{ type: "data-ask", id: callId, data }]; // the page has no part of a call of a sub-agent
    }
    const why = reason !== undefined && { reason };
    return [{ type: "tool-approval-request", approvalId: callId, toolCallId: callId, ...why }];
  }

  #end({ reason, error, turn }: Event<"turn.end">): readonly TurnChunk[] {
    this.#isOver = true;
    const step = this.#step;
    const unkept: readonly TurnChunk[] = step && !step.isStored ? [{ type: "reset-step" }] : [];
    const ended: readonly TurnChunk[] = step ? [...this.#endBlock(), ...unkept, { type: "finish-step" }] : [];
    const closed = [...this.#withoutPreliminary(), ...ended];
    const finish: TurnChunk = {
      type: "finish",
      finishReason: (FINISH[reason] === "stop" && CUT[this.#finishReason ?? ""]) || FINISH[reason],
      messageMetadata: { turn, reason, ...(this.#finishReason && { finishReason: this.#finishReason }) },
    };
    if (reason === "INTERRUPTED") return [...closed, { type: "abort", reason }];
    if (error) return [...closed, { type: "error", errorText: error.message }, finish];
    return [...closed, finish];
  }
}

const isVisible = (part: Shown): boolean => part.kind === "call" || part.text !== "";
