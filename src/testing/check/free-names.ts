/** The names that mean the same each time they are read. */
const CONSTANT: ReadonlySet<string> = new Set([
  ...[
    "undefined",
    "NaN",
    "Infinity",
    "Number",
    "String",
    "Boolean",
    "BigInt",
    "Array",
    "Object",
    "JSON",
    "Math",
  ],
  ...["RegExp", "Set", "Map", "parseInt", "parseFloat", "isNaN", "isFinite", "Error", "TypeError"],
]);
const WORDS: ReadonlySet<string> = new Set(
  "as async await break case catch class const continue debugger default delete do else export extends false finally for from function get if import in instanceof let new null of return set static super switch this throw true try typeof var void while with yield".split(
    " ",
  ),
);

type Token = { readonly text: string; readonly isName: boolean };

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\d[\d_.a-fA-FxXoOn]*/y;
const QUOTED = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?\*\//y;
const REGEX = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const MARK = /=>|\?\.|\.\.\.|\|\||&&|\?\?|[^\s]/y;

const at = (pattern: RegExp, text: string, index: number): string | undefined => {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
};

/** Reads the tokens from an index up to the end of the text, or to a `}` that closes nothing, and returns the index of that. Those inside of
 *  template literals count, other texts do not. */
function read(text: string, from: number, tokens: Token[]): number {
  let depth = 0;
  let index = from;
  while (index < text.length) {
    if (/\s/.test(text[index]!)) index++;
    else if (text[index] === "`") index = template(text, index, tokens);
    else {
      const isValueBefore = isValue(tokens.at(-1));
      const skipped =
        at(COMMENT, text, index) ??
        at(QUOTED, text, index) ??
        (isValueBefore ? undefined : at(REGEX, text, index));
      const name = skipped === undefined ? at(NAME, text, index) : undefined;
      const found = skipped ?? name ?? at(NUMBER, text, index) ?? at(MARK, text, index)!;
      if (found === "{") depth++;
      if (found === "}" && --depth < 0) break;
      if (skipped === undefined) tokens.push({ text: found, isName: name !== undefined });
      else if (!/^\/[/*]/.test(skipped)) tokens.push({ text: '""', isName: false });
      index += found.length;
    }
  }
  return index;
}

/** Reads a template literal that begins at an index, and returns the index behind it. */
function template(text: string, from: number, tokens: Token[]): number {
  let index = from + 1;
  tokens.push({ text: "(", isName: false });
  while (index < text.length && text[index] !== "`") {
    if (text[index] === "\\") index += 2;
    else if (text.startsWith("${", index)) {
      index = read(text, index + 2, tokens) + 1;
      tokens.push({ text: ",", isName: false });
    } else index++;
  }
  tokens.push({ text: ")", isName: false });
  return index + 1;
}

/** True for the last token of a value. */
const isValue = (token: Token | undefined): boolean =>
  token !== undefined && /["\w)\]}$]$/.test(token.text) && !WORDS.has(token.text);

/** The index behind a statement or an expression: of the mark that ends it, or of what cannot go on with it. */
function endOf(tokens: readonly Token[], from: number, marks: readonly string[]): number {
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const { text, isName } = tokens[index]!;
    if ("([{".includes(text)) depth++;
    if (depth === 0 && marks.includes(text)) return index;
    if (")]}".includes(text) && --depth < 0) return index;
    const isNext = (isName && text !== "in" && text !== "instanceof") || text === '""' || /^\d/.test(text);
    if (depth === 0 && index > from && isNext && isValue(tokens[index - 1])) return index;
  }
  return tokens.length;
}

/** The index of the bracket that closes the one at an index; of -1, the end. */
function closeOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  const close = tokens.findIndex(({ text }, index) => {
    if (index > open && "([{".includes(text)) depth++;
    return index > open && ")]}".includes(text) && --depth < 0;
  });
  return close < 0 ? tokens.length : close;
}

/** The index of the bracket in which an index is; -1 outside of all. */
function openOf(tokens: readonly Token[], index: number): number {
  let depth = 0;
  for (let place = index - 1; place >= 0; place--) {
    if (")]}".includes(tokens[place]!.text)) depth++;
    if ("([{".includes(tokens[place]!.text) && --depth < 0) return place;
  }
  return -1;
}

/** A name that is declared, and the tokens where it means that. */
type Declared = { readonly name: string; readonly from: number; readonly to: number };

/** The names that a function declares: its parameters, those of functions inside, and its variables. */
function declaredIn(tokens: readonly Token[]): readonly Declared[] {
  const declared: Declared[] = [];
  const add = (begin: number, end: number, from: number, to: number): void => {
    let [depth, valueAt] = [0, Infinity]; // what stands behind an equals sign is read, until the list goes on there
    for (let index = begin; index < end; index++) {
      const { text, isName } = tokens[index]!;
      if ("([{".includes(text)) depth++;
      if (")]}".includes(text)) depth--;
      if (text === "=") valueAt = Math.min(valueAt, depth);
      else if (depth < valueAt || (text === "," && depth === valueAt)) valueAt = Infinity;
      const isKey = tokens[index + 1]?.text === ":";
      if (isName && !isKey && valueAt === Infinity) declared.push({ name: text, from, to });
    }
  };
  /** The end of what has its head up to an index: a block, or an expression. */
  const bodyEnd = (head: number): number =>
    tokens[head + 1]?.text === "{" ? closeOf(tokens, head + 1) : endOf(tokens, head + 1, [",", ";"]);
  tokens.forEach(({ text }, index) => {
    if (text === "=>") {
      const from = tokens[index - 1]?.text === ")" ? openOf(tokens, index - 1) : index - 1;
      add(from, index, from, bodyEnd(index));
    }
    if (["const", "let", "var"].includes(text)) {
      const open = openOf(tokens, index);
      const close = closeOf(tokens, open);
      const isHead = tokens[open - 1]?.text === "for" && tokens[open]?.text === "(";
      add(index + 1, endOf(tokens, index + 1, [";", "of", "in"]), open, isHead ? bodyEnd(close) : close);
    }
    if (text === "function" || (index === 0 && tokens[1]?.text === "(")) {
      const open = tokens.findIndex((token, place) => place >= index && token.text === "(");
      const close = closeOf(tokens, open);
      add(open, close, open, bodyEnd(close));
      const around = openOf(tokens, index);
      add(index, open, around, closeOf(tokens, around));
    }
    if (text === "catch" && tokens[index + 1]?.text === "(") {
      const close = closeOf(tokens, index + 1);
      add(index + 1, close, index, bodyEnd(close));
    }
  });
  return declared;
}

/**
 * Returns the names that a function reads besides its arguments, its own variables and constants of the language. What they stand for may be
 * another thing each time. `Math.random` is such a name, too.
 */
export function freeNames(text: string): readonly string[] {
  const tokens: Token[] = [];
  read(text, 0, tokens);
  const declared = declaredIn(tokens);
  const isDeclared = (name: string, index: number): boolean =>
    declared.some((each) => each.name === name && each.from <= index && index <= each.to);
  const free = tokens.flatMap(({ text: name, isName }, index): readonly string[] => {
    const [before, after] = [tokens[index - 1]?.text, tokens[index + 1]?.text];
    const member = after === "." || after === "?." ? tokens[index + 2] : undefined;
    if (name === "Math" && (!member?.isName || member.text === "random")) return ["Math.random"];
    if (!isName || (WORDS.has(name) && name !== "this" && name !== "import")) return [];
    if (before === "." || before === "?.") return [];
    const isKey = after === ":" && (before === "{" || before === ",");
    return isKey || isDeclared(name, index) || CONSTANT.has(name) ? [] : [name];
  });
  return [...new Set(free)];
}
