/** A longer text is not formatted. */
const MAX_FORMATTED_LENGTH = 50_000;

/** JSON on one line as JSON on several lines; undefined for other texts. */
export function formattedJson(text: string): string | undefined {
  if (text.length > MAX_FORMATTED_LENGTH || !/^\s*[[{]/.test(text) || text.includes("\n")) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const formatted = indented(text);
  return formatted.includes("\n") ? formatted : undefined;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|\s+|[[\]{},:]/gu;

/** Indents JSON. Its numbers stay as they are written: as values an id of 20 digits and 1.10 would be others. */
function indented(json: string): string {
  let depth = 0;
  return json.replaceAll(TOKENS, (token) => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    if (token.length > 1 || token.trim() === "") return token.replaceAll(/\s/gu, "");
    if (token === ":") return ": ";
    if (token !== ",") depth += token === "[" || token === "{" ? 1 : -1;
    const line = `\n${"  ".repeat(depth)}`;
    return token === "]" || token === "}" ? `${line}${token}` : `${token}${line}`;
  });
}
