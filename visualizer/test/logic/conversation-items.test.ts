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
  const items = conversationItems({ messages }, []);
  expect(items.map(({ key }) => key)).toEqual(["m1", "m2", "m4"]);
  const [, answer] = items;
  expect(answer?.kind === "message" && [...answer.results.keys()]).toEqual(["c1"]);
});

test("conversationItems puts streamed text last until its message is stored", () => {
  const block = { messageId: "m2", index: 0, kind: "text", text: "…" } as const;
  const stored = [message("m2", "assistant", [])];
  expect(conversationItems({ messages: [] }, [block]).map(({ kind }) => kind)).toEqual(["stream"]);
  expect(conversationItems({ messages: stored }, [block]).map(({ kind }) => kind)).toEqual(["message"]);
  const [draft] = conversationItems({ messages: [], draft: { message: stored[0]! } }, [block]);
  expect(draft).toMatchObject({ kind: "message", isDraft: true });
});
