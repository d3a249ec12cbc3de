import type { AgentEvent } from "../../event/types.ts";
import type { Json } from "../../base/json.ts";
import type { StreamDelta } from "../protocol/protocol.ts";
import { namesSecret } from "../protocol/secrets.ts";

const MOST_ITEMS = 500;
const MOST_CHARACTERS = 256_000;
/** Characters of a block that are looked at again with the next ones: the name of a secret may come in pieces. */
const OVERLAP = 80;

type Body = Omit<StreamDelta, "n">;
type Queued = Body & { readonly n: number };

/**
 * Text on its way to the hub. It may be lost, the newest is what counts.
 *
 * U1 Deltas of one block that wait together become one.
 * U2 What waits is bounded; the oldest goes first and is counted.
 * U3 Arguments of a tool stop at the first name of a secret; the call itself comes with the message, redacted. With a hook
 *    that redacts nothing is streamed, for it would see pieces only.
 */
export class StreamQueue {
  readonly #runId: string;
  readonly #isClosed: boolean;
  #items: Queued[] = [];
  #characters = 0;
  #n = 0;
  #dropped = 0;
  #messageId = "";
  /** The end of what was said of each block of the message; null for a block that is not shown any more. */
  #ends = new Map<number, string | null>();

  constructor(runId: string, redact: ((value: Json) => Json) | undefined) {
    this.#runId = runId;
    this.#isClosed = redact !== undefined;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  take(event: AgentEvent): void {
    if (this.#isClosed) return;
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

  /** What waits, and how many were dropped since the last time. */
  drain(): { readonly items: readonly StreamDelta[]; readonly dropped: number } {
    const drained = { items: this.#items, dropped: this.#dropped };
    this.#items = [];
    this.#characters = 0;
    this.#dropped = 0;
    return drained;
  }

  #add(body: Body): void {
    const last = this.#items.at(-1);
    this.#characters += body.delta.length;
    if (last && isSameBlock(last, body))
      this.#items[this.#items.length - 1] = { ...last, delta: last.delta + body.delta };
    else this.#items.push({ ...body, n: ++this.#n });
    while (this.#items.length > MOST_ITEMS || this.#characters > MOST_CHARACTERS) {
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

function isSameBlock(a: Body, b: Body): boolean {
  return a.kind === b.kind && a.messageId === b.messageId && a.index === b.index && a.callId === b.callId;
}
