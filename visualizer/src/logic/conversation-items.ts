import type { CallRecord, Json, JsonObject, Msg, ToolResultBlock } from "../wire/types.ts";
import { fromNewest } from "../../../src/core/event/conversation/shown-messages.ts";
import { toolUsesOf } from "../../../src/core/message/msg.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { callRecords, isMessage } from "./message-shape.ts";
import type { StreamBlock } from "./stream-text.ts";

/** A message with the results of its tool calls, wherever they are stored. */
export type MessageItem = {
  readonly kind: "message";
  readonly key: string;
  readonly message: Msg;
  readonly results: ReadonlyMap<string, ToolResultBlock>;
  /** The records of its open calls. */
  readonly open: ReadonlyMap<string, CallRecord>;
  /** The output of running calls so far. */
  readonly outputs: ReadonlyMap<string, string>;
  /** True for the model's answer while it is not stored yet. */
  readonly isDraft: boolean;
  /** For a summary: the number of messages before it that the model sees it in place of. */
  readonly standsFor?: number;
};
/** The part of the model's answer that has arrived and is not in the context yet. */
export type StreamItem = {
  readonly kind: "stream";
  readonly key: string;
  readonly blocks: readonly StreamBlock[];
};

/** The part of a conversation that is shown: the last items, and the place of the first one's message among all messages. */
export type ConversationItems = {
  readonly items: readonly (MessageItem | StreamItem)[];
  readonly from: number;
  /** Of a conversation that is filtered: how many messages the filter leaves. */
  readonly count?: number;
};

/**
 * The items of the conversation: messages in order, results with their calls, and the text that is being written last. It goes back
 * from the newest message until it has `least` items and has come to the message at `from`, so that the newest items of a long
 * conversation cost as much as those of a short one.
 */
export function conversationItems(
  context: JsonObject | undefined,
  blocks: readonly StreamBlock[],
  least = Infinity,
  from = Infinity,
): ConversationItems {
  if (!context) return { items: [], from: 0 };
  const stored: readonly Json[] = Array.isArray(context["messages"]) ? context["messages"] : [];
  const draft = isObject(context["draft"]) ? context["draft"]["message"] : undefined;
  const messages = isMessage(draft) ? [...stored, draft] : stored;
  const open = new Map(callRecords(context["calls"]).map((record) => [record.call.id, record]));
  const outputs = new Map(
    blocks.flatMap(({ kind, callId, text }) =>
      kind === "tool" && callId !== undefined ? [[callId, text] as const] : [],
    ),
  );
  const summary = summaryOf(context, messages.length);
  const messageAt = (index: number): Msg | undefined => {
    const message = messages[index];
    return isMessage(message) ? message : undefined;
  };
  const newestFirst: (MessageItem | StreamItem)[] = streamItems(blocks, messages);
  if (summary && summary.from >= messages.length) newestFirst.push(summary.item);
  let at = messages.length;
  for (const { at: place, shown } of fromNewest(messages.length, messageAt)) {
    if (newestFirst.length >= least && at <= from) break;
    at = place;
    if (shown) {
      const { message, results } = shown;
      const isDraft = message === draft;
      const ids = toolUsesOf(message).map(({ id }) => id);
      const more = { open: pick(open, ids), outputs: pick(outputs, ids), isDraft };
      newestFirst.push({ kind: "message", key: message.id, message, results, ...more });
    }
    if (summary?.from === at) newestFirst.push(summary.item);
  }
  return { items: newestFirst.toReversed(), from: at };
}

/** The text that is being written, until its message is stored. */
function streamItems(blocks: readonly StreamBlock[], messages: readonly Json[]): StreamItem[] {
  const isStored = (id: string): boolean =>
    messages.findLast((message) => isObject(message) && message["id"] === id) !== undefined;
  const writing = blocks.filter(({ kind, messageId }) => kind !== "tool" && !isStored(messageId));
  return writing.length === 0 ? [] : [{ kind: "stream", key: "stream", blocks: writing }];
}

/** The summary that the model sees, and the index of the first message after those that it stands for. */
function summaryOf(
  { view }: JsonObject,
  count: number,
): { readonly from: number; readonly item: MessageItem } | undefined {
  if (!isObject(view) || !isMessage(view["summary"]) || typeof view["from"] !== "number") return undefined;
  const { from, summary } = view;
  const none = new Map<string, never>();
  return {
    from,
    item: {
      kind: "message",
      key: `summary ${summary.id}`,
      message: summary,
      results: none,
      open: none,
      outputs: none,
      isDraft: false,
      standsFor: Math.min(from, count),
    },
  };
}

function pick<T>(all: ReadonlyMap<string, T>, ids: readonly string[]): ReadonlyMap<string, T> {
  return new Map(ids.flatMap((id) => (all.has(id) ? [[id, all.get(id)!] as const] : [])));
}
