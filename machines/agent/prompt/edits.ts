import type { Msg, Block, ToolResultBlock } from "../../../src/core/message/types.ts";
import type { GenerateOptions } from "../../../src/core/model/port.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";

/** A run of transcript messages, `[from, to)`, or messages of a hook's own. */
export type Piece = { readonly from: number; readonly to: number } | { readonly inserted: readonly Msg[] };

/** The changes that one hook made to the prompt of one model call, without the messages that stayed. */
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

/** The changes that one hook of preCall made to a call of the agent. */
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

/** Options that take the place of those of the same name; null leaves one to the provider. */
export type OptionChanges = {
  readonly [Name in keyof GenerateOptions]?: GenerateOptions[Name] | null | undefined;
};

/** The changes that a fork makes to what was sent to the model, as JSON. What is absent stays. */
export type ForkChanges = {
  /** The system prompt, for the turn that goes on and for later ones: of the persona that has the session, if the agent has some. */
  readonly system?: string | undefined;
  /** By the id of a message: its new text, or its new content; null removes it. A text takes the place of the text blocks only. */
  readonly messages?: { readonly [messageId: string]: string | readonly Block[] | null } | undefined;
  /** By the id of a call: the new output of its result. A call that is open does not run and has this result. The state of a result
   *  stays `success` or `error` and is else `success`. */
  readonly results?: { readonly [callId: string]: string | ToolResultBlock["output"] } | undefined;
  /** By the id of a call: its new arguments. A call that is open is judged again and runs with them; the result of another one stays. */
  readonly arguments?: { readonly [callId: string]: JsonObject } | undefined;
  /** The names of the tools that are left; calls of others are answered with an error. */
  readonly tools?: readonly string[] | undefined;
  /** The name of the model: one of those that the agent has, or another one of the server of its `model`, if that has `withName`. */
  readonly model?: string | undefined;
  /** Options that take the place of those of the agent, each by itself; null leaves one to the provider. */
  readonly options?: OptionChanges | undefined;
};

/** A change of a fork in a few words: what was changed, of which tool or role, and how it reads now, at most 60 characters. */
export type ForkLabel = {
  readonly what: "system" | "model" | "options" | "tools" | "message" | "arguments" | "result";
  readonly of: string;
  /** Absent for a message that was removed. */
  readonly now?: string;
};

/** The values that a session has in the place of the configuration of its agent, because it was forked with changes. */
export type Overrides = {
  /** The system prompt of one persona; null: of the agent itself. */
  readonly system?: { readonly text: string; readonly persona: string | null } | undefined;
  /** The names of the tools that are left; absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** The name of the model that is asked. */
  readonly model?: string | undefined;
  readonly options?: OptionChanges | undefined;
};

/** Returns options with changes; the same object if there are none. */
export function optionsWith(options: GenerateOptions, changes: OptionChanges | undefined): GenerateOptions {
  if (!changes) return options;
  const all = Object.entries({ ...options, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as GenerateOptions;
}
