import { parsedJson, type Json } from "./json.ts";

/** The values of a JSON text that is being written, best first. They are with the string that is being written as far as it has come, if
 *  one is, and without it. A number or a word that may go on is in neither. */
type PartialJson = readonly Json[];

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/suy;
const WORD = /[^\s,\]}]+/uy;
/** The beginning of an escape at the end of a string that is not complete. */
const BEGUN = /(?<=^(?:[^\\]|\\.)*)\\(?:u[\da-f]{0,3})?$/isu;

function parsed(text: string): readonly Json[] {
  const value = parsedJson(text);
  return value === undefined ? [] : [value];
}

/** The length of what matches at a place; 0 for nothing. */
function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Returns what has come of a JSON text; empty if that is nothing, or if it is not JSON. */
export function partialJson(text: string): PartialJson {
  let [at, end, open, closing, isName] = [0, 0, "", "", false];
  /** All before this place is complete once the open brackets are closed. */
  const cut = (): void => void ([end, closing] = [at, open]);
  const whole = (): readonly Json[] => (end === 0 ? [] : parsed(text.slice(0, end) + closing));
  for (; at < text.length;) {
    const char = text[at]!;
    if (char === "{" || char === "[") {
      open = (char === "{" ? "}" : "]") + open;
      isName = char === "{";
      at++;
      cut();
    } else if (char === "}" || char === "]") {
      if (open[0] !== char) return [];
      open = open.slice(1);
      at++;
      cut();
    } else if (char === "," || char === ":") {
      isName = char === "," && open[0] === "}";
      at++;
    } else if (char === '"') {
      const length = lengthAt(STRING, text, at);
      if (length === 0)
        return isName ? whole() : [...parsed(`${text.replace(BEGUN, "")}"${open}`), ...whole()];
      at += length;
      if (!isName) cut();
    } else if (char.trim() === "") at++;
    else {
      const length = lengthAt(WORD, text, at);
      if (length === 0 || at + length === text.length) break;
      at += length;
      cut();
    }
  }
  return whole();
}
