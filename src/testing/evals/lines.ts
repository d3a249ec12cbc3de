/** The lines of a text that are not blank, numbered from 1; a byte order mark is not part of it. */
export const linesOf = (text: string): readonly { readonly line: string; readonly number: number }[] =>
  text
    .replace(/^\uFEFF/u, "")
    .split(/\r\n?|\n/u)
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ line, number: at + 1 }]));
