// Cards of messages.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MessageCard } from "../../src/conversation/message-card.tsx";
import { isMessage } from "../../src/logic/message-shape.ts";
import type { Block, Msg } from "../../src/wire/types.ts";

function html(...content: readonly object[]): string {
  const message: Msg = {
    id: "m",
    role: "assistant",
    name: "a",
    content: content as readonly Block[],
    metadata: {},
    timestamp: 1,
  };
  expect(isMessage(message)).toBe(true);
  const none = new Map();
  const item = { message, isDraft: false, results: none, open: none, outputs: none } as never;
  return renderToStaticMarkup(createElement(MessageCard, { item }));
}

test("a message shows data of a provider by its kind, and not what it holds", () => {
  const block = { type: "provider", kind: "openai.compaction", opaque: { secret: "ciphertext" } };
  const rendered = html({ type: "text", text: "before" }, block);
  expect(rendered).toContain("provider data: openai.compaction");
  expect(rendered).not.toContain("ciphertext");
});

test("a message shows a block of a type that this release does not know by its type", () => {
  expect(html({ type: "hologram" })).toContain("hologram");
});
