// Cards of calls.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MessageCard } from "../../src/conversation/message-card.tsx";
import { readAccount } from "../../src/logic/call-account.ts";
import { ownReply } from "../../src/logic/own-reply.ts";
import type { CallAccount, JsonObject, Msg } from "../../src/wire/types.ts";

/** The text of the card of a call with this account; `now` is what differs in its record. */
function shown(account: unknown, more: Partial<Msg> = {}, now: object = {}): string {
  const call = { type: "tool_use", id: "c", name: "pay", input: { cents: 3_100_000 } };
  const message = {
    id: "m",
    role: "assistant",
    name: "a",
    content: [call],
    metadata: {},
    timestamp: 1,
    ...more,
  };
  const record = { call, status: "approved", attempt: 1, since: 1, account, ...now };
  const none = new Map();
  const item = { message, isDraft: false, results: none, open: new Map([["c", record]]), outputs: none };
  return renderToStaticMarkup(createElement(MessageCard, { item: item as never }))
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll("&quot;", '"')
    .replaceAll(/\s+/gu, " ");
}

const at = 1_000;

test("a card says who changed the arguments, from what to what, and who decided", () => {
  const account: CallAccount = {
    asked: [{ at, reason: "over 100" }],
    decided: [{ at, decision: "edit", by: "<b>Ana</b>", via: "inspector" }],
    changed: [
      { by: { hook: "limit" }, at, input: { cents: 400_000 } },
      { by: { person: "<b>Ana</b>" }, at, input: { cents: 310_000 } },
    ],
    ran: { input: { cents: 310_000, note: "none" }, presets: ["key"] },
    results: [{ by: { hook: "x10" }, at, state: "success" }],
  };
  const text = shown(account);
  expect(text).toMatch(/"cents": 3100000.*changed by the hook limit.*before.*3 ?1 ?00000.*after.*4 ?00000/);
  expect(text).toMatch(/changed by &lt;b&gt;Ana&lt;\/b&gt;/);
  expect(text).toMatch(/changed by the schema of the tool.*"note": "none"/);
  expect(text).toMatch(/approved with other arguments by &lt;b&gt;Ana/);
  expect(text).toMatch(/The program added: key\..*The result was changed by the hook x10/);
});

test("a card of a call that ran as it was asked says nothing more", () => {
  expect(shown(undefined)).not.toMatch(/changed|decided|added/);
});

test("a card says how a call has ended while others of its message run", () => {
  const end = (state: string): string =>
    shown(undefined, {}, { status: "done", result: { type: "tool_result", id: "c", state, output: [] } });
  expect(end("error")).toMatch(/error/);
  expect(end("success")).toMatch(/success/);
});

test("an account that was damaged is read as far as it can be", () => {
  expect(readAccount({ changed: [7], decided: "x", asked: [{ at, reason: "r" }], ran: 3 })).toEqual({
    asked: [{ at, reason: "r" }],
  });
  for (const value of [null, 7, [], { changed: {} }]) expect(readAccount(value)).toBeUndefined();
  expect(() => shown({ changed: [{ by: {}, at }], ran: {}, results: [{ by: 7 }] })).not.toThrow();
});

test("a message says which hook added or changed it", () => {
  const said = (more: Partial<Msg>): string => shown(undefined, { role: "user", name: "user", ...more });
  expect(said({ addedBy: "checker" })).toMatch(/^ ?hook checker/);
  expect(said({ changedBy: ["tone", "legal"] })).toContain("changed by the hook tone, legal");
});

test("the reply that hooks put in the place of the answer is another one", () => {
  const message = (text: string, more: object = {}) => ({
    id: text,
    role: "assistant",
    name: "a",
    content: [{ type: "text", text }],
    metadata: {},
    timestamp: 1,
    ...more,
  });
  const context = (reply: object): JsonObject =>
    ({ messages: [message("accepted")], outcome: { reason: "MODEL_STOP", reply } }) as never;
  expect(ownReply(context(message("declined", { changedBy: ["legal"] })))).toMatchObject({ id: "declined" });
  expect(ownReply(context(message("accepted", { changedBy: ["legal"] })))).toBeUndefined();
  expect(ownReply(context(message("declined")))).toBeUndefined();
  expect(ownReply({})).toBeUndefined();
});
