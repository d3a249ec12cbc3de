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

/** The tokens of a function; those inside of template literals count, other texts do not. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < text.length;) {
    if (/\s/.test(text[index]!)) index++;
    else if (text[index] === "`") index = template(text, index, tokens);
    else {
      const before = tokens.at(-1);
      const isValueBefore = before !== undefined && /[\w)\]}$]$/.test(before.text) && !WORDS.has(before.text);
      const skipped =
        at(COMMENT, text, index) ??
        at(QUOTED, text, index) ??
        (isValueBefore ? undefined : at(REGEX, text, index));
      const name = skipped === undefined ? at(NAME, text, index) : undefined;
      const found = skipped ?? name ?? at(NUMBER, text, index) ?? at(MARK, text, index)!;
      if (skipped === undefined) tokens.push({ text: found, isName: name !== undefined });
      else if (!/^\/[/*]/.test(skipped)) tokens.push({ text: '""', isName: false });
      index += found.length;
    }
  }
  return tokens;
}

/** Reads a template literal that begins at an index, and returns the index behind it. */
function template(text: string, from: number, tokens: Token[]): number {
  let index = from + 1;
  while (index < text.length && text[index] !== "`") {
    if (text[index] === "\\") index += 2;
    else if (text.startsWith("${", index)) {
      let depth = 1;
      const begin = index + 2;
      for (index = begin; index < text.length && depth > 0; index++) {
        if (text[index] === "{") depth++;
        if (text[index] === "}") depth--;
      }
      tokens.push({ text: "(", isName: false }, ...tokensOf(text.slice(begin, index - 1)), {
        text: ")",
        isName: false,
      });
    } else index++;
  }
  return index + 1;
}

/** The names that a function declares: its parameters, those of functions inside, and its variables. */
function declaredIn(tokens: readonly Token[]): ReadonlySet<string> {
  const declared = new Set<string>();
  const add = (from: number, to: number): void => {
    let [depth, valueAt] = [0, Infinity]; // what stands behind an equals sign is read, until the list goes on there
    for (const { text, isName } of tokens.slice(from, to)) {
      if ("([{".includes(text)) depth++;
      if (")]}".includes(text)) depth--;
      if (text === "=") valueAt = Math.min(valueAt, depth);
      else if (depth < valueAt || (text === "," && depth === valueAt)) valueAt = Infinity;
      if (isName && valueAt === Infinity) declared.add(text);
    }
  };
  tokens.forEach(({ text }, index) => {
    if (text === "=>") add(openOf(tokens, index - 1), index);
    if (["const", "let", "var"].includes(text)) {
      const end = tokens.findIndex(
        (token, place) => place > index && ["=", "of", "in", ";"].includes(token.text),
      );
      add(index + 1, end < 0 ? tokens.length : end);
    }
    if (text === "function" || (index === 0 && tokens[1]?.text === "(")) {
      const open = tokens.findIndex((token, place) => place >= index && token.text === "(");
      add(index, closeOf(tokens, open));
    }
    if (text === "catch" && tokens[index + 1]?.text === "(") add(index, index + 3);
  });
  return declared;
}

/** The index of the bracket that a closing one at an index belongs to; of anything else, the index itself. */
function openOf(tokens: readonly Token[], close: number): number {
  if (tokens[close]?.text !== ")") return close;
  let depth = 0;
  for (let index = close; index >= 0; index--) {
    if (tokens[index]!.text === ")") depth++;
    if (tokens[index]!.text === "(" && --depth === 0) return index;
  }
  return 0;
}

function closeOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (tokens[index]!.text === "(") depth++;
    if (tokens[index]!.text === ")" && --depth === 0) return index;
  }
  return tokens.length;
}

/**
 * Returns the names that a function reads besides its arguments, its own variables and constants of the language. What they stand for may be
 * another thing each time. `Math.random` is such a name, too.
 */
export function freeNames(text: string): readonly string[] {
  const tokens = tokensOf(text);
  const declared = declaredIn(tokens);
  const free = tokens.flatMap(({ text: name, isName }, index): readonly string[] => {
    const [before, after] = [tokens[index - 1]?.text, tokens[index + 1]?.text];
    const member = after === "." || after === "?." ? tokens[index + 2] : undefined;
    if (name === "Math" && (!member?.isName || member.text === "random")) return ["Math.random"];
    if (!isName || (WORDS.has(name) && name !== "this" && name !== "import")) return [];
    if (before === "." || before === "?.") return [];
    const isKey = after === ":" && (before === "{" || before === ",");
    return isKey || declared.has(name) || CONSTANT.has(name) ? [] : [name];
  });
  return [...new Set(free)];
}
