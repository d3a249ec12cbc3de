import type { Conversation } from "./conversation.ts";
import type { Language } from "./language.ts";
import type { WantedCall } from "./tool-runs.ts";
import { wordsFor } from "./words.ts";

/** What the stand-in does with documents: it looks for the question, and quotes what fits best, each quote with its source. */
export type FromDocuments = {
  readonly say: string;
  readonly calls: readonly WantedCall[];
  /** False if the documents do not answer the question. */
  readonly isFound: boolean;
};

export const RETRIEVE = "retrieve_knowledge";

type Passage = { readonly source: string; readonly text: string };
type Quote = { readonly text: string; readonly source: string; readonly share: number };

const MOST_QUOTES = 3;
/** A sentence that has less of the question's words does not answer it. */
const LEAST_SHARE = 0.3;

const SMALL_WORDS = new Set(
  "a an and are at can do does for from has have how i in is it its long many me much must my of on or that the there these this to was what when where which who why will with you your".split(
    " ",
  ),
);
/** The end of a line in the middle of a paragraph. */
const WRAPPED = /\n(?![\n|#>*-]|\d+\.)/gu;
const SMALL_CHARACTERS = /[的了吗呢么是有多少几什怎哪谁为在和与要请我你它]/gu;

/** The words of a text that say something, without endings; of Chinese each two neighbours. */
function wordsOf(text: string): readonly string[] {
  const runs = text.toLowerCase().match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? [];
  return runs.flatMap((run) => {
    if (!/^\p{Script=Han}/u.test(run))
      return SMALL_WORDS.has(run) ? [] : [run.replace(/(?<=\p{L}{3})(?:es|s|ed|ing)$/u, "")];
    return run
      .split(SMALL_CHARACTERS)
      .flatMap((part) =>
        part.length < 2 ? [part] : Array.from(part.slice(1), (character, at) => part[at]! + character),
      )
      .filter((word) => word !== "");
  });
}

/** The passages of a result of the tool. */
function passagesOf(result: string): readonly Passage[] {
  return result
    .split(/^Document \d+ \(Score: [\d.]+\):\n/mu)
    .slice(1)
    .flatMap((block) => {
      const [, source, text] = /^Source: (.+)\n([^]*)$/u.exec(block.trim()) ?? [];
      return source === undefined ? [] : [{ source, text: text! }];
    });
}

/** The best sentences of the passages, each once. A line of Markdown counts as a sentence; what stands above it counts with it. */
function quotesFor(question: string, passages: readonly Passage[]): readonly Quote[] {
  const asked = new Set(wordsOf(question));
  const quotes = passages.flatMap(({ source, text }) => {
    const [head = "", ...rest] = text.split("\n\n");
    const above = rest.length > 0 ? wordsOf(head) : [];
    const body = (rest.length > 0 ? rest.join("\n") : head).replaceAll(WRAPPED, " ");
    const sentences =
      body.match(/[^\n.!?。！？]+(?:[.!?。！？]+(?!\S)|[。！？]+|\.(?=\S)[^\n。！？]*|$)?/gmu) ?? [];
    return sentences.map((sentence): Quote => {
      const having = new Set([...above, ...wordsOf(`${source} ${sentence}`)]);
      const found = [...asked].filter((word) => having.has(word)).length;
      const own = wordsOf(sentence).some((word) => asked.has(word)) ? 0.001 : 0;
      const share = asked.size === 0 ? 0 : found / asked.size + own;
      return { text: sentence.replace(/^[\s#>*|-]+/u, "").trim(), source, share };
    });
  });
  const best = quotes
    .filter(({ text, share }) => text.length > 2 && share >= LEAST_SHARE)
    .toSorted((a, b) => b.share - a.share);
  const isNew = ({ text }: Quote, index: number): boolean =>
    best.findIndex((each) => each.text === text) === index;
  return best
    .filter(isNew)
    .filter(({ share }) => share >= best[0]!.share * 0.75)
    .slice(0, MOST_QUOTES);
}

/** The next step of an answer from documents. */
export function answerFromDocuments({ question, steps }: Conversation, language: Language): FromDocuments {
  const words = wordsFor(language);
  const looked = steps.findLast(({ tool }) => tool === RETRIEVE);
  if (!looked)
    return { say: words.lookUp, calls: [{ tool: RETRIEVE, input: { query: question } }], isFound: false };
  const text = looked.error ?? ""; // its result is text and no JSON
  if (text.startsWith("Error:"))
    return { say: words.failed(words.what.lookUp, text.slice(6).trim()), calls: [], isFound: true };
  const quotes = quotesFor(question, passagesOf(text));
  if (quotes.length === 0) return { say: words.notInDocuments, calls: [], isFound: false };
  return {
    say: quotes.map((quote) => `${quote.text} [${quote.source}]`).join("\n"),
    calls: [],
    isFound: true,
  };
}
