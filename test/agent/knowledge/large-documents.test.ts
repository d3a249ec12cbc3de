// Large and hostile documents take bounded time and memory, and leave the event loop free.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ingest, readDocument, sqliteKnowledge } from "agentchart/knowledge";

const MB = 1_000_000;
const filled = (part: string, bytes = 20 * MB - 2_000): string =>
  part.repeat(Math.floor(bytes / part.length));

function different(part: (nr: number) => string): string {
  const count = Math.floor((20 * MB - 2_000) / part(1_000_000).length);
  return Array.from({ length: count }, (_, nr) => part(nr)).join("");
}

function written(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-large-"));
  writeFileSync(join(folder, name), text);
  return folder;
}

async function ingested(name: string, text: string) {
  const store = sqliteKnowledge({ path: ":memory:" });
  onTestFinished(() => store.close());
  const signal = AbortSignal.timeout(60_000);
  return ingest({ store, path: written(name, text), split: { size: 20_000 }, signal });
}

/** Documents of 20 MB, whose shapes differ in what grows with them. */
const SHAPES: { readonly [shape: string]: readonly [name: string, text: () => string] } = {
  "paragraphs of a page": ["a.html", () => filled("<p>A refund takes five days.</p>\n")],
  "paragraphs that differ": ["a.html", () => different((nr) => `<p>Refund ${nr} takes five days.</p>\n`)],
  "a page without blocks": ["a.html", () => filled("A <b>refund</b> takes five days. ")],
  "a page of line ends": ["a.html", () => `A refund.${filled("<br>\n")}`],
  "cells of a page": ["a.html", () => `<table><tr>${filled("<td>five</td>")}`],
  "a page of entities": ["a.html", () => filled("&amp; five ")],
  "attributes of one element": ["a.html", () => `A refund <a ${filled("x=1 ")}>`],
  "a comment that never ends": ["a.html", () => `A refund <!--${filled("x ")}`],
  "ends of elements that never began": ["a.html", () => `${"<div>".repeat(200)}five${filled("</x>")}`],
  "a page in one line": ["a.html", () => filled("five days ")],
  "a line of words": ["a.txt", () => filled("five days ")],
  "a line of one word": ["a.txt", () => filled("x")],
  "a line of sentence ends": ["a.txt", () => `A${filled("!")}`],
  lines: ["a.txt", () => filled("A refund takes five days.\n")],
  "empty lines": ["a.txt", () => `A refund.${filled("\n")}`],
  "lines of Windows": ["a.txt", () => filled("A refund takes five days.\r\n\r\n")],
  headings: ["a.md", () => filled("# Refunds\n\nFive days.\n\n")],
  "code that never ends": ["a.md", () => `\`\`\`\n${filled("five days\n")}`],
  "front matter that never ends": ["a.md", () => `---\n${filled("five: days\n")}`],
};
const names = Object.keys(SHAPES);
const IN_CI = new Set(["paragraphs of a page", "a line of words", "headings"]);

const cases = process.env["SOAK"] === "1" ? names : names.filter((name) => IN_CI.has(name));
test.each(cases)(
  "20 MB with %s are read in 20 s of a processor at most, and the event loop goes on",
  (shape) => isReadInTime(shape),
);

const msOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** The bounds are in CPU time, which a box that does something else gives later: a quadratic reader needs minutes, and one that blocks
 *  has seconds between two turns of the event loop. */
async function isReadInTime(shape: string): Promise<void> {
  const [name, text] = SHAPES[shape]!;
  const store = sqliteKnowledge({ path: ":memory:" });
  onTestFinished(() => store.close());
  const path = written(name, text());
  let longestMs = 0;
  let turned = process.threadCpuUsage();
  const turn = (): void => {
    longestMs = Math.max(longestMs, msOf(process.threadCpuUsage(turned)));
    turned = process.threadCpuUsage();
  };
  const turns = setInterval(turn, 1);
  const begun = process.cpuUsage();
  const { added, skipped } = await ingest({ store, path, split: { size: 20_000 } });
  const tookMs = msOf(process.cpuUsage(begun));
  clearInterval(turns);
  turn();
  expect(skipped).toEqual([]);
  expect(added).toHaveLength(1);
  expect(tookMs).toBeLessThan(20_000);
  expect(longestMs).toBeLessThan(1_000);
}

test.each([1_000, 100_000])("a page with %i nested elements is left out, with the reason", async (depth) => {
  const { skipped } = await ingested("deep.html", `${"<div>".repeat(depth)}A refund.`);
  expect(skipped).toMatchObject([{ reason: expect.stringContaining("nested more than 256 deep") }]);
});

test("a document that is read ends with `run/aborted` once its signal is aborted", async () => {
  for (const [name, text] of Object.values(SHAPES).slice(0, 1)) {
    const controller = new AbortController();
    const reading = readDocument(name, new TextEncoder().encode(text()), { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(reading).rejects.toMatchObject({ code: "run/aborted" });
  }
});
