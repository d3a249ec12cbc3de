import { hasBlock } from "../core/message/query.ts";
import type { Msg } from "../core/message/types.ts";
import type { Fact, ResultRef, SessionEntry } from "./entry.ts";

/** The messages from index `index` on, and the results that they refer to, are in entry `seq` and later ones. */
export type Mark = readonly [index: number, seq: number];

/** The positions of the messages of a transcript in its journal, so that some are read without the entries of the others. */
export type MessageMarks = {
  /** In the order of both index and entry. */
  readonly marks: readonly Mark[];
  /** Results are recorded to which later messages may refer. */
  readonly hasResults: boolean;
};

/** Before the first entry. */
export const NO_MARKS: MessageMarks = { marks: [], hasResults: false };

/** A page needs at most about this part of the entries more than its own, and the end of a session this part of itself. */
const SPACING = 1 / 32;
const END_SPACING = 1 / 4;
const MAX_MARKS = 64;

const isMark = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((number) => Number.isSafeInteger(number));

/** True for marks as a checkpoint has them. */
export const areMarks = (value: unknown): value is readonly Mark[] =>
  Array.isArray(value) && value.every(isMark);

/** The marks that are not too close together for a transcript of `length` messages: at its end, which is read most, less is too close. */
function spaced(marks: readonly Mark[], length: number): readonly Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const least = Math.min(length * SPACING, (length - mark[0]) * END_SPACING);
    if (kept.length === 0 || mark[0] - kept.at(-1)![0] >= least) kept.push(mark);
  }
  return kept;
}

/** True for a message that stands behind the call that it answers: reading does not begin there. */
const isResult = (message: Msg | ResultRef): boolean => "ref" in message || hasBlock(message, "tool_result");

/** Returns the marks after one more entry. */
export function marksAfter(before: MessageMarks, entry: Fact & Pick<SessionEntry, "seq">): MessageMarks {
  switch (entry.type) {
    case "call":
      return entry.data.set.result ? { ...before, hasResults: true } : before;
    case "calls.closed":
      return { ...before, hasResults: false };
    case "messages": {
      const { from, messages, closes = false } = entry.data;
      const hasResults = before.hasResults && !closes;
      const isLonger = (before.marks.at(-1)?.[0] ?? 0) <= from;
      const kept = isLonger ? before.marks : before.marks.filter(([index]) => index <= from);
      const isUnfit =
        hasResults ||
        kept.at(-1)?.[0] === from ||
        messages.some((message) => "ref" in message) ||
        (messages.length > 0 && isResult(messages[0]!));
      const marks = isUnfit ? kept : kept.concat([[from, entry.seq]]);
      const isFull = marks.length > MAX_MARKS;
      return { hasResults, marks: isFull ? spaced(marks, from + messages.length) : marks };
    }
    default:
      return before;
  }
}
