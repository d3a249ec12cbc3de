// The text of a request is its JSON, whatever was sent before.
import { inspect } from "node:util";
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { piecesOfView } from "../../../machines/agent/prompt/view.ts";
import { Transcript } from "../../../src/core/message/transcript.ts";
import type { Msg } from "../../../src/core/message/types.ts";
import { dialectOf, OPENAI_BASE_URL } from "../../../src/core/model/openai/dialect.ts";
import { chatFormatOf } from "../../../src/core/model/openai/to-chat-messages.ts";
import { chatRequestOf, chatRequestText } from "../../../src/core/model/openai/to-chat-request.ts";
import type { ModelRequest } from "../../../src/core/model/port.ts";
import { listOf, requestOfPieces, withOptions } from "../../../src/core/model/request.ts";
import { message, text, toolResult, toolUse } from "../../../src/testing/explorer/messages.ts";

const OPTIONS = { model: "m", ...dialectOf(OPENAI_BASE_URL) };
const WHOLE_RESULTS = { maxTokens: null, tools: {}, exclude: [], keepMedia: null };
const REST = { tools: [], options: { extraBody: { messages: "mine" } }, execution: {} };

/** A message of the user, an answer with a call, and its result, in turn. */
function messageAt(index: number, providerId?: string): Msg {
  const call = { ...toolUse(`c${index - (index % 3)}`), ...(providerId !== undefined && { providerId }) };
  if (index % 3 === 0) return message(`m${index}`, "user", [text(`"${index}" ü\u2028`)]);
  if (index % 3 === 1) return message(`m${index}`, "assistant", [text("Well."), call]);
  return message(`m${index}`, "tool", [toolResult(call.id, "done")]);
}
const messagesOf = (count: number, from = 0): readonly Msg[] =>
  Array.from({ length: count }, (_, index) => messageAt(from + index));

function requestOf(transcript: Transcript, from = 0): ModelRequest {
  return requestOfPieces(REST, piecesOfView(transcript, { from, head: [], clearedTo: 0 }, WHOLE_RESULTS));
}

/** The same request with a list that was made of nothing. */
const plain = (request: ModelRequest): ModelRequest => ({ ...request, messages: [...request.messages] });

function expectJson(request: ModelRequest, format = chatFormatOf({})): void {
  const json: unknown = JSON.parse(chatRequestText(request, OPTIONS, format));
  const asked = plain(request);
  expect(json).toEqual(JSON.parse(JSON.stringify(chatRequestOf(asked, OPTIONS, format))));
  expect(json).toEqual(JSON.parse(chatRequestText(asked, OPTIONS, format)));
}

const looks = fc.array(fc.record({ said: fc.nat(200), from: fc.constantFrom(0, 0, 0, 1, 100, 130) }), {
  minLength: 1,
  maxLength: 5,
});

test("whatever was sent before, the text of a request is its JSON", () => {
  fc.assert(
    fc.property(looks, fc.boolean(), (all, hasNames) => {
      const format = chatFormatOf({ sendNames: hasNames });
      let transcript = Transcript.of([messageAt(0)]);
      for (const { said, from } of all) {
        transcript = transcript.append(messagesOf(said, transcript.length));
        expectJson(requestOf(transcript, from), format);
      }
    }),
    { numRuns: 30 },
  );
});

test("a call of an old message has the id of its provider, which a text that was kept would not have", () => {
  const transcript = Transcript.of(messagesOf(300)).append([messageAt(301, "p1"), messageAt(302)]);
  const request = requestOf(transcript);
  expectJson(request);
  expect(chatRequestText(request, OPTIONS, chatFormatOf({}))).toContain('"p1"');
});

test("a request of 1,000 messages looks up only those of them that were not sent before", () => {
  let lookups = 0;
  class Counting extends WeakMap<Msg, never> {
    override get(key: Msg): undefined {
      lookups++;
      return super.get(key);
    }
  }
  const format = { ...chatFormatOf({}), by: Symbol("test"), forms: new Counting() };
  const first = Transcript.of(messagesOf(1_000));
  chatRequestText(requestOf(first), OPTIONS, format);
  expect(lookups).toBe(1_000);
  const second = first.append(messagesOf(2, 1_000));
  chatRequestText(requestOf(second), OPTIONS, format);
  expect(lookups).toBeLessThan(1_000 + 128);
});

test("a request whose messages were replaced by a spread is sent with the new ones", () => {
  const request = requestOf(Transcript.of(messagesOf(300)));
  const replaced: ModelRequest = { ...request, messages: [message("n", "user", [text("new")])] };
  expectJson(replaced);
  const derived = Object.create(request, { messages: { value: replaced.messages } }) as ModelRequest;
  expect(chatRequestText(derived, OPTIONS, chatFormatOf({}))).toContain('"new"');
});

test("what stands for a request has its messages, or those that it says it has", () => {
  const request = requestOf(Transcript.of(messagesOf(300)));
  const sent = (asked: ModelRequest): string => chatRequestText(asked, OPTIONS, chatFormatOf({}));
  const same = new Proxy(request, {});
  expect(same.messages).toBe(request.messages);
  expect((Object.create(request) as ModelRequest).messages).toBe(request.messages);
  expect(sent(same)).toBe(sent(request));
  const messages = [message("n", "user", [text("new")])];
  const other = new Proxy(request, {
    get: (target, name) => (name === "messages" ? messages : (Reflect.get(target, name) as unknown)),
  });
  expect(sent(other)).toBe(sent({ ...request, messages }));
});

test("a request with other options has the same messages in the same pieces", () => {
  const request = requestOf(Transcript.of(messagesOf(300)));
  const other = withOptions(request, { temperature: 1 });
  expect(other).toEqual({ ...request, options: { temperature: 1 } });
  expect(other.messages).toBe(request.messages);
  expect(withOptions(plain(request), { temperature: 1 })).toEqual(other);
  expectJson(other);
});

test("requests share the messages that both have, and what the second has more is not in the first", () => {
  const first = Transcript.of(messagesOf(1_000));
  const [before, held] = [piecesOfView(first, null, WHOLE_RESULTS), requestOf(first)];
  const second = first.append(messagesOf(500, 1_000));
  const after = piecesOfView(second, null, WHOLE_RESULTS);
  const copied = after.filter((piece) => !before.includes(piece)).flatMap(({ messages }) => messages);
  expect(copied.length).toBeLessThan(500 + 128);
  expect(listOf(after)).toEqual(second.slice());
  expect(held.messages).toEqual(first.slice());
  expect(held.messages).toBe(held.messages);
  expect(Array.isArray(held.messages) && Object.isFrozen(held.messages)).toBe(true);
});

test("a request that is logged shows its messages", () => {
  const request = requestOf(Transcript.of(messagesOf(3)));
  expect(inspect(request, { depth: null })).toBe(inspect({ ...request }, { depth: null }));
  expect(inspect(request)).toContain("m2");
});
