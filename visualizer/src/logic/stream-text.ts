import type { StreamDelta } from "../wire/types.ts";

/** A block of an answer as far as it has arrived. */
export type StreamBlock = {
  readonly messageId: string;
  readonly index: number;
  readonly kind: StreamDelta["kind"];
  readonly callId?: string;
  readonly name?: string;
  readonly text: string;
};

/** What has arrived of a run and is not in its context yet. */
export type StreamState = {
  readonly blocks: readonly StreamBlock[];
  /** Number of the last delta. */
  readonly n: number;
  /** True if deltas were left out: the text has holes until the message is stored. */
  readonly hasHoles: boolean;
};

export const NO_STREAM: StreamState = { blocks: [], n: 0, hasHoles: false };

/** Text kept of one block; the whole message follows when it is stored. */
const LONGEST = 200_000;

/** Deltas folded into their blocks. A new message pushes away the blocks of older ones, except those of running tools. */
export function foldStream(state: StreamState, deltas: readonly StreamDelta[]): StreamState {
  const blocks = new Map(state.blocks.map((block) => [keyOf(block), block]));
  let { n, hasHoles } = state;
  for (const delta of deltas) {
    if (n > 0 && delta.n > n + 1) hasHoles = true;
    n = delta.n;
    const key = keyOf(delta);
    const before = blocks.get(key);
    if (!before && delta.kind !== "tool" && dropOthers(blocks, delta.messageId)) hasHoles = false;
    blocks.set(key, {
      messageId: delta.messageId,
      index: delta.index,
      kind: delta.kind,
      ...((delta.callId ?? before?.callId) !== undefined && { callId: (delta.callId ?? before?.callId)! }),
      ...((delta.name ?? before?.name) !== undefined && { name: (delta.name ?? before?.name)! }),
      text: ((before?.text ?? "") + delta.delta).slice(-LONGEST),
    });
  }
  return { blocks: [...blocks.values()], n, hasHoles };
}

function keyOf({
  kind,
  messageId,
  callId,
  index,
}: Pick<StreamDelta, "kind" | "messageId" | "callId" | "index">) {
  return kind === "tool" ? `tool ${callId}` : `${messageId} ${index}`;
}

function dropOthers(blocks: Map<string, StreamBlock>, messageId: string): boolean {
  const others = [...blocks].filter(([, block]) => block.kind !== "tool" && block.messageId !== messageId);
  for (const [key] of others) blocks.delete(key);
  return others.length > 0;
}

/** The state without what has been stored by now. */
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
