/**
 * Says whether a text is one statement that only reads, before SQLite sees it.
 *
 * V1 Nothing after the first `;` but blanks and comments: `prepare` would silently ignore it.
 * V2 The statement starts with SELECT or WITH, and a WITH leads to a SELECT.
 *
 * This is for clear messages. What holds if it is fooled: the connection is read-only and its authorizer lets only
 * reads pass.
 */

const SKIPPED = /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const QUOTED = /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)/y;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const WRITING = new Set(["INSERT", "UPDATE", "DELETE", "REPLACE"]);

type SqlToken = { readonly text: string; readonly kind: "word" | "quoted" | "mark"; readonly depth: number };

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The tokens of a statement without blanks and comments; `depth` counts open parentheses. */
function sqlTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  for (let at = 0; at < sql.length;) {
    const skipped = matchAt(SKIPPED, sql, at);
    if (skipped) {
      at += skipped.length;
      continue;
    }
    const quoted = matchAt(QUOTED, sql, at);
    const text = quoted ?? matchAt(WORD, sql, at) ?? sql.charAt(at);
    if (text === ")") depth--;
    tokens.push({ text, depth, kind: quoted ? "quoted" : /[\p{L}_]/u.test(text) ? "word" : "mark" });
    if (text === "(") depth++;
    at += text.length;
  }
  return tokens;
}

/** Null if the text is one reading statement, else one sentence that says what to do. */
export function checkStatement(sql: string): string | null {
  if (sql.includes("\0")) return "The SQL contains a NUL character; remove it.";
  const tokens = sqlTokens(sql);
  const end = tokens.findIndex(({ text }) => text === ";");
  if (end !== -1 && tokens.slice(end).some(({ text }) => text !== ";")) {
    return "Only one statement may be run at a time; send the second one as its own call.";
  }
  const first = tokens[0]?.text.toUpperCase();
  if (first === undefined || first === ";") return "The SQL is empty.";
  const readsOnly = "Only SELECT and WITH … SELECT are allowed: this database is read-only";
  if (first === "SELECT") return null;
  if (first !== "WITH") return `${readsOnly}, and ${first} is neither.`;
  const main = tokens.find(
    ({ text, kind, depth }, index) =>
      kind === "word" &&
      depth === 0 &&
      (text.toUpperCase() === "SELECT" || WRITING.has(text.toUpperCase())) &&
      tokens[index + 1]?.text !== ".",
  );
  return main && WRITING.has(main.text.toUpperCase())
    ? `${readsOnly}, and this WITH leads to ${main.text}.`
    : null;
}
