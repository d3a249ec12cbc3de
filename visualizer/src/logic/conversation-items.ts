import type { CallRecord, JsonObject, Msg, ToolResultBlock } from "../wire/types.ts";
import { isObject } from "../../../src/base/is-object.ts";
import { callRecords, isMessage } from "./message-shape.ts";
import type { StreamBlock } from "./stream-text.ts";

/** A message with the results of the calls it asked for, wherever they were stored. */
export type MessageItem = {
  readonly kind: "message";
  readonly key: string;
  readonly message: Msg;
  readonly results: ReadonlyMap<string, ToolResultBlock>;
  /** Records of its calls that are still open. */
  readonly open: ReadonlyMap<string, CallRecord>;
  /** What running calls have put out so far. */
  readonly outputs: ReadonlyMap<string, string>;
  /** The model's answer, which is not stored yet. */
  readonly isDraft: boolean;
};
export type StreamItem = {
  readonly kind: "stream";
  readonly key: string;
  readonly blocks: readonly StreamBlock[];
};

/** What a person reads: messages in order, a result with its call, at the end what is being written. */
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
  const asked = new Set(messages.flatMap(callIds));
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [[block.id, block] as const] : [])),
    ),
  );
  const items: (MessageItem | StreamItem)[] = messages
    .filter((message) => !isAnswered(message, asked))
    .map((message) => ({
      kind: "message",
      key: message.id,
      message,
      results: within(results, callIds(message)),
      open: within(open, callIds(message)),
      outputs: within(outputs, callIds(message)),
      isDraft: message === draft,
    }));
  const known = new Set(messages.map(({ id }) => id));
  const writing = blocks.filter(({ kind, messageId }) => kind !== "tool" && !known.has(messageId));
  return writing.length === 0 ? items : [...items, { kind: "stream", key: "stream", blocks: writing }];
}

const callIds = ({ content }: Msg): readonly string[] =>
  content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));

/** True for a message of results that all stand with their calls. */
function isAnswered({ role, content }: Msg, asked: ReadonlySet<string>): boolean {
  return (
    role === "tool" &&
    content.length > 0 &&
    content.every((block) => block.type === "tool_result" && asked.has(block.id))
  );
}

function within<T>(all: ReadonlyMap<string, T>, ids: readonly string[]): ReadonlyMap<string, T> {
  return new Map(ids.flatMap((id) => (all.has(id) ? [[id, all.get(id)!] as const] : [])));
}
