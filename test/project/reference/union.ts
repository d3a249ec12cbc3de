/** A field of a type of the sources. */
export type Field = { readonly name: string; readonly type: string; readonly doc: string };
/** A member of a union of the sources: its text and its fields. `more` are the types whose fields it has too. */
export type Member = {
  readonly doc: string;
  readonly fields: readonly Field[];
  readonly more: readonly string[];
};

const OPEN = "{([<";
const CLOSE = "})]>";

/** Splits the text of a type at a sign that is in no brackets, comments and strings. */
function split(text: string, sign: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of text.matchAll(/\/\*[^]*?\*\/|\/\/.*|"[^"]*"|`[^`]*`|=>|[^]/g)) {
    if (token.length === 1 && OPEN.includes(token)) depth++;
    if (token.length === 1 && CLOSE.includes(token)) depth--;
    if (token === sign && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

const COMMENT = /^\/\*\*([^]*?)\*\/\s*/;
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Takes the docstring off the beginning of a text. */
function documented(text: string): { readonly doc: string; readonly rest: string } {
  const [comment = "", raw = ""] = COMMENT.exec(text) ?? [];
  const doc = oneLine(raw.replaceAll(/^\s*\* ?/gm, "")).replaceAll(/\{@link ([^}]+)\}/g, "`$1`");
  return { doc, rest: text.slice(comment.length) };
}

/** Returns the fields of an object type, given with or without its braces. */
export function fieldsOf(body: string): readonly Field[] {
  return split(body.replace(/^\{([^]*)\}$/, "$1"), ";").flatMap((part) => {
    const { doc, rest } = documented(part);
    const [, name, type] = /^readonly "?([\w.]+\??)"?: ([^]+)$/.exec(rest) ?? [];
    return name && type ? [{ name, type: oneLine(type).replace(/^\| /, ""), doc }] : [];
  });
}

/** Returns what `declaration` declares. */
export function typeText(source: string, declaration: string): string {
  const begin = source.indexOf(declaration);
  if (begin < 0) throw new Error(`Not found: ${declaration}`);
  const [statement = ""] = split(source.slice(begin + declaration.length), ";");
  return split(statement, "=").at(-1) ?? "";
}

/** Returns the members of a union of object types. */
export function membersOf(union: string): readonly Member[] {
  const docFirst = union.replaceAll(/(\/\*\*(?:(?!\*\/)[^])*\*\/)\s*\| /g, "| $1 ");
  return split(docFirst, "|").map((member) => {
    const { doc, rest } = documented(member);
    const parts = split(rest.replace(/^\(([^]*)\)$/, "$1"), "&");
    return {
      doc,
      fields: parts.filter((part) => part.startsWith("{")).flatMap(fieldsOf),
      more: parts.filter((part) => !part.startsWith("{")).map(oneLine),
    };
  });
}
