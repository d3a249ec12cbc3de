import type { Msg } from "../../src/message/types.ts";
import type { GenerateOptions } from "../../src/model/port.ts";

/** A run of transcript messages, `[from, to)`, or messages of a hook's own. */
export type Piece = { readonly from: number; readonly to: number } | { readonly inserted: readonly Msg[] };

/** How one hook changed the prompt of one model call, without the messages that stayed. */
export type PromptEdit = {
  /** The name of the hook. */
  readonly hook: string;
  /** Pieces of the messages as the hook was given them. */
  readonly pieces?: readonly Piece[];
  readonly system?: string;
  /** Replaces the agent's options for this call. */
  readonly options?: GenerateOptions;
  /** The names of the tools that are offered in this call; without it, all. */
  readonly tools?: readonly string[];
};

/** The list after hooks, as ranges kept of the list before and messages inserted: O(n), and small when little changed. */
export function piecesOf(before: readonly Msg[], after: readonly Msg[]): readonly Piece[] {
  const positions = new Map(before.map((message, index) => [message, index]));
  const pieces: ({ from: number; to: number } | { inserted: Msg[] })[] = [];
  for (const message of after) {
    const index = positions.get(message);
    const last = pieces.at(-1);
    if (index === undefined) {
      if (last && "inserted" in last) last.inserted.push(message);
      else pieces.push({ inserted: [message] });
    } else if (last && "to" in last && last.to === index) last.to = index + 1;
    else pieces.push({ from: index, to: index + 1 });
  }
  return pieces;
}

/** How one hook of preCall changed a call of the agent. */
export type CallEdit = {
  /** The name of the hook. */
  readonly hook: string;
  readonly system?: { readonly before: string; readonly after: string };
  readonly input?: { readonly before: readonly Msg[]; readonly after: readonly Msg[] };
};

/** The messages an edit leaves of the transcript; all of them without an edit. */
export function applyPieces(messages: readonly Msg[], pieces: readonly Piece[] | undefined): readonly Msg[] {
  if (!pieces) return messages;
  return pieces.flatMap((piece) =>
    "inserted" in piece ? piece.inserted : messages.slice(piece.from, piece.to),
  );
}
