import type { Json } from "../../base/json.ts";
import type { TurnChunk, TurnMetadata } from "./ui-message-chunk.ts";

/** A part of a message as the AI SDK has it, such as `{ type: "text", text, state: "done" }` or `{ type: "dynamic-tool", … }`. */
export type UIPart = { readonly type: string; readonly [field: string]: Json };

/** A message of the AI SDK: what a user has said, or a turn. */
export type TurnMessage = {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly UIPart[];
  readonly metadata?: TurnMetadata | undefined;
};

type CallChunk = Extract<TurnChunk, { readonly toolCallId: string }>;

/** Folds the chunks of a turn into the message that the AI SDK makes of them. */
export class MessageFold {
  #message: TurnMessage | undefined;
  #parts: UIPart[] = [];

  /** The message so far, undefined before its first chunk. It is not changed by later chunks. */
  get message(): TurnMessage | undefined {
    return this.#message && { ...this.#message, parts: [...this.#parts] };
  }

  /** True before the first part: then the user has not been answered. */
  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  push(chunk: TurnChunk): void {
    switch (chunk.type) {
      case "start":
        this.#message = {
          id: chunk.messageId,
          role: "assistant",
          parts: [],
          metadata: { ...this.#message?.metadata, ...chunk.messageMetadata },
        };
        return;
      case "message-metadata":
        this.#message = this.#message && {
          ...this.#message,
          metadata: { ...this.#message.metadata, ...chunk.messageMetadata },
        };
        return;
      case "finish":
        this.#message = this.#message && { ...this.#message, metadata: chunk.messageMetadata };
        return;
      case "start-step":
        this.#parts.push({ type: "step-start" });
        return;
      case "reset-step":
        this.#parts.length = this.#parts.findLastIndex(({ type }) => type === "step-start") + 1;
        return;
      case "text-start":
        this.#parts.push({ type: "text", text: "", state: "streaming" });
        return;
      case "reasoning-start":
        this.#parts.push({ type: "reasoning", id: chunk.id, text: "", state: "streaming" });
        return;
      case "text-delta":
      case "reasoning-delta":
        this.#change(({ text }) => ({ text: `${text as string}${chunk.delta}` }));
        return;
      case "text-end":
      case "reasoning-end":
        this.#change(() => ({ state: "done" }));
        return;
      case "steering-message":
        this.#parts.push({ type: "steering-message", id: chunk.id, parts: chunk.parts as unknown as Json });
        return;
      case "source-url":
      case "source-document":
        this.#parts.push(chunk as unknown as UIPart);
        return;
      case "data-ask":
        this.#put(({ type, id }) => type === "data-ask" && id === chunk.id, {
          type: "data-ask",
          id: chunk.id,
          data: chunk.data,
        });
        return;
      default:
        if ("toolCallId" in chunk) this.#call(chunk);
    }
  }

  #put(isSame: (part: UIPart) => boolean, part: UIPart): void {
    const at = this.#parts.findIndex(isSame);
    if (at < 0) this.#parts.push(part);
    else this.#parts[at] = part;
  }

  /** Changes the text that is being written: one at a time is. */
  #change(change: (part: UIPart) => { readonly [field: string]: Json }): void {
    const at = this.#parts.findLastIndex(({ state }) => state === "streaming");
    const part = this.#parts[at];
    if (part) this.#parts[at] = { ...part, ...change(part) };
  }

  #call(chunk: CallChunk): void {
    const isSame = ({ toolCallId }: UIPart): boolean => toolCallId === chunk.toolCallId;
    const fields = callFields(chunk);
    if (!fields) return;
    const { preliminary: _, output: __, ...known }: Partial<UIPart> = this.#parts.find(isSame) ?? {};
    this.#put(isSame, { type: "dynamic-tool", ...known, ...fields });
  }
}

/** Returns the information of a chunk about its call; undefined if it has nothing that a message shows. */
function callFields(chunk: CallChunk): { readonly [field: string]: Json } | undefined {
  const { toolCallId } = chunk;
  const told = "toolMetadata" in chunk && chunk.toolMetadata && { toolMetadata: chunk.toolMetadata };
  switch (chunk.type) {
    case "tool-input-start":
      return { toolName: chunk.toolName, toolCallId, state: "input-streaming" };
    case "tool-input-available":
      return { toolName: chunk.toolName, toolCallId, state: "input-available", input: chunk.input };
    case "tool-approval-request": {
      const reason = chunk.reason === undefined ? {} : { requestReason: chunk.reason };
      return { state: "approval-requested", approval: { id: chunk.approvalId, ...reason } };
    }
    case "tool-output-available":
      return {
        state: "output-available",
        output: chunk.output,
        ...(chunk.preliminary && { preliminary: true }),
        ...told,
      };
    case "tool-output-error":
      return { state: "output-error", errorText: chunk.errorText, ...told };
    case "tool-output-denied":
      return { state: "output-denied", ...told };
    default:
      return undefined;
  }
}
