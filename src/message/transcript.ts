import { freeze } from "../base/freeze.ts";
import { toolUsesOf } from "./query.ts";
import type { Msg } from "./types.ts";

type Log = { readonly messages: Msg[]; readonly callIds: Set<string> };

/**
 * The messages of a session as an immutable value that is cheap to pass around: an append shares the array with the
 * value it came from, and JSON shows only the length.
 *
 * T1 A transcript never changes: `append`, `insert` and `keep` give a new one.
 * T2 Appending to the newest value costs the same at any length; any other change copies the list once.
 * T3 Its messages are frozen, whole.
 * T4 Nothing outside sees the messages by walking the object (XState walks context), only by `slice` and `at`.
 */
export class Transcript {
  readonly length: number;
  readonly #log: Log;

  private constructor(log: Log, length: number) {
    this.#log = log;
    this.length = length;
  }

  /** A transcript of these messages. */
  static of(messages: readonly Msg[] = []): Transcript {
    return new Transcript(
      { messages: messages.map(freeze), callIds: new Set(callIdsOf(messages)) },
      messages.length,
    );
  }

  /** The message at `index`, from the end if negative. */
  at(index: number): Msg | undefined {
    const position = index < 0 ? this.length + index : index;
    return position < this.length ? this.#log.messages[position] : undefined;
  }

  /** The messages from `from` to before `to`, as a new array. */
  slice(from = 0, to: number = this.length): Msg[] {
    return this.#log.messages.slice(from, Math.min(to, this.length));
  }

  /** True if some message ever asked for a call of this id. */
  hasCall(id: string): boolean {
    return this.#log.callIds.has(id);
  }

  append(messages: readonly Msg[]): Transcript {
    if (messages.length === 0) return this;
    const { messages: list, callIds } = this.#log;
    if (list.length !== this.length) return Transcript.of([...this.slice(), ...messages]);
    list.push(...messages.map(freeze));
    for (const id of callIdsOf(messages)) callIds.add(id);
    return new Transcript(this.#log, list.length);
  }

  /** With `messages` before the one at `index`. */
  insert(index: number, messages: readonly Msg[]): Transcript {
    if (index >= this.length) return this.append(messages);
    return Transcript.of([...this.slice(0, index), ...messages, ...this.slice(index)]);
  }

  /** With `messages` in place of all from `index` on. */
  replaceFrom(index: number, messages: readonly Msg[]): Transcript {
    return Transcript.of([...this.slice(0, index), ...messages]);
  }

  /** How many messages at the start two transcripts have in common; O(1) if one was appended to the other. */
  commonPrefix(other: Transcript): number {
    const most = Math.min(this.length, other.length);
    if (this.#log === other.#log) return most;
    let same = 0;
    while (same < most && this.#log.messages[same] === other.#log.messages[same]) same++;
    return same;
  }

  toJSON(): { readonly transcript: number } {
    return { transcript: this.length };
  }
}

function callIdsOf(messages: readonly Msg[]): string[] {
  return messages.flatMap((message) => toolUsesOf(message).map(({ id }) => id));
}
