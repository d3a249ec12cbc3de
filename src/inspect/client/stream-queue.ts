import type { AgentEvent } from "../../core/event/types.ts";
import type { Json } from "../../core/base/json.ts";
import type { StreamDelta } from "../protocol/protocol.ts";
import { namesSecret } from "../../core/base/secrets.ts";

const MAX_ITEMS = 500;
const MAX_CHARACTERS = 256_000;
/**
 * The number of characters of a block that are checked again with the next delta: the key of a secret may be
 * split.
 */
const OVERLAP = 80;

type DeltaBody = Omit<StreamDelta, "n">;
type QueuedDelta = DeltaBody & { readonly n: number };

/**
 * Streamed text that waits to be sent to the hub. It may be dropped; the newest text matters most.
 *
 * U1 Waiting deltas of one block are merged.
 * U2 The queue is bounded; the oldest deltas are dropped first and counted.
 * U3 The arguments of a tool stop at the first key of a secret; the call itself arrives with the message,
 *   redacted. With a redaction function, nothing is streamed, because it would only see pieces.
 */
export class StreamQueue {
  readonly #runId: string;
  readonly #isDisabled: boolean;
  #items: QueuedDelta[] = [];
  #characters = 0;
  #count = 0;
  #dropped = 0;
  #messageId = "";
  /** The last characters of each block of the message; null for a block that is no longer displayed. */
  #ends = new Map<number, string | null>();

  constructor(runId: string, redact: ((value: Json) => Json) | undefined) {
    this.#runId = runId;
    this.#isDisabled = redact !== undefined;
  }

  /** True if no delta waits to be sent. */
  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** Adds the delta of an agent event; ignores other events. */
  push(event: AgentEvent): void {
    if (this.#isDisabled) return;
    if (event.type === "block.delta") {
      const { messageId, index, kind, callId, name, delta } = event;
      if (kind === "tool_use" && this.#hidesSecret(messageId, index, delta)) return;
      this.#add({
        runId: this.#runId,
        messageId,
        index,
        kind,
        delta,
        ...(callId !== undefined && { callId }),
        ...(name !== undefined && { name }),
      });
    } else if (event.type === "tool.delta") {
      const { callId, delta } = event;
      this.#add({ runId: this.#runId, messageId: "", index: 0, kind: "tool", callId, delta });
    }
  }

  /** Removes and returns the waiting deltas, with the number of dropped ones since the last call. */
  drain(): { readonly items: readonly StreamDelta[]; readonly dropped: number } {
    const drained = { items: this.#items, dropped: this.#dropped };
    this.#items = [];
    this.#characters = 0;
    this.#dropped = 0;
    return drained;
  }

  #add(body: DeltaBody): void {
    const last = this.#items.at(-1);
    this.#characters += body.delta.length;
    if (last && isSameBlock(last, body))
      this.#items[this.#items.length - 1] = { ...last, delta: last.delta + body.delta };
    else this.#items.push({ ...body, n: ++this.#count });
    while (this.#items.length > MAX_ITEMS || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#items.shift()!.delta.length;
      this.#dropped++;
    }
  }

  #hidesSecret(messageId: string, index: number, delta: string): boolean {
    if (messageId !== this.#messageId) this.#ends.clear();
    this.#messageId = messageId;
    const before = this.#ends.get(index) ?? (this.#ends.has(index) ? null : "");
    const text = before === null ? null : before + delta;
    const hides = text === null || namesSecret(text);
    this.#ends.set(index, hides ? null : text.slice(-OVERLAP));
    return hides;
  }
}

function isSameBlock(a: DeltaBody, b: DeltaBody): boolean {
  return a.kind === b.kind && a.messageId === b.messageId && a.index === b.index && a.callId === b.callId;
}
