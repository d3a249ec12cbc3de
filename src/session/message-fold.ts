import type { Msg, ToolResultBlock } from "../core/message/types.ts";
import type { ResultRef, SessionEntry } from "./entry.ts";
import { damagedEntry } from "./read-entry.ts";

type MessagesEntry = Extract<SessionEntry, { readonly type: "messages" }>;

/** Folds entries into the messages of a transcript from an index on, before which entries say nothing any more. */
export class MessageFold {
  /** The index of the first message. */
  readonly from: number;
  readonly messages: Msg[] = [];
  readonly #results = new Map<string, ToolResultBlock>();

  constructor(from = 0) {
    this.from = from;
  }

  /** Applies the next entry. Throws `session/damaged` for messages without their place or their result. */
  push(entry: SessionEntry): void {
    if (entry.type === "messages") this.#add(entry);
    else if (entry.type === "call" && entry.data.set.result)
      this.#results.set(entry.data.id, entry.data.set.result);
  }

  #add(entry: MessagesEntry): void {
    const { messages, from } = entry.data;
    const place = from - this.from;
    if (place < 0 || place > this.messages.length) throw damagedEntry(entry, `there is no message ${from}`);
    this.messages.length = place;
    for (const message of messages) this.messages.push(wholeMessage(message, this.#results, entry));
  }
}

/** Returns a message of an entry with the result that it refers to. Throws `session/damaged` if that is not known. */
export function wholeMessage(
  message: Msg | ResultRef,
  results: ReadonlyMap<string, ToolResultBlock>,
  entry: SessionEntry,
): Msg {
  if (!("ref" in message)) return message;
  const { ref, id, role, name, ...rest } = message;
  const result = results.get(ref);
  if (!result) throw damagedEntry(entry, `the result of call '${ref}' is not in the journal`);
  return { id, role, name, content: [result], ...rest }; // the order of a new message
}
