// The items of a conversation.
import { expect, test } from "vitest";
import { conversationItems } from "../../src/logic/conversation-items.ts";
import type { JsonObject } from "../../src/wire/types.ts";

const call = (id: string) => ({ type: "tool_use", id, name: "grep", input: {} });
const result = (id: string) => ({ type: "tool_result", id, name: "grep", output: [], state: "success" });
const message = (id: string, role: string, content: JsonObject[]): JsonObject => ({
  id,
  role,
  name: role,
  content,
  metadata: {},
  timestamp: 1,
});

test("conversationItems puts results with their calls, and keeps a result without a call", () => {
  const messages = [
    message("m1", "user", [{ type: "text", text: "hi" }]),
    message("m2", "assistant", [call("c1"), call("c2")]),
    message("m3", "tool", [result("c1")]),
    message("m4", "tool", [result("c9")]),
  ];
  const { items } = conversationItems({ messages }, []);
  expect(items.map(({ key }) => key)).toEqual(["m1", "m2", "m4"]);
  const [, answer] = items;
  expect(answer?.kind === "message" && [...answer.results.keys()]).toEqual(["c1"]);
});

test("conversationItems puts streamed text last until its message is stored", () => {
  const block = { messageId: "m2", index: 0, kind: "text", text: "…" } as const;
  const stored = [message("m2", "assistant", [])];
  const kinds = (messages: JsonObject[]): string[] =>
    conversationItems({ messages }, [block]).items.map(({ kind }) => kind);
  expect(kinds([])).toEqual(["stream"]);
  expect(kinds(stored)).toEqual(["message"]);
  const [draft] = conversationItems({ messages: [], draft: { message: stored[0]! } }, [block]).items;
  expect(draft).toMatchObject({ kind: "message", isDraft: true });
});

test("conversationItems goes back until it has enough items and the message that is asked for", () => {
  const messages = Array.from({ length: 20 }, (_, round) => [
    message(`a${round}`, "assistant", [call(`c${round}`)]),
    message(`t${round}`, "tool", [result(`c${round}`)]),
  ]).flat();
  const shown = (least: number, from?: number): (readonly string[] | number)[] => {
    const { items, from: begin } = conversationItems({ messages }, [], least, from);
    expect(items.every((item) => item.kind === "message" && item.results.size === 1)).toBe(true);
    return [items.map(({ key }) => key), begin];
  };
  expect(shown(2)).toEqual([["a18", "a19"], 36]);
  expect(shown(1, 34)).toEqual([["a17", "a18", "a19"], 34]);
  expect(shown(99)[0]).toHaveLength(20);
  expect(shown(99)[1]).toBe(0);
});

test("conversationItems shows a summary before the first message that the model still sees, also if that is shown with its call", () => {
  const messages = [
    message("m1", "assistant", [call("c1")]),
    message("m2", "tool", [result("c1")]),
    message("m3", "user", []),
  ];
  const keys = (from: number): string[] => {
    const view = { from, summary: message("s", "user", []) };
    return conversationItems({ messages, view }, []).items.map(({ key }) => key);
  };
  expect(keys(2)).toEqual(["m1", "summary s", "m3"]);
  expect(keys(1)).toEqual(["m1", "summary s", "m3"]);
  expect(keys(3)).toEqual(["m1", "m3", "summary s"]);
});
