import type { AgentEvent } from "../types.ts";
import type { Block, Msg } from "../../message/types.ts";
import { isMediaBlock, textOf } from "../../message/msg.ts";
import { MessageFold, type TurnMessage, type UIPart } from "./message-fold.ts";
import { isSaid } from "./shown-messages.ts";
import { TurnChunks } from "./turn-chunks.ts";

/** Returns the form in which a page shows a message of the user. */
export const userMessage = (message: Msg): TurnMessage => ({
  id: message.id,
  role: "user",
  parts: [{ type: "text", text: textOf(message) }, ...message.content.flatMap(filePart)],
});

/** Returns the part of a page for a block with media; none for another one. */
function filePart(block: Block): readonly UIPart[] {
  if (!isMediaBlock(block)) return [];
  const { source } = block;
  return source.type === "url"
    ? [{ type: "file", mediaType: `${block.type}/*`, url: source.url }]
    : [
        {
          type: "file",
          mediaType: source.mediaType,
          url: `data:${source.mediaType};base64,${source.data}`,
        },
      ];
}

/** Folds the events of a session into the messages of its conversation: one for each input of the user and one for each turn. The
 *  events that are stored give the same messages as those of the turns while they run. */
export class ConversationFold {
  readonly #closed: TurnMessage[] = [];
  #turn = 0;
  #open = new MessageFold();
  #chunks = new TurnChunks();

  /** The messages so far. Later events do not change them. */
  get messages(): readonly TurnMessage[] {
    const { message } = this.#open;
    return message ? [...this.#closed, message] : [...this.#closed];
  }

  push(event: AgentEvent): void {
    if (event.turn === 0 || event.source) return;
    if (event.turn !== this.#turn) this.#begin(event.turn);
    if (this.#chunks.isOver) this.#chunks = new TurnChunks(); // a turn that was suspended goes on in a stream of its own
    if (event.type === "message" && event.message.role === "user" && this.#open.isEmpty) {
      if (!isSaid(event.message)) return;
      this.#closed.push(userMessage(event.message));
    } else for (const chunk of this.#chunks.push(event)) this.#open.push(chunk);
  }

  #begin(turn: number): void {
    const { message } = this.#open;
    if (message) this.#closed.push(message);
    [this.#turn, this.#open, this.#chunks] = [turn, new MessageFold(), new TurnChunks()];
  }
}
