// All writers of a conversation show the same of its messages: what was said and thought, and each call with its result.
import { expect, test } from "vitest";
import type { AgentEvent, Block, Msg } from "agentchart";
import { acpHistory } from "../../../src/cli/acp/updates.ts";
import { ConversationFold } from "../../../src/core/event/conversation/conversation-fold.ts";
import { fromNewest } from "../../../src/core/event/conversation/shown-messages.ts";
import { withAgUiMessage } from "../../../src/ui/ag-ui-messages.ts";
import type { AgUiMessage } from "../../../src/ui/ag-ui-event.ts";
import { conversationItems } from "../../../visualizer/src/logic/conversation-items.ts";

const msg = (id: string, role: Msg["role"], content: readonly Block[], name: string = role): Msg => ({
  id,
  role,
  name,
  content,
  metadata: {},
  timestamp: 1,
});
const text = (said: string): Block => ({ type: "text", text: said });
const call = (id: string, name: string): Block => ({ type: "tool_use", id, name, input: {} });
const result = (
  id: string,
  name: string,
  output: string,
  state: "success" | "suspended" = "success",
): Block => ({
  type: "tool_result",
  id,
  name,
  output: [{ type: "text", text: output }],
  state,
});

const MESSAGES: readonly Msg[] = [
  msg("u1", "user", [text("Go.")]),
  msg("a1", "assistant", [
    { type: "thinking", thinking: "hm" },
    text(""),
    text("I look."),
    call("c1", "look"),
    call("c2", "wait"),
    call("c3", "generate_response"),
  ]),
  msg("t1", "tool", [result("c1", "look", "seen")]),
  msg("t2", "tool", [result("c2", "wait", "later", "suspended")]),
  msg("t3", "tool", [result("c3", "generate_response", "{}")]),
  msg("u2", "user", [text("You have not answered.")], "system"),
  msg("a2", "assistant", [text("Done.")]),
];
const SHOWN = ["user: Go.", "thinks: hm", "says: I look.", "calls c1: seen", "calls c2: -", "says: Done."];

/** What a page of the AI SDK shows. */
function inUi(messages: readonly Msg[]): string[] {
  const fold = new ConversationFold();
  for (const message of messages)
    fold.push({ type: "message", phase: "other", message, turn: 1, seq: 1, n: 0, at: 0 } as AgentEvent);
  return fold.messages.flatMap(({ role, parts }) =>
    parts.flatMap(({ type, text: said, toolCallId, output = "-" }) => {
      if (type === "reasoning") return [`thinks: ${String(said)}`];
      if (type === "dynamic-tool") return [`calls ${String(toolCallId)}: ${String(output)}`];
      return type === "text" ? [`${role === "user" ? "user" : "says"}: ${String(said)}`] : [];
    }),
  );
}

function inAgUi(messages: readonly Msg[]): string[] {
  const shown = messages.reduce(withAgUiMessage, [] as readonly AgUiMessage[]);
  const outputs = new Map(
    shown.flatMap((each) => (each.role === "tool" ? [[each.toolCallId, each.content] as const] : [])),
  );
  return shown.flatMap((each) => {
    if (each.role === "reasoning") return [`thinks: ${each.content}`];
    if (each.role === "user") return [`user: ${each.content}`];
    if (each.role !== "assistant") return [];
    const calls = (each.toolCalls ?? []).map(({ id }) => `calls ${id}: ${outputs.get(id) ?? "-"}`);
    return [...(each.content === undefined ? [] : [`says: ${each.content}`]), ...calls];
  });
}

function inAcp(messages: readonly Msg[]): string[] {
  const lines = new Map<string, string>();
  for (const [index, update] of acpHistory(messages).entries()) {
    const said = "content" in update && "text" in (update.content as object) ? update.content : undefined;
    const words = (said as { readonly text: string } | undefined)?.text;
    if (update.sessionUpdate === "user_message_chunk") lines.set(`${index}`, `user: ${words}`);
    if (update.sessionUpdate === "agent_thought_chunk") lines.set(`${index}`, `thinks: ${words}`);
    if (update.sessionUpdate === "agent_message_chunk") lines.set(`${index}`, `says: ${words}`);
    if (update.sessionUpdate === "tool_call") lines.set(update.toolCallId, `calls ${update.toolCallId}: -`);
    if (update.sessionUpdate !== "tool_call_update") continue;
    const [first] = (update.content ?? []) as readonly { readonly content: { readonly text: string } }[];
    lines.set(update.toolCallId, `calls ${update.toolCallId}: ${first!.content.text}`);
  }
  return [...lines.values()];
}

/** What the page of the inspector shows, which hides nothing, without what others hide. */
function inInspector(messages: readonly Msg[]): string[] {
  const { items } = conversationItems({ messages: messages as never }, []);
  return items.flatMap((item) => {
    if (item.kind !== "message" || item.message.name === "system") return [];
    const { message, results } = item;
    return message.content.flatMap((block) => {
      if (block.type === "thinking") return [`thinks: ${block.thinking}`];
      if (block.type === "text" && block.text !== "")
        return [`${message.role === "user" ? "user" : "says"}: ${block.text}`];
      if (block.type !== "tool_use" || block.name === "generate_response") return [];
      const given = results.get(block.id);
      const [output] = given?.state === "success" ? given.output : [];
      return [`calls ${block.id}: ${output?.type === "text" ? output.text : "-"}`];
    });
  });
}

test.for([
  ["the AI SDK", inUi],
  ["AG-UI", inAgUi],
  ["ACP", inAcp],
  ["the inspector", inInspector],
] as const)("%s shows the same of a conversation, at each of its lengths", ([, shownIn]) => {
  expect(shownIn(MESSAGES)).toEqual(SHOWN);
  for (let count = 1; count < MESSAGES.length; count++) {
    const messages = MESSAGES.slice(0, count);
    expect(shownIn(messages)).toEqual(inInspector(messages));
  }
});

test("the newest messages are paired without reading those before", () => {
  const read = new Set<number>();
  const messageAt = (index: number): Msg => {
    read.add(index);
    return index % 2 === 0
      ? msg(`a${index}`, "assistant", [call(`c${index}`, "look")])
      : msg(`t${index}`, "tool", [result(`c${index - 1}`, "look", "seen")]);
  };
  const places = fromNewest(1_000, messageAt);
  const [hidden, shown] = [places.next().value, places.next().value];
  expect(hidden).toEqual({ at: 999 });
  expect([...(shown as { shown: { results: Map<string, unknown> } }).shown.results.keys()]).toEqual(["c998"]);
  expect([...read].toSorted((one, other) => one - other)).toEqual([998, 999]);
});
