import { UsageError } from "./usage-error.ts";

/** The words of a command line, with the quotes of a POSIX shell; nothing is expanded. Throws a {@link UsageError} for an open quote. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  const pieces = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+)|(.)/gsu;
  for (const [, single, double, escaped, space, plain, open] of line.matchAll(pieces)) {
    if (open !== undefined) throw new UsageError(`The command has an open quote or backslash: ${line}`);
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain);
  }
  return word === undefined ? words : [...words, word];
}
