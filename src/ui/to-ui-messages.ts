import type { Json } from "../base/json.ts";
import type { AgentEvent } from "../event/types.ts";
import { textOf } from "../message/query.ts";
import { TurnChunks } from "./turn-chunks.ts";
import type { TurnChunk, TurnMetadata } from "./ui-message-chunk.ts";

/** A part of a message as the AI SDK has it, such as `{ type: "text", text, state: "done" }` or `{ type: "dynamic-tool", … }`. */
export type UIPart = { readonly type: string; readonly [field: string]: Json };

/** A message of the AI SDK: what a user has said, or a turn. */
export type TurnMessage = {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly UIPart[];
  readonly metadata?: TurnMetadata;
};

type CallChunk = Extract<TurnChunk, { readonly toolCallId: string }>;

/** Folds the chunks that stored events make into the message that the AI SDK makes of them. */
class MessageFold {
  #message: TurnMessage | undefined;
  #parts: UIPart[] = [];

  get message(): TurnMessage | undefined {
    return this.#message && { ...this.#message, parts: this.#parts };
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
      case "finish":
        this.#message = this.#message && { ...this.#message, metadata: chunk.messageMetadata };
        return;
      case "start-step":
        this.#parts.push({ type: "step-start" });
        return;
      case "reset-step":
        this.#parts.length = this.#parts.findLastIndex(({ type }) => type === "step-start") + 1;
        return;
      case "text-delta":
      case "reasoning-delta":
        this.#parts.push({
          ...(chunk.type === "text-delta" ? { type: "text" } : { type: "reasoning", id: chunk.id }),
          text: chunk.delta,
          state: "done",
        });
        return;
      case "steering-message":
        this.#parts.push({ type: "steering-message", id: chunk.id, parts: chunk.parts as unknown as Json });
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

  #call(chunk: CallChunk): void {
    const isSame = ({ toolCallId }: UIPart): boolean => toolCallId === chunk.toolCallId;
    const fields = callFields(chunk);
    if (fields) this.#put(isSame, { type: "dynamic-tool", ...this.#parts.find(isSame), ...fields });
  }
}

/** What a chunk says of its call. */
function callFields(chunk: CallChunk): { readonly [field: string]: Json } | undefined {
  const { toolCallId } = chunk;
  switch (chunk.type) {
    case "tool-input-available":
      return { toolName: chunk.toolName, toolCallId, state: "input-available", input: chunk.input };
    case "tool-approval-request": {
      const reason = chunk.reason === undefined ? {} : { requestReason: chunk.reason };
      return { state: "approval-requested", approval: { id: chunk.approvalId, ...reason } };
    }
    case "tool-output-available":
      return { state: "output-available", output: chunk.output };
    case "tool-output-error":
      return { state: "output-error", errorText: chunk.errorText };
    case "tool-output-denied":
      return { state: "output-denied" };
    default:
      return undefined; // what is not stored
  }
}

/**
 * Makes the messages that a page begins with of the stored events of a session: one for each input of the user and one for each turn.
 * They are those that `useChat` has made of the streams of these turns, so that a page that is loaded again shows the same, and can
 * answer what waits. The transcript of a session in which messages were compacted is whole.
 *
 * @example
 * ```ts
 * import { openSession } from "agentchart/session";
 * import { fileStore } from "agentchart/store/file";
 * import { toUIMessages } from "agentchart/ui";
 *
 * const stored = await openSession(fileStore({ dir: "./sessions" }), "customer-42");
 * const messages = await toUIMessages(stored.events());
 * console.log(messages.length); // useChat({ messages, … })
 * ```
 */
export async function toUIMessages(
  events: AsyncIterable<AgentEvent> | Iterable<AgentEvent>,
): Promise<readonly TurnMessage[]> {
  const messages: TurnMessage[] = [];
  let of = 0;
  let fold = new MessageFold();
  let chunks = new TurnChunks();
  const close = (): void => {
    if (fold.message) messages.push(fold.message);
  };
  for await (const event of events) {
    if (event.turn === 0 || event.source) continue;
    if (event.turn !== of) {
      close();
      [of, fold, chunks] = [event.turn, new MessageFold(), new TurnChunks()];
    }
    if (chunks.isOver) chunks = new TurnChunks(); // a turn that was suspended goes on in a stream of its own
    if (event.type === "message" && event.message.role === "user" && !fold.message) {
      const { id } = event.message;
      messages.push({ id, role: "user", parts: [{ type: "text", text: textOf(event.message) }] });
    } else for (const chunk of chunks.push(event)) fold.push(chunk);
  }
  close();
  return messages;
}
