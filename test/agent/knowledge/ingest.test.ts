// Ingestion of folders into a store of knowledge: kinds of files, changes, and failures.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Embedder } from "agentchart";
import {
  ingest,
  memoryKnowledge,
  readDocument,
  type IngestOptions,
  type IngestProgress,
  type KnowledgeStore,
} from "agentchart/knowledge";
import { hashingEmbedder } from "agentchart/testing";
import { pdfOf } from "./pdf.ts";

type Files = { readonly [path: string]: string | Uint8Array };

function folderOf(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), "agentchart-ingest-"));
  const dir = join(root, "manuals");
  mkdirSync(dir);
  write(dir, files);
  return dir;
}
function write(dir: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}
function opened(): KnowledgeStore {
  const store = memoryKnowledge();
  onTestFinished(() => store.close());
  return store;
}
/** Counts the texts that are embedded; after `failAfter` texts it fails. */
function counting(failAfter = Number.POSITIVE_INFINITY) {
  const embedder = hashingEmbedder(32);
  const embedded: string[] = [];
  const embed: Embedder["embed"] = async (texts, options) => {
    if (embedded.length + texts.length > failAfter) throw new Error("killed");
    embedded.push(...texts);
    return embedder.embed(texts, options);
  };
  return { embedder: { ...embedder, embed }, embedded };
}
const allOf = async (store: KnowledgeStore) =>
  Promise.all((await store.documents()).documents.map(({ source }) => store.find(source)));
const found = async (store: KnowledgeStore, text: string) => (await store.search({ text, limit: 1 }))[0];

const FILES = {
  "faq.md": "# FAQ\n\n## Refunds\n\nA refund takes five days.",
  "notes/store.txt": "The store opens at nine.",
  "page.html": "<title>x</title><h1>Shipping</h1><p>Free above 50&nbsp;euros.</p><script>alert(1)</script>",
  "report.pdf": pdfOf(["Revenue grew by ten percent.", "Costs fell in the autumn."]),
  ".hidden.md": "Hidden.",
  "node_modules/x/readme.md": "A package.",
  "image.png": "no text",
};

describe("ingest", () => {
  test("reads text, Markdown, HTML and PDF of a folder and the folders in it", async () => {
    const store = opened();
    const result = await ingest({ store, path: folderOf(FILES) });
    expect(result).toEqual({
      added: ["manuals/faq.md", "manuals/notes/store.txt", "manuals/page.html", "manuals/report.pdf"],
      unchanged: 0,
      removed: [],
      skipped: [],
      passages: 5,
    });
    expect(await found(store, "refund")).toMatchObject({
      source: "manuals/faq.md",
      text: "FAQ › Refunds\n\nA refund takes five days.",
    });
    expect(await found(store, "shipping euros")).toMatchObject({ text: "Shipping\n\nFree above 50 euros." });
    expect(await found(store, "costs autumn")).toMatchObject({
      source: "manuals/report.pdf",
      meta: { page: 2 },
    });
    for (const text of ["alert", "hidden", "package"]) expect(await found(store, text)).toBeUndefined();
  });

  test("a second time changes nothing and embeds nothing", async () => {
    const [store, { embedder, embedded }] = [opened(), counting()];
    const path = folderOf(FILES);
    await ingest({ store, path, embed: embedder });
    const before = await allOf(store);
    const again = await ingest({ store, path, embed: embedder });
    expect(again).toMatchObject({ added: [], unchanged: 4, passages: 0 });
    expect(await allOf(store)).toEqual(before);
    expect(embedded).toHaveLength(5);
  });

  test("of a changed file the passages that are new are added, and those that are gone removed", async () => {
    const [store, { embedder, embedded }] = [opened(), counting()];
    const path = folderOf({ "a.md": "# A\n\nOne.\n\n# B\n\nTwo." });
    await ingest({ store, path, embed: embedder });
    write(path, { "a.md": "# A\n\nOne.\n\n# C\n\nThree." });
    expect(await ingest({ store, path, embed: embedder })).toMatchObject({
      added: ["manuals/a.md"],
      passages: 1,
    });
    expect(embedded).toEqual(["A\n\nOne.", "B\n\nTwo.", "C\n\nThree."]);
    expect((await store.find("manuals/a.md"))!.passages).toBe(2);
    expect(await found(store, "two")).toBeUndefined();
  });

  test("other sizes split the documents again", async () => {
    const store = opened();
    const path = folderOf({
      "a.txt": Array.from({ length: 60 }, (_, n) => `Sentence ${n} of some words. `).join(""),
    });
    const { passages } = await ingest({ store, path });
    const again = await ingest({ store, path, split: { size: 200, overlap: 0 } });
    expect(again.passages).toBeGreaterThan(passages);
    expect((await store.find("manuals/a.txt"))!.passages).toBe(again.passages);
  });

  test("one that failed goes on with what is missing", async () => {
    const store = opened();
    const text = Array.from({ length: 300 }, (_, n) => `# H${n}\n\nFact number ${n}.`).join("\n");
    const path = folderOf({ "long.md": text });
    const failing = counting(150);
    await expect(ingest({ store, path, embed: failing.embedder })).rejects.toThrow("killed");
    expect(await store.find("manuals/long.md")).toMatchObject({ passages: 128, hash: undefined });
    const rest = counting();
    expect(await ingest({ store, path, embed: rest.embedder })).toMatchObject({ passages: 172 });
    expect(new Set([...failing.embedded, ...rest.embedded]).size).toBe(300);
    expect(rest.embedded).toHaveLength(172);
  });

  test("damaged, empty, foreign and large files and links out of the folder are named and left out", async () => {
    const store = opened();
    const outside = folderOf({ "secret.txt": "the secret" });
    const path = folderOf({
      "a.md": "Text.",
      "broken.pdf": pdfOf(["Revenue."]).subarray(0, 60),
      "empty.md": "\n",
      "latin1.txt": Buffer.from("caf\xe9", "latin1"),
      "no.pdf": "This is not a PDF.",
      "large.txt": "x",
    });
    truncateSync(join(path, "large.txt"), 100_000_000);
    symlinkSync(join(outside, "secret.txt"), join(path, "link.txt"));
    symlinkSync(outside, join(path, "linked"));
    symlinkSync(join(path, "a.md"), join(path, "same.md"));
    const { added, skipped } = await ingest({ store, path });
    expect(added).toEqual(["manuals/a.md"]);
    const reasons = Object.fromEntries(skipped.map(({ source, reason }) => [source, reason]));
    expect(reasons).toEqual({
      "manuals/broken.pdf": expect.stringContaining("manuals/broken.pdf cannot be read"),
      "manuals/empty.md": expect.stringContaining("it has no text"),
      "manuals/large.txt": "it has 100.0 MB, and at most 20.0 MB are read",
      "manuals/latin1.txt": expect.stringContaining("not UTF-8"),
      "manuals/link.txt": "it is a link out of the folder",
      "manuals/linked": "it is a link out of the folder",
      "manuals/no.pdf": expect.stringContaining("manuals/no.pdf cannot be read"),
    });
    expect(await found(store, "secret")).toBeUndefined();
  });

  test("documents whose files are gone are removed on request, those of other folders never", async () => {
    const store = opened();
    await store.put("other/a.md", [{ text: "Other." }]);
    const path = folderOf({ "a.md": "One.", "b.md": "Two." });
    await ingest({ store, path });
    rmSync(join(path, "a.md"));
    expect((await ingest({ store, path })).removed).toEqual([]);
    expect((await ingest({ store, path, prune: true })).removed).toEqual(["manuals/a.md"]);
    rmSync(join(path, "b.md"));
    await ingest({ store, path, prune: true });
    expect((await store.documents()).documents.map(({ source }) => source)).toEqual(["other/a.md"]);
  });

  test("a file alone, progress, an abort", async () => {
    const store = opened();
    const path = folderOf({ "a.md": "One.", "b.md": "Two." });
    expect((await ingest({ store, path: join(path, "a.md") })).added).toEqual(["a.md"]);
    const seen: IngestProgress[] = [];
    await ingest({ store, path, onProgress: (progress) => seen.push(progress) });
    expect(seen[0]).toEqual({ source: "manuals/a.md", done: 0, total: 2, passages: 0 });
    expect(seen.at(-1)).toEqual({ source: "manuals", done: 2, total: 2, passages: 2 });
    const aborted = ingest({ store, path, signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: "run/aborted" });
  });

  test("another embedder, none, and a path without a file are refused", async () => {
    const store = opened();
    const path = folderOf({ "a.md": "One." });
    await ingest({ store, path, embed: hashingEmbedder(32) });
    const invalid = { code: "config/invalid" };
    const attempts: readonly Partial<IngestOptions>[] = [
      { embed: hashingEmbedder(16) },
      {},
      { path: `${path}.none` },
    ];
    for (const more of attempts)
      await expect(ingest({ store, path, ...more })).rejects.toMatchObject(invalid);
    expect((await store.find("manuals/a.md"))!.passages).toBe(1);
  });
});

describe("readDocument", () => {
  const textOf = async (name: string, content: string) =>
    (await readDocument(name, new TextEncoder().encode(content))).parts[0]!.text;

  test("makes Markdown of HTML", async () => {
    const html = `<!doctype html><head><style>p{}</style></head><body><nav>Home</nav><h2>A &amp; B</h2>
      <p>One <b>bold</b>   word<br>next</p><ul><li>first<li>second</ul>
      <table><tr><th>Name<th>Price</tr><tr><td>Tea<td>3</table><pre>a\n  b</pre><img alt="A map"><p>&#x7eff;茶 &lt;x>`;
    expect(await textOf("a.HTML", html)).toBe(
      "Home\n\n## A & B\n\nOne bold word\nnext\n\n- first\n- second\n\nName | Price\nTea | 3\n\na\n  b\n\nA map\n\n绿茶 <x>",
    );
    await expect(textOf("b.html", "<script>1</script>")).rejects.toThrow("it has no text");
  });

  test("leaves the front matter of Markdown out", async () => {
    expect(await textOf("a.md", "---\ntitle: x\n---\nText.")).toBe("Text.");
  });

  test("refuses other kinds of files", async () => {
    await expect(textOf("a.docx", "x")).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringMatching(/a\.docx cannot be read: expected one of \.txt/) as string,
    });
  });
});
