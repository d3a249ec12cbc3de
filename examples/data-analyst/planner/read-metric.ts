import { isOnlyNumeric, textOf, wordsAt, type Draft, type DraftMetric } from "./draft.ts";
import { isLink } from "./read-name.ts";
import type { Noun } from "./reading.ts";
import { isName, type NameToken, type Token } from "./token.ts";

/** Ways to ask for a number of things, as opposed to a number of values. */
const THINGS = /^(the |total )?number of|^how many|^多少|^几个|^人数|^订单/;
const BETWEEN = new Set<Token["kind"]>(["word", "value", "period", "time", "metric"]);

/** The name that a metric speaks of, looking over what may stand between: "average monthly amount". */
function nounAfter(
  { tokens }: Draft,
  at: number,
): { readonly index: number; readonly between: readonly Token[] } | undefined {
  const index = tokens.findIndex((token, position) => position > at && !BETWEEN.has(token.kind));
  return isName(tokens[index]) ? { index, between: tokens.slice(at + 1, index) } : undefined;
}

/** Reads a token for what it says by itself. */
export function readAside(draft: Draft, token: Token): void {
  switch (token.kind) {
    case "period":
      draft.period ??= token.period;
      break;
    case "time":
      draft.spans.push(token.time);
      break;
    case "value":
      draft.values.push({ values: token.values, negated: false });
      break;
    case "word":
      draft.unused.push(token.text);
      break;
    default:
      break;
  }
}

/** Reads the further nouns of a list: "total amount and quantity". */
function readMoreNouns(draft: Draft, start: number, metric: DraftMetric): number {
  let index = start;
  for (;;) {
    const noun = draft.tokens[index + 1];
    const goesOn = isLink(draft.tokens[index]) && isName(noun) && isOnlyNumeric(noun);
    if (!goesOn || draft.tokens[index + 2]?.kind === "metric") return index;
    draft.metrics.push({ ...metric, noun });
    index += 2;
  }
}

/** The topics that end right before a metric, in the order said: "金额和数量的总计". */
function takeTopicsBefore(draft: Draft, at: number): Noun[] {
  const last = draft.topics.at(-1);
  if (last?.at !== at - 1) return [];
  draft.topics.pop();
  const goesOn = isOnlyNumeric(last) && isLink(draft.tokens[at - 2]);
  return [...(goesOn ? takeTopicsBefore(draft, at - 2) : []), last];
}

/** Reads "total", "average" … with the noun after it or, as Chinese has it, before it. Returns where to read on. */
export function readMetric(draft: Draft, at: number): number {
  const token = draft.tokens[at] as Extract<Token, { kind: "metric" }>;
  const { metric, text } = token;
  const next = draft.tokens[at + 1];
  if (next?.kind === "metric" && next.metric === "count") {
    if (metric === "avg") draft.problem ??= { kind: "beyond", text: `${text} ${next.text}` };
    return at + 1;
  }
  const counts = metric === "count" && THINGS.test(text.toLowerCase());
  const found = nounAfter(draft, at);
  if (found) {
    const noun = draft.tokens[found.index] as NameToken;
    draft.metrics.push({ metric, noun, at, bound: "right", ...(counts && { counts }) });
    for (const between of found.between) readAside(draft, between);
    return readMoreNouns(draft, found.index + 1, { metric, at, bound: "right" });
  }
  // "How many Oslo": of what is not said, and rows need not be it.
  if (counts && next?.kind === "value") draft.problem ??= { kind: "noColumn", text: next.text };
  const words = wordsAt(draft, at + 1);
  if (words.length > 0 && !/\p{Script=Han}/u.test(textOf(words))) {
    draft.problem ??= { kind: "noColumn", text: textOf(words) };
    return at + 1 + words.length;
  }
  const before = takeTopicsBefore(draft, at);
  for (const noun of before) draft.metrics.push({ metric, noun, at, bound: "left" });
  if (before.length === 0) draft.metrics.push({ metric, at });
  return at + 1;
}
