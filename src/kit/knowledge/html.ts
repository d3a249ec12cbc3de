import { Parser } from "htmlparser2";
import type { Pauses } from "./pauses.ts";

/** The elements that are not text, or not of the page. */
const SKIPPED = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
  "head",
  "title",
]);
const BLOCKS = new Set(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul".split(
    " ",
  ),
);

/** The maximum depth of nested elements: a parser looks through all open ones for each that ends. */
const MAX_DEPTH = 256;
/** The number of characters that are parsed between two looks at the time. */
const CHUNK = 16_384;

/** The number of blocks that are joined at once. */
const JOINED = 1_000;

/** A text that is written from its beginning to its end, in time that grows with its length only. */
class Writer {
  /** The finished text: blocks without white space at their ends, each with the line ends before it. Many are joined at once, so that the
   *  end of a long page is not work for all of it. */
  readonly #done: string[] = [];
  readonly #joined: string[] = [];
  /** The line ends behind what is finished. */
  #gap = 0;
  #open: string[] = [];
  #last = "";

  /** True at the beginning, and behind white space. */
  get isSpaced(): boolean {
    return this.#last === "" || /\s/u.test(this.#last);
  }

  /** True at the beginning of a line. */
  get isLineStart(): boolean {
    return this.#last === "" || this.#last === "\n";
  }

  add(text: string): void {
    if (text === "") return;
    this.#open.push(text);
    this.#last = text.at(-1)!;
  }

  /** Ends a block: at least so many line ends follow, and at most two, without other white space. */
  end(lines: number): void {
    const text = this.#open.join("");
    const block = text.trimEnd();
    const there = text.slice(block.length).split("\n").length - 1;
    const before = block === "" ? this.#gap : 0;
    if (block !== "") this.#done.push("\n".repeat(this.#gap) + block);
    if (this.#done.length >= JOINED) this.#joined.push(this.#done.splice(0).join(""));
    this.#gap =
      this.#done.length + this.#joined.length === 0 ? 0 : Math.max(lines, Math.min(before + there, 2));
    this.#open = [];
    this.#last = this.#gap > 0 ? "\n" : "";
  }

  toString(): string {
    this.end(0);
    return [...this.#joined, ...this.#done].join("").trim();
  }
}

/**
 * The text of a page as simple Markdown: headings, list items, cells of a row beside each other. The page is parsed by htmlparser2,
 * which takes any damage, decodes entities and is maintained; what its tags mean for a text is decided here. Throws an error for a page
 * whose elements are nested too deep.
 */
export async function htmlToText(html: string, pauses: Pauses): Promise<string> {
  const text = new Writer();
  const skipped: string[] = [];
  let [preformatted, depth] = [0, 0];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw new Error(`its elements are nested more than ${MAX_DEPTH} deep`);
        if (skipped.length > 0 || SKIPPED.has(name)) return void skipped.push(name);
        if (name === "br") text.add("\n");
        if ((name === "td" || name === "th") && !text.isLineStart) text.add(" | ");
        if (name === "img") text.add(attributes["alt"] ?? "");
        if (name === "pre") preformatted++;
        if (!BLOCKS.has(name)) return;
        text.end(name === "li" || name === "tr" ? 1 : 2);
        if (name === "li") text.add("- ");
        if (/^h[1-6]$/u.test(name)) text.add(`${"#".repeat(Number(name[1]))} `);
      },
      ontext(data) {
        if (skipped.length > 0) return;
        if (preformatted > 0) return text.add(data);
        const line = data.replaceAll(/\s+/gu, " ");
        text.add(text.isSpaced ? line.trimStart() : line);
      },
      onclosetag(name) {
        depth--;
        if (skipped.length > 0) {
          const at = skipped.lastIndexOf(name);
          return void (at >= 0 && skipped.splice(at));
        }
        if (name === "pre") preformatted = Math.max(0, preformatted - 1);
        if (BLOCKS.has(name)) text.end(name === "li" || name === "tr" ? 1 : 2);
      },
    },
    { decodeEntities: true },
  );
  for (let from = 0; from < html.length; from += CHUNK) {
    parser.write(html.slice(from, from + CHUNK));
    await pauses.pause();
  }
  parser.end();
  return text.toString();
}
