import type { CallRecord, JsonObject, Msg, ToolResultBlock } from "../wire/types.ts";
import { isObject } from "../../../src/base/is-object.ts";
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

/**
 * The items of the conversation: messages in order, results with their calls, and the text that is being
 * written last.
 */
export function conversationItems(
  context: JsonObject | undefined,
  blocks: readonly StreamBlock[],
): readonly (MessageItem | StreamItem)[] {
  if (!context) return [];
  const stored = Array.isArray(context["messages"]) ? context["messages"].filter(isMessage) : [];
  const draft = isObject(context["draft"]) ? context["draft"]["message"] : undefined;
  const messages: readonly Msg[] = isMessage(draft) ? [...stored, draft] : stored;
  const records = callRecords(context["calls"]);
  const open = new Map(records.map((record) => [record.call.id, record]));
  const outputs = new Map(
    blocks.flatMap(({ kind, callId, text }) =>
      kind === "tool" && callId !== undefined ? [[callId, text] as const] : [],
    ),
  );
  const callIdsInMessages = new Set(messages.flatMap(callIds));
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [[block.id, block] as const] : [])),
    ),
  );
  const items: (MessageItem | StreamItem)[] = messages
    .filter((message) => !isShownWithCalls(message, callIdsInMessages))
    .map((message) => ({
      kind: "message",
      key: message.id,
      message,
      results: pick(results, callIds(message)),
      open: pick(open, callIds(message)),
      outputs: pick(outputs, callIds(message)),
      isDraft: message === draft,
    }));
  const summary = summaryOf(context, messages);
  if (summary) {
    const first = messages[summary.from];
    const at = items.findIndex(({ key }) => key === first?.id);
    items.splice(at < 0 ? items.length : at, 0, summary.item);
  }
  const known = new Set(messages.map(({ id }) => id));
  const writing = blocks.filter(({ kind, messageId }) => kind !== "tool" && !known.has(messageId));
  return writing.length === 0 ? items : [...items, { kind: "stream", key: "stream", blocks: writing }];
}

/** The summary that the model sees, and the index of the first message after those that it stands for. */
function summaryOf(
  { view }: JsonObject,
  messages: readonly Msg[],
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
      standsFor: Math.min(from, messages.length),
    },
  };
}

const callIds = ({ content }: Msg): readonly string[] =>
  content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));

/** True for a message whose results are all displayed with their calls. */
function isShownWithCalls({ role, content }: Msg, ids: ReadonlySet<string>): boolean {
  return (
    role === "tool" &&
    content.length > 0 &&
    content.every((block) => block.type === "tool_result" && ids.has(block.id))
  );
}

function pick<T>(all: ReadonlyMap<string, T>, ids: readonly string[]): ReadonlyMap<string, T> {
  return new Map(ids.flatMap((id) => (all.has(id) ? [[id, all.get(id)!] as const] : [])));
}
