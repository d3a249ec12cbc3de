import type { StreamDelta } from "../wire/types.ts";

/** The part of an answer's block that has arrived. */
export type StreamBlock = {
  readonly messageId: string;
  readonly index: number;
  readonly kind: StreamDelta["kind"];
  readonly callId?: string;
  readonly name?: string;
  readonly text: string;
};

/** The streamed text of a run that is not in its context yet. */
export type StreamState = {
  readonly blocks: readonly StreamBlock[];
  /** The number of the last delta. */
  readonly n: number;
  /** True if deltas were dropped: the text is incomplete until the message is stored. */
  readonly hasGaps: boolean;
};

/** The state before the first delta. */
export const NO_STREAM: StreamState = { blocks: [], n: 0, hasGaps: false };

/** The maximum length of one block; the complete message follows when it is stored. */
const MAX_BLOCK_LENGTH = 200_000;

/**
 * Adds deltas to their blocks. A new message replaces the blocks of older ones, except those of running tools.
 */
export function foldStream(state: StreamState, deltas: readonly StreamDelta[]): StreamState {
  const blocks = new Map(state.blocks.map((block) => [keyOf(block), block]));
  let { n, hasGaps } = state;
  for (const delta of deltas) {
    const key = keyOf(delta);
    const before = blocks.get(key);
    if (!before && delta.kind !== "tool" && isBegun(blocks, delta.messageId)) hasGaps = false;
    if (n > 0 && delta.n > n + 1) hasGaps = true; // it may have taken the beginning of a message
    n = delta.n;
    blocks.set(key, {
      messageId: delta.messageId,
      index: delta.index,
      kind: delta.kind,
      ...((delta.callId ?? before?.callId) !== undefined && { callId: (delta.callId ?? before?.callId)! }),
      ...((delta.name ?? before?.name) !== undefined && { name: (delta.name ?? before?.name)! }),
      text: ((before?.text ?? "") + delta.delta).slice(-MAX_BLOCK_LENGTH),
    });
  }
  return { blocks: [...blocks.values()], n, hasGaps };
}

function keyOf({
  kind,
  messageId,
  callId,
  index,
}: Pick<StreamDelta, "kind" | "messageId" | "callId" | "index">) {
  return kind === "tool" ? `tool:${callId}` : `${messageId} ${index}`;
}

/** Returns whether a message begins, whose blocks replace those of others. */
function isBegun(blocks: Map<string, StreamBlock>, messageId: string): boolean {
  const said = [...blocks].filter(([, { kind }]) => kind !== "tool");
  const others = said.filter(([, block]) => block.messageId !== messageId);
  for (const [key] of others) blocks.delete(key);
  return said.length === others.length;
}

/** Removes the text that has been stored. */
export function withoutStored(
  state: StreamState,
  isStored: (messageId: string) => boolean,
  isRunning: (callId: string) => boolean,
): StreamState {
  const blocks = state.blocks.filter(({ kind, messageId, callId }) =>
    kind === "tool" ? callId !== undefined && isRunning(callId) : !isStored(messageId),
  );
  return blocks.length === state.blocks.length ? state : { ...state, blocks };
}
