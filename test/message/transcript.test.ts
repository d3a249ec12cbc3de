import fc from "../support/fast-check.ts";
import { expect, test } from "vitest";
import { userMsg } from "../../src/message/create.ts";
import { Transcript } from "../../src/message/transcript.ts";
import type { Msg } from "../../src/message/types.ts";

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

function changed(transcript: Transcript, { how, index, count }: Change): Transcript {
  const messages = messagesOf(count);
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
