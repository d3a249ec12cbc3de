import { nearestName } from "../../core/base/nearest-name.ts";
import { linesOf } from "./text-file.ts";

/** The change that is to be made in a text. */
export type TextEdit = {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
};

const MAX_SHOWN = 200;

function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;
const squeezed = (line: string): string => line.trim().replaceAll(/\s+/gu, " ");

/** Returns the place that the model probably meant: the line that differs in white space or in a few letters only. */
function nearest(text: string, oldString: string): string {
  const wanted = squeezed(linesOf(oldString).find((line) => line.trim() !== "") ?? "");
  if (wanted === "") return "";
  const lines = linesOf(text);
  let at = lines.findIndex((line) => squeezed(line) === wanted);
  if (at < 0) at = lines.findIndex((line) => squeezed(line).includes(wanted));
  if (at < 0) {
    const near = nearestName(wanted, lines.slice(0, 5_000).map(squeezed));
    at = near === undefined ? -1 : lines.findIndex((line) => squeezed(line) === near);
  }
  return at < 0 ? "" : ` The nearest line is ${at + 1}: ${lines[at]!.slice(0, MAX_SHOWN)}`;
}

/** Returns the text with the edit, or what is wrong with it. The old string must occur, and once unless all are replaced. */
export function editText(
  text: string,
  { oldString, newString, replaceAll }: TextEdit,
): { readonly text: string; readonly count: number } | { readonly problem: string } {
  if (oldString === "") return { problem: "old_string is empty; to write a whole file use write_file." };
  if (oldString === newString) return { problem: "old_string and new_string are the same." };
  const found = occurrences(text, oldString);
  if (found.length === 0) return { problem: `old_string is not in the file.${nearest(text, oldString)}` };
  if (found.length > 1 && !replaceAll) {
    const lines = found.slice(0, 10).map((at) => lineAt(text, at));
    return {
      problem: `old_string occurs ${found.length} times (lines ${lines.join(", ")}${found.length > 10 ? ", …" : ""}); add context or set replace_all.`,
    };
  }
  const count = replaceAll ? found.length : 1;
  return { text: text.split(oldString).join(newString), count };
}
