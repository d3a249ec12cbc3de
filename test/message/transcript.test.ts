// Transcripts: as lists would be, and never changed.
import fc from "../support/fast-check.ts";
import { expect, test } from "vitest";
import { userMsg } from "../../src/core/message/msg.ts";
import { Transcript } from "../../src/core/message/transcript.ts";
import { TranscriptHead } from "../../src/core/message/transcript-head.ts";
import type { Msg } from "../../src/core/message/types.ts";

type Change = { readonly at: number; readonly index: number; readonly count: number; readonly how: string };

const counts = fc.oneof(fc.nat(3), fc.nat(40));
const changes = fc.array(
  fc.record({
    /** Which of the transcripts so far is changed. */
    at: fc.nat(20),
    index: fc.nat(60),
    count: counts,
    how: fc.constantFrom("append", "append", "append", "insert", "replace"),
  }),
  { maxLength: 12 },
);

let made = 0;
const messagesOf = (count: number): readonly Msg[] =>
  Array.from({ length: count }, () => userMsg(`${made++}`));

function changed(
  transcript: Transcript,
  { how, index, count }: Change,
  messages = messagesOf(count),
): Transcript {
  if (how === "insert") return transcript.insert(index, messages);
  return how === "replace" ? transcript.replaceFrom(index, messages) : transcript.append(messages);
}

function expected(
  list: readonly Msg[],
  after: readonly Msg[],
  { how, index, count }: Change,
): readonly Msg[] {
  const from = how === "append" ? list.length : Math.min(index, list.length);
  const rest = how === "replace" ? [] : list.slice(from);
  return [...list.slice(0, from), ...after.slice(from, from + count), ...rest];
}

test("T1 transcripts are as lists would be, whichever of them is changed and however long they are", () => {
  fc.assert(
    fc.property(counts, changes, (first, all) => {
      const start = Transcript.of(messagesOf(first));
      const made: { readonly transcript: Transcript; readonly list: readonly Msg[] }[] = [
        { transcript: start, list: start.slice() },
      ];
      for (const change of all) {
        const { transcript, list } = made[change.at % made.length]!;
        const next = changed(transcript, change);
        const after = next.slice();
        expect(after.map(({ id }) => id)).toEqual(expected(list, after, change).map(({ id }) => id));
        expect(after).toHaveLength(next.length);
        made.push({ transcript: next, list: after });
      }
      for (const { transcript, list } of made) {
        expect(transcript.slice()).toEqual(list);
        for (const edge of [0, 1, 15, 16, 17, 40]) {
          expect(transcript.at(edge)).toBe(list[edge]);
          expect(transcript.at(-1 - edge)).toBe(list.at(-1 - edge));
          expect(transcript.slice(edge)).toEqual(list.slice(edge));
          expect(transcript.slice(edge, edge + 20)).toEqual(list.slice(edge, edge + 20));
          expect(transcript.slice(0, edge)).toEqual(list.slice(0, edge));
        }
        for (const other of made) {
          const most = Math.min(list.length, other.list.length);
          const same = [...list.slice(0, most).keys()].find((index) => list[index] !== other.list[index]);
          expect(transcript.commonPrefix(other.transcript)).toBe(same ?? most);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("T2 appending the same messages to the same transcript again shares its array, and appending others does not", () => {
  for (const count of [0, 3, 40]) {
    const start = Transcript.of(messagesOf(count));
    const [one, other] = [messagesOf(2), messagesOf(2)];
    const first = start.append(one);
    const later = first.append(other);
    const again = start.append(structuredClone(one));
    expect(again.known).toBe(first.known);
    expect(again.slice()).toEqual(first.slice());
    expect(again.append(structuredClone(other)).slice()).toEqual(later.slice());
    for (const differs of [other, [...one, ...one], [...one, ...other, ...one]]) {
      const apart = start.append(differs);
      expect(apart.known).not.toBe(first.known);
      expect(apart.slice()).toEqual([...start.slice(), ...differs]);
    }
    expect(first.slice()).toEqual([...start.slice(), ...one]);
  }
});

test("T3 the messages of a transcript are frozen, and the list that it was made of is not", () => {
  for (const count of [1, 40]) {
    const list = [...messagesOf(count)];
    const transcript = Transcript.of(list);
    list.push(...messagesOf(1));
    expect(transcript.slice().every((msg) => Object.isFrozen(msg) && Object.isFrozen(msg.content))).toBe(
      true,
    );
    expect(transcript.append(messagesOf(1))).toHaveLength(count + 1);
    expect(transcript.slice()).toHaveLength(count);
  }
});

const commonOf = (some: readonly Msg[], others: readonly Msg[]): number => {
  const end = some.findIndex((message, index) => message !== others[index]);
  return end < 0 ? some.length : end;
};

/** A head that reads a few messages more than it is asked for, and says which it was asked for. */
function headOf(messages: readonly Msg[], asked: number[] = []): TranscriptHead {
  return new TranscriptHead(messages.length, async (from, to) => {
    asked.push(from);
    const begin = Math.max(0, from - 2);
    return { from: begin, messages: messages.slice(begin, to) };
  });
}

test("T1 transcripts whose first messages are read when they are asked for are as others are", async () => {
  await fc.assert(
    fc.asyncProperty(counts, fc.nat(40), changes, async (first, unread, all) => {
      const messages = messagesOf(unread + first);
      const lazy = Transcript.after(headOf(messages.slice(0, unread)), messages.slice(unread));
      const made = [{ lazy, whole: Transcript.of(messages) }];
      for (const change of all) {
        const before = made[change.at % made.length]!;
        const inHead = change.how !== "append" && change.index < unread;
        if (inHead) await before.lazy.load();
        const added = messagesOf(change.count);
        made.push({
          lazy: changed(before.lazy, change, added),
          whole: changed(before.whole, change, added),
        });
      }
      await lazy.load(Math.floor(unread / 2));
      expect(lazy.slice(lazy.from)).toEqual(messages.slice(lazy.from));
      await Promise.all([lazy.load(), lazy.load(1)]);
      const texts = (transcript: Transcript) => transcript.slice().map(({ content }) => content);
      for (const one of made) {
        expect(texts(one.lazy)).toEqual(texts(one.whole));
        expect(one.lazy.length).toBe(one.whole.length);
        expect(texts(one.lazy.copy())).toEqual(texts(one.lazy));
        expect(one.lazy.slice(3, -2)).toEqual(one.lazy.slice().slice(3, -2));
        for (const index of [0, 7, unread, -1, -unread, 200, -200])
          expect(one.lazy.at(index)).toBe(one.lazy.slice().at(index));
        for (const other of made)
          expect(one.lazy.commonPrefix(other.lazy)).toBe(commonOf(one.lazy.slice(), other.lazy.slice()));
      }
    }),
  );
});

test("a message that is not read yet is refused, and read once whoever asks first", async () => {
  const messages = messagesOf(10);
  const asked: number[] = [];
  const transcript = Transcript.after(headOf(messages.slice(0, 8), asked), messages.slice(8));
  const grown = transcript.append(messagesOf(1));
  expect(grown.from).toBe(8);
  for (const read of [() => grown.at(7), () => grown.slice(), () => grown.slice(7, 9)])
    expect(read).toThrow(expect.objectContaining({ code: "run/busy", isRetryable: true }));
  expect(grown.slice(8)).toHaveLength(3);
  await Promise.all([grown.load(6), transcript.load(5), grown.load(7)]);
  expect([grown.from, transcript.from, asked]).toEqual([4, 4, [6]]);
  expect(transcript.load(4)).toBeUndefined();
  await grown.load();
  expect(grown.at(0)).toBe(messages[0]);
  expect(Object.isFrozen(grown.at(0)!.content)).toBe(true);
});

test("a head that cannot be read rejects, and is read when it is asked for again", async () => {
  let isDown = true;
  const messages = messagesOf(4);
  const head = new TranscriptHead(4, async (from, to) => {
    if (isDown) throw new Error("down");
    return { from, messages: messages.slice(from, to) };
  });
  const transcript = Transcript.after(head, []);
  await expect(transcript.load()).rejects.toThrow("down");
  isDown = false;
  await transcript.load();
  expect(transcript.slice()).toEqual(messages);
});

test("V2 a call may have any id while messages are not read", async () => {
  const call = (id: string): Msg => ({
    ...userMsg("x"),
    role: "assistant",
    content: [{ type: "tool_use", id, name: "t", input: {} }],
  });
  const transcript = Transcript.after(headOf([call("a"), userMsg("b")]), [call("c")]);
  expect(["a", "c", "free"].map((id) => transcript.hasCall(id))).toEqual([true, true, true]);
  await transcript.load();
  expect(["a", "c", "free"].map((id) => transcript.hasCall(id))).toEqual([true, true, false]);
});
