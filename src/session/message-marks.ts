import type { Fact, SessionEntry } from "./entry.ts";

/** The messages from index `index` on, and the results that they refer to, are in entry `seq` and later ones. */
export type Mark = readonly [index: number, seq: number];

/** Where the messages of a transcript are in its journal, so that some are read without the entries of the others. */
export type MessageMarks = {
  /** In the order of both index and entry. */
  readonly marks: readonly Mark[];
  /** Results are recorded to which later messages may refer. */
  readonly hasResults: boolean;
};

/** Before the first entry. */
export const NO_MARKS: MessageMarks = { marks: [], hasResults: false };

/** A page needs at most about this part of the entries more than its own. */
const SPACING = 1 / 32;
const MAX_MARKS = 64;

/** The marks that are not too close together for a transcript of `length` messages. */
function spaced(marks: readonly Mark[], length: number): readonly Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks)
    if (kept.length === 0 || mark[0] - kept.at(-1)![0] >= length * SPACING) kept.push(mark);
  return kept;
}

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
      const isMarked =
        hasResults || kept.at(-1)?.[0] === from || messages.some((message) => "ref" in message);
      const marks = isMarked ? kept : kept.concat([[from, entry.seq]]);
      const isFull = marks.length > MAX_MARKS;
      return { hasResults, marks: isFull ? spaced(marks, from + messages.length) : marks };
    }
    default:
      return before;
  }
}
