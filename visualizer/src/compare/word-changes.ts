import { diffWordsWithSpace } from "diff";
import { changedMiddle } from "../logic/text-change.ts";

/** A part of a text that is compared with another one. */
export type WordChange = { readonly kind: "same" | "added" | "removed"; readonly text: string };

/** Of texts that differ in more words than this, only where they begin and end to differ is said: finding more takes too long. */
const MOST_EDITS = 400;

/** Returns how a text differs from the one beside it, word by word. Words that others stand in place of are left out: they are beside it. */
export function wordChanges(before: string, after: string): readonly WordChange[] {
  const parts = partsOf(before, after);
  return parts.filter(({ kind }, at) => kind !== "removed" || parts[at + 1]?.kind !== "added");
}

function partsOf(before: string, after: string): readonly WordChange[] {
  const found = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS });
  if (found)
    return found.map(({ added, removed, value }) => ({
      kind: added ? "added" : removed ? "removed" : "same",
      text: value,
    }));
  const change = changedMiddle(before, after);
  const parts: readonly WordChange[] = [
    { kind: "same", text: change.begin },
    { kind: "removed", text: change.before },
    { kind: "added", text: change.after },
    { kind: "same", text: change.end },
  ];
  return parts.filter(({ text }) => text !== "");
}
