// Large and hostile documents take bounded time and memory, and leave the event loop free.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ingest, readDocument, sqliteKnowledge } from "agentchart/knowledge";

const MB = 1_000_000;
/** The size of a document, MB, and of the smaller one that it is compared with. */
const SIZE = 20;
const SMALL = 5;

const bytesOf = (size: number): number => size * MB - 2_000;
const filled = (part: string, size: number): string => part.repeat(Math.floor(bytesOf(size) / part.length));

function different(part: (nr: number) => string, size: number): string {
  const count = Math.floor(bytesOf(size) / part(1_000_000).length);
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

/** Documents, whose shapes differ in what grows with them. */
const SHAPES: { readonly [shape: string]: readonly [name: string, text: (size: number) => string] } = {
  "paragraphs of a page": ["a.html", (size) => filled("<p>A refund takes five days.</p>\n", size)],
  "paragraphs that differ": [
    "a.html",
    (size) => different((nr) => `<p>Refund ${nr} takes five days.</p>\n`, size),
  ],
  "a page without blocks": ["a.html", (size) => filled("A <b>refund</b> takes five days. ", size)],
  "a page of line ends": ["a.html", (size) => `A refund.${filled("<br>\n", size)}`],
  "cells of a page": ["a.html", (size) => `<table><tr>${filled("<td>five</td>", size)}`],
  "a page of entities": ["a.html", (size) => filled("&amp; five ", size)],
  "attributes of one element": ["a.html", (size) => `A refund <a ${filled("x=1 ", size)}>`],
  "a comment that never ends": ["a.html", (size) => `A refund <!--${filled("x ", size)}`],
  "ends of elements that never began": [
    "a.html",
    (size) => `${"<div>".repeat(200)}five${filled("</x>", size)}`,
  ],
  "a page in one line": ["a.html", (size) => filled("five days ", size)],
  "a line of words": ["a.txt", (size) => filled("five days ", size)],
  "a line of one word": ["a.txt", (size) => filled("x", size)],
  "a line of sentence ends": ["a.txt", (size) => `A${filled("!", size)}`],
  lines: ["a.txt", (size) => filled("A refund takes five days.\n", size)],
  "empty lines": ["a.txt", (size) => `A refund.${filled("\n", size)}`],
  "lines of Windows": ["a.txt", (size) => filled("A refund takes five days.\r\n\r\n", size)],
  headings: ["a.md", (size) => filled("# Refunds\n\nFive days.\n\n", size)],
  "code that never ends": ["a.md", (size) => `\`\`\`\n${filled("five days\n", size)}`],
  "front matter that never ends": ["a.md", (size) => `---\n${filled("five: days\n", size)}`],
};
const names = Object.keys(SHAPES);
const IN_CI = new Set(["paragraphs of a page", "a line of words", "headings"]);

const cases = process.env["SOAK"] === "1" ? names : names.filter((name) => IN_CI.has(name));
test.each(cases)("%s take a time that grows with them, and the event loop goes on", async (shape) => {
  const small = await timesOf(shape, SMALL);
  const whole = await timesOf(shape, SIZE);
  expect(whole.tookMs / small.tookMs).toBeLessThan(2.5 * (SIZE / SMALL));
  expect(whole.longestMs / whole.tookMs).toBeLessThan(0.8);
});

const msOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** Reads a document. Returns the CPU time of it, and the longest between two turns of the event loop: a quadratic reader needs sixteen
 *  times as long for four times as much, on any box, and one that blocks has all of it in one turn. */
async function timesOf(
  shape: string,
  size: number,
): Promise<{ readonly tookMs: number; readonly longestMs: number }> {
  const [name, text] = SHAPES[shape]!;
  const store = sqliteKnowledge({ path: ":memory:" });
  onTestFinished(() => store.close());
  const path = written(name, text(size));
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
  return { tookMs, longestMs };
}

test.each([1_000, 100_000])("a page with %i nested elements is left out, with the reason", async (depth) => {
  const { skipped } = await ingested("deep.html", `${"<div>".repeat(depth)}A refund.`);
  expect(skipped).toMatchObject([{ reason: expect.stringContaining("nested more than 256 deep") }]);
});

test("a document that is read ends with `run/aborted` once its signal is aborted", async () => {
  for (const [name, text] of Object.values(SHAPES).slice(0, 1)) {
    const controller = new AbortController();
    const reading = readDocument(name, new TextEncoder().encode(text(SIZE)), { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(reading).rejects.toMatchObject({ code: "run/aborted" });
  }
});
