import { isMediaBlock } from "../../message/msg.ts";
import { BYPASS_KEY, type MediaBlock, type Msg, type TextBlock } from "../../message/types.ts";

const HEADING =
  "# Conversation History\nWhat the participants have said so far stands between the <history></history> tags, each part behind its speaker's name.\n";

type Conversation = { readonly members: readonly Msg[]; readonly merged: Msg };

/** The merged conversations by their last message, since a request in a tool loop repeats those of the request before. Without this cache,
 *  a conversation of 100 messages costs about 0.5 ms more in each request. */
const conversations = new WeakMap<Msg, Conversation>();

/** Returns the messages with each conversation merged into one user message. A conversation is consecutive messages of users and agents.
 *  The user message has the earlier messages within `<history>`, with their speakers, then the newest. System messages, tool calls, their
 *  results and messages with {@link BYPASS_KEY} stay as they are. Thinking is left out. As AgentScope's multi-agent formatter. */
export function mergeConversations(messages: readonly Msg[]): Msg[] {
  const merged: Msg[] = [];
  let members: Msg[] = [];
  const close = (): void => {
    if (members.length > 0) merged.push(mergedOf(members));
    members = [];
  };
  for (const message of messages) {
    if (isConversation(message)) {
      members.push(message);
      continue;
    }
    close();
    merged.push(message);
  }
  close();
  return merged;
}

function isConversation({ role, content, metadata }: Msg): boolean {
  if (role === "system" || role === "tool" || metadata[BYPASS_KEY] === true) return false;
  return content.every(({ type }) => type !== "tool_use" && type !== "tool_result");
}

function mergedOf(members: readonly Msg[]): Msg {
  const newest = members.at(-1)!;
  const known = conversations.get(newest);
  const isSame = known?.members.length === members.length;
  if (isSame && known.members.every((member, index) => member === members[index])) return known.merged;
  const earlier = members.slice(0, -1);
  const content = joinTexts([
    text(`${HEADING}<history>\n`),
    ...earlier.flatMap((member) => blocksOf(member, true)),
    text("</history>\n"),
    ...blocksOf(newest, earlier.length > 0),
  ]);
  const merged: Msg = { ...newest, role: "user", name: "user", content };
  conversations.set(newest, { members, merged });
  return merged;
}

const text = (value: string): TextBlock => ({ type: "text", text: value });

/** Returns the text and media of a message, with each text on a line of its own. */
function blocksOf({ name, content }: Msg, isNamed: boolean): (TextBlock | MediaBlock)[] {
  const prefix = isNamed && name !== "" ? `${name}: ` : "";
  return content.flatMap((block): (TextBlock | MediaBlock)[] => {
    if (block.type === "text") return [text(`${prefix}${block.text}\n`)];
    return isMediaBlock(block) ? [block] : [];
  });
}

/** Joins consecutive text blocks. */
function joinTexts(blocks: readonly (TextBlock | MediaBlock)[]): (TextBlock | MediaBlock)[] {
  const whole: (TextBlock | MediaBlock)[] = [];
  for (const block of blocks) {
    const before = whole.at(-1);
    if (block.type === "text" && before?.type === "text")
      whole[whole.length - 1] = text(before.text + block.text);
    else whole.push(block);
  }
  return whole;
}
