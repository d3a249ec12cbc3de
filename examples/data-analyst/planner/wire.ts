/** The part of a Chat Completions request that the planner reads. */
export type WireMessage = {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
};

export type WireCall = {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
};

export type WireRequest = {
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
};

/** An assistant message: text, and calls if there is more to do. */
export type WireAnswer = { readonly content: string; readonly tool_calls?: readonly WireCall[] };

/** The text of a message, whichever way it is written. */
export function wireText({ content }: WireMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}
