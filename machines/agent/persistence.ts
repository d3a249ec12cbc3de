import type { JsonObject } from "../../src/core/base/json.ts";
import { Transcript } from "../../src/core/message/transcript.ts";
import type { Msg } from "../../src/core/message/types.ts";
import type { Persistence } from "../chart/persisted.ts";
import type { AgentContext } from "./context.ts";

/** The place of the handle in a persisted context. */
type Stored = Omit<AgentContext, "transcript"> & {
  readonly transcript: { readonly messages: readonly Msg[] };
};

/** The part of a transcript that JSON retains: the number of its messages. */
type Cursor = { readonly transcript?: { readonly transcript: number } };

/** The form of the context of the agent's chart in `actor.getPersistedSnapshot()`: whole, with every message. */
export const persistence: Persistence<AgentContext> = {
  version: "1",
  write: ({ transcript, ...rest }) =>
    ({ ...rest, transcript: { messages: transcript.slice() } }) as unknown as JsonObject,
  read: (context) => {
    const { transcript, ...rest } = context as unknown as Stored;
    return { ...rest, transcript: Transcript.of(transcript.messages) };
  },
  // a transcript only grows while a service runs that reads it
  readInput: (input, { transcript }) => {
    const { transcript: cursor } = input as Cursor;
    if (!cursor) return input;
    const isAll = cursor.transcript === transcript.length;
    return {
      ...(input as object),
      transcript: isAll ? transcript : Transcript.of(transcript.slice(0, cursor.transcript)),
    };
  },
};
