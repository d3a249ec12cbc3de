import type { JsonObject } from "../../src/base/json.ts";
import type { Block, ToolResultBlock } from "../../src/message/types.ts";
import type { GenerateOptions } from "../../src/model/port.ts";

/** Options that take the place of those of the same name; null leaves one to the provider. */
export type OptionChanges = {
  readonly [Name in keyof GenerateOptions]?: GenerateOptions[Name] | null | undefined;
};

/** What a fork changes of what was sent to the model, as JSON. What is absent stays. */
export type ForkChanges = {
  /** The system prompt, for the turn that goes on and for later ones: of the persona that has the session, if the agent has some. */
  readonly system?: string | undefined;
  /** By the id of a message: its new text, or its new content; null removes it. A text takes the place of the text blocks only. */
  readonly messages?: { readonly [messageId: string]: string | readonly Block[] | null } | undefined;
  /** By the id of a call: the new output of its result. A call that is open does not run and has this result. The state of a result
   *  stays `success` or `error` and is else `success`. */
  readonly results?: { readonly [callId: string]: string | ToolResultBlock["output"] } | undefined;
  /** By the id of a call: its new arguments. A call that is open is judged anew and runs with them; the result of another one stays. */
  readonly arguments?: { readonly [callId: string]: JsonObject } | undefined;
  /** The names of the tools that are left; calls of others are answered with an error. */
  readonly tools?: readonly string[] | undefined;
  /** The name of the model: one of those that the agent has, or another one of the server of its `model`, if that has `withName`. */
  readonly model?: string | undefined;
  /** Options that take the place of those of the agent, each by itself; null leaves one to the provider. */
  readonly options?: OptionChanges | undefined;
};

/** What a session has in the place of the configuration of its agent, because it was forked with changes. */
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
