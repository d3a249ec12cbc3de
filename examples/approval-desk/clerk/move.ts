import type { JsonObject } from "agentchart";

/** A tool call and its result. */
export type Step = {
  readonly tool: string;
  readonly input: JsonObject;
  readonly isDone: boolean;
  /** The text of the result: JSON on success, else the error. */
  readonly text: string;
};

/** What has been said and done in a turn. */
export type Turn = {
  /** What the customer has said in earlier turns, oldest first. */
  readonly before: readonly string[];
  /** What the customer says in this turn; more than one text if something was added while it ran. */
  readonly said: readonly string[];
  readonly steps: readonly Step[];
};

/** One answer: what is thought, what is said, and the tool calls. */
export type Move = {
  readonly think?: string;
  readonly say: string;
  readonly calls?: readonly { readonly tool: string; readonly input: JsonObject }[];
};
