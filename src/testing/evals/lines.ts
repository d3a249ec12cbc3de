/** The lines of a text that are not blank, numbered from 1; a mark of the byte order is none of it. */
export const linesOf = (text: string): readonly { readonly line: string; readonly number: number }[] =>
  text
    .replace(/^\uFEFF/u, "")
    .split(/\r\n?|\n/u)
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ line, number: at + 1 }]));
