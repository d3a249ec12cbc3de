import { Parser } from "htmlparser2";

/** What is not text, or not of the page. */
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

/**
 * The text of a page as simple Markdown: headings, list items, cells of a row beside each other. The page is parsed by htmlparser2,
 * which takes any damage, decodes entities and is maintained; what its tags mean for a text is decided here.
 */
export function htmlToText(html: string): string {
  let text = "";
  const skipped: string[] = [];
  let preformatted = 0;
  const breakLine = (lines: number): void => {
    const before = text.trimEnd();
    const there = text.slice(before.length).split("\n").length - 1;
    text = before === "" ? "" : before + "\n".repeat(Math.max(lines, Math.min(there, 2)));
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (skipped.length > 0 || SKIPPED.has(name)) return void skipped.push(name);
        if (name === "br") text += "\n";
        if (name === "td" || name === "th") text += text.endsWith("\n") || text === "" ? "" : " | ";
        if (name === "img" && attributes["alt"]) text += attributes["alt"];
        if (name === "pre") preformatted++;
        if (!BLOCKS.has(name)) return;
        breakLine(name === "li" || name === "tr" ? 1 : 2);
        if (name === "li") text += "- ";
        if (/^h[1-6]$/u.test(name)) text += `${"#".repeat(Number(name[1]))} `;
      },
      ontext(data) {
        if (skipped.length > 0) return;
        if (preformatted > 0) return void (text += data);
        const line = data.replaceAll(/\s+/gu, " ");
        text += /(?:^|[\s])$/u.test(text) ? line.trimStart() : line;
      },
      onclosetag(name) {
        if (skipped.length > 0) {
          const at = skipped.lastIndexOf(name);
          return void (at >= 0 && skipped.splice(at));
        }
        if (name === "pre") preformatted = Math.max(0, preformatted - 1);
        if (BLOCKS.has(name)) breakLine(name === "li" || name === "tr" ? 1 : 2);
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return text.trim();
}
