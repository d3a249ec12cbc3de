import { BYPASS_KEY } from "../../message/create.ts";
import type { MediaBlock, Msg, TextBlock } from "../../message/types.ts";

const HEADING =
  "# Conversation History\nWhat the participants have said so far stands between the <history></history> tags, each part behind its speaker's name.\n";

type Group = { readonly members: readonly Msg[]; readonly merged: Msg };

/** By the last message of each: a request mostly repeats the conversations of the one before. */
const groups = new WeakMap<Msg, Group>();

/** The messages with every conversation, users and agents that speak in a row, as one user message: what was said before
 *  within `<history>`, by speakers, the newest message behind it. System messages, calls of tools, their results and
 *  messages with {@link BYPASS_KEY} stay as they are. Thinking is left out. As AgentScope's multi-agent formatter. */
export function mergeConversations(messages: readonly Msg[]): Msg[] {
  const merged: Msg[] = [];
  let members: Msg[] = [];
  const close = (): void => {
    if (members.length > 0) merged.push(mergedOf(members));
    members = [];
  };
  for (const message of messages) {
    if (isSpoken(message)) {
      members.push(message);
      continue;
    }
    close();
    merged.push(message);
  }
  close();
  return merged;
}

function isSpoken({ role, content, metadata }: Msg): boolean {
  if (role === "system" || role === "tool" || metadata[BYPASS_KEY] === true) return false;
  return content.every(({ type }) => type !== "tool_use" && type !== "tool_result");
}

function mergedOf(members: readonly Msg[]): Msg {
  const newest = members.at(-1)!;
  const known = groups.get(newest);
  const isSame = known?.members.length === members.length;
  if (isSame && known.members.every((member, index) => member === members[index])) return known.merged;
  const earlier = members.slice(0, -1);
  const content = joined([
    text(`${HEADING}<history>\n`),
    ...earlier.flatMap((member) => spoken(member, true)),
    text("</history>\n"),
    ...spoken(newest, earlier.length > 0),
  ]);
  const merged: Msg = { ...newest, role: "user", name: "user", content };
  groups.set(newest, { members, merged });
  return merged;
}

const text = (value: string): TextBlock => ({ type: "text", text: value });

/** What somebody says, each text a line of its own. */
function spoken({ name, content }: Msg, isNamed: boolean): (TextBlock | MediaBlock)[] {
  const prefix = isNamed && name !== "" ? `${name}: ` : "";
  return content.flatMap((block): (TextBlock | MediaBlock)[] => {
    if (block.type === "text") return [text(`${prefix}${block.text}\n`)];
    return block.type === "image" || block.type === "audio" || block.type === "video" ? [block] : [];
  });
}

/** The texts between two media as one. */
function joined(blocks: readonly (TextBlock | MediaBlock)[]): (TextBlock | MediaBlock)[] {
  const whole: (TextBlock | MediaBlock)[] = [];
  for (const block of blocks) {
    const before = whole.at(-1);
    if (block.type === "text" && before?.type === "text")
      whole[whole.length - 1] = text(before.text + block.text);
    else whole.push(block);
  }
  return whole;
}
