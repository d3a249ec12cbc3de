import { isOnlyNumeric, textOf, wordsAt, type Draft } from "./draft.ts";
import { isName, type NameToken, type Token } from "./token.ts";

/** True for what joins the parts of a list. */
export function isLink(token: Token | undefined): boolean {
  return token?.kind === "and" || (token?.kind === "break" && /^[,，、]$/.test(token.text));
}

/** Reads the names after "by": "by city and category". Returns where to read on, as all readers here do. */
export function readGroups(draft: Draft, at: number): number {
  const { tokens } = draft;
  const first = tokens[at + 1];
  if (!isName(first)) {
    const words = first?.kind === "literal" ? [first] : wordsAt(draft, at + 1);
    if (words.length > 0) draft.problem ??= { kind: "noColumn", text: textOf(words) };
    return at + 1 + words.length;
  }
  if (isOnlyNumeric(first) && tokens.some(({ kind }) => kind === "top" || kind === "extreme")) {
    draft.topics.push({ ...first, at: at + 1 });
    return at + 2;
  }
  draft.groups.push(first);
  for (let index = at + 2; ; index += 2) {
    const name = tokens[index + 1];
    const goesOn = isLink(tokens[index]) && isName(name) && !isOnlyNumeric(name);
    if (!goesOn || tokens[index + 2]?.kind === "metric") return index;
    draft.groups.push(name);
  }
}

/** Reads what follows "top 5" or "highest": the things that are ranked. */
export function readRanked(draft: Draft, at: number): number {
  const index = draft.tokens.findIndex(
    ({ kind }, position) => position > at && kind !== "extreme" && kind !== "by",
  );
  const ranked = draft.tokens[index];
  if (!isName(ranked) || isOnlyNumeric(ranked)) return at + 1;
  draft.groups.push(ranked);
  return index + 1;
}

/** Reads "highest": with "which" what follows is measured, else it may be what is ranked. */
export function readExtreme(draft: Draft, at: number): number {
  const token = draft.tokens[at] as Extract<Token, { kind: "extreme" }>;
  draft.extreme ??= { descending: token.descending, at };
  const owner = draft.topics.at(-1);
  // "the city with the highest amount"
  if (owner?.at === at - 2 && draft.tokens[at - 1]?.kind === "where" && !isOnlyNumeric(owner)) {
    draft.groups.push(draft.topics.pop()!);
  }
  return draft.which ? at + 1 : readRanked(draft, at);
}

/** Reads "which city", "which month". */
export function readWhich(draft: Draft, at: number): number {
  const next = draft.tokens[at + 1];
  if (next?.kind === "period") draft.which = true;
  if (!isName(next) || isOnlyNumeric(next)) {
    const { text } = draft.tokens[at]!;
    // "the customers who …" names no one.
    if (/^(who|谁|哪位)$/iu.test(text) && !isName(draft.tokens[at - 1]))
      draft.problem ??= { kind: "beyond", text };
    return at + 1;
  }
  draft.which = true;
  draft.groups.push(next);
  return at + 2;
}

/** Reads a name on its own: it belongs to the value beside it, or is a topic. */
export function readName(draft: Draft, at: number): number {
  const name = draft.tokens[at] as NameToken;
  const [before, after] = [draft.tokens[at - 1], draft.tokens[at + 1]];
  const holds = (token: Token | undefined): boolean =>
    token?.kind === "value" &&
    token.values.some((value) => name.columns.some(({ column }) => column === value.column));
  if (holds(after) || holds(before)) return at + 1;
  const value = after?.kind === "literal" ? [after] : wordsAt(draft, at + 1);
  const isText = name.columns.some(({ column }) => column.kind === "text");
  if (before?.kind === "in" && isText && value.length > 0) {
    draft.filters.push({ naming: name, comparison: "=", operands: [textOf(value)] });
    return at + 1 + value.length;
  }
  const said = name.columns.flatMap(({ column, weight }) =>
    column.yes !== undefined && weight > 1 ? [{ column, value: column.yes }] : [],
  );
  if (said.length > 0) draft.values.push({ values: said, negated: false });
  else draft.topics.push({ ...name, at });
  return at + 1;
}

/** Reads "in" with a text that no sample shows: it will be looked for. */
export function readIn(draft: Draft, at: number, negated: boolean): number {
  const next = draft.tokens[at + 1];
  const isText = next?.kind === "literal" && typeof next.literal === "string";
  const words = isText ? [next] : wordsAt(draft, at + 1);
  if (words.length > 0) draft.lookups.push({ text: textOf(words), negated });
  return at + 1 + words.length;
}

/** Reads "excluding Berlin and Paris", "not in city Berlin". */
export function readNot(draft: Draft, at: number): number {
  const { tokens } = draft;
  const start = tokens[at + 1]?.kind === "in" ? at + 1 : at;
  // The name only says which column the value is of.
  const first = isName(tokens[start + 1]) && tokens[start + 2]?.kind === "value" ? start + 2 : start + 1;
  let index = first;
  for (let token = tokens[index]; token?.kind === "value"; token = tokens[index]) {
    draft.values.push({ values: token.values, negated: true });
    const linked = isLink(tokens[index + 1]) || tokens[index + 1]?.kind === "or";
    index += linked && tokens[index + 2]?.kind === "value" ? 2 : 1;
  }
  if (index > first) return index;
  const end = readIn(draft, start, true);
  if (end === start + 1) draft.problem ??= { kind: "beyond", text: tokens[at]!.text };
  return end;
}
