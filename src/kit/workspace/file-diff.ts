import { structuredPatch } from "diff";
import type { JsonObject } from "../../core/base/json.ts";

/** A part of a diff: lines of the old and of the new text, counted from 1. */
export type DiffHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with a space (the same in both), `-` (only in the old text) or `+` (only in the new one). */
  readonly lines: readonly string[];
};

/** The changes that a tool has made in a file, as data: `metadata.diff` of its result. */
export type FileDiff = {
  readonly path: string;
  readonly change: "created" | "edited" | "removed";
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** True if hunks were left out, since the change is too large or too costly to compare; the counts are then of what is shown. */
  readonly isCut?: true | undefined;
};

const CONTEXT = 3;
const MAX_CHARACTERS = 40_000;
const MAX_MS = 1_000;

const starting = (lines: readonly string[], sign: string): number =>
  lines.filter((line) => line.startsWith(sign)).length;

/** Returns what a model is told of the lines that a change has added and removed. */
export const linesText = ({ added, removed, isCut }: FileDiff): string =>
  isCut ? "the change is too large to count its lines" : `+${added} −${removed} lines`;

/** Returns the difference of two texts of a file; `before` is undefined if the file was not there. */
export function fileDiff(path: string, before: string | undefined, after: string): FileDiff & JsonObject {
  const change = before === undefined ? "created" : "edited";
  const patch = structuredPatch(path, path, before ?? "", after, undefined, undefined, {
    context: CONTEXT,
    timeout: MAX_MS,
  });
  const hunks: DiffHunk[] = [];
  let size = 0;
  let isCut = patch === undefined;
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch?.hunks ?? []) {
    size += lines.reduce((sum, line) => sum + line.length, 0);
    isCut ||= size > MAX_CHARACTERS;
    if (!isCut) hunks.push({ oldStart, oldLines, newStart, newLines, lines });
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    path,
    change,
    added: starting(lines, "+"),
    removed: starting(lines, "-"),
    hunks: hunks as never,
    ...(isCut && { isCut: true }),
  };
}
