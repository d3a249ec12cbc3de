import { AgentError } from "../base/error.ts";
import { freeze } from "../base/json.ts";
import { toolUsesOf } from "./msg.ts";
import type { Msg } from "./types.ts";

/** Some messages of a stored session, in order: the first one has the index `from`. */
export type TranscriptPart = { readonly from: number; readonly messages: readonly Msg[] };

/** Reads the messages up to, but not including, `to`, from `from` or an earlier one on. Rejects as the store does. */
export type ReadTranscript = (from: number, to: number) => Promise<TranscriptPart>;

/**
 * The first messages of a stored session, which are read when somebody asks for them. They are read from the end to the start, so that what
 * is here is always the end. All transcripts that were made of the session's have the same head.
 */
export class TranscriptHead {
  readonly length: number;
  readonly #read: ReadTranscript;
  #here: readonly Msg[] = [];
  #callIds: ReadonlySet<string> | undefined;
  #reading: Promise<void> | undefined;

  constructor(length: number, read: ReadTranscript) {
    this.length = length;
    this.#read = read;
  }

  /** The index of the first message that is here; {@link length} if none is. */
  get from(): number {
    return this.length - this.#here.length;
  }

  /** Returns a message. Throws `run/busy` for one that is not read yet: its reader has to wait for {@link load} first. */
  at(index: number): Msg {
    if (index < this.from) throw notRead(index);
    return this.#here[index - this.from]!;
  }

  /** Returns messages as a new array. Throws as {@link at}. */
  slice(from: number, to: number): Msg[] {
    if (from < this.from && from < to) throw notRead(from);
    return this.#here.slice(Math.max(0, from - this.from), Math.max(0, to - this.from));
  }

  /** Returns true if a message asks for a call with this id, and if one may do so that is not read yet. */
  hasCall(id: string): boolean {
    if (this.from > 0) return true;
    this.#callIds ??= new Set(this.#here.flatMap((message) => toolUsesOf(message).map((call) => call.id)));
    return this.#callIds.has(id);
  }

  /** Reads the messages from `from` on; undefined if they are here. Rejects as the store does; what was read stays. */
  load(from: number): Promise<void> | undefined {
    if (this.from <= from) return undefined;
    const next = (this.#reading ?? Promise.resolve()).then(() => this.#load(from));
    this.#reading = next.catch(() => {});
    return next;
  }

  async #load(from: number): Promise<void> {
    if (this.from <= from) return;
    const part = await this.#read(from, this.from);
    this.#here = [...part.messages.map(freeze), ...this.#here];
  }
}

function notRead(index: number): AgentError {
  return new AgentError(
    "run/busy",
    `Message ${index} of the session is not read yet. Wait for \`agent.messages()\` first.`,
    { isRetryable: true },
  );
}
