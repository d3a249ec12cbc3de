// Ingestion gives way to other work, and leaves the same passages however it is cut.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ingest, sqliteKnowledge, type KnowledgeStore } from "agentchart/knowledge";

/** A store that notes how many characters each put brings. */
function noting(): { readonly store: KnowledgeStore; readonly puts: number[] } {
  const store = sqliteKnowledge({ path: ":memory:" });
  onTestFinished(() => store.close());
  const puts: number[] = [];
  const put: KnowledgeStore["put"] = (source, passages, options) => {
    puts.push(passages.reduce((sum, { text }) => sum + text.length, 0));
    return store.put(source, passages, options);
  };
  return { store: { ...store, put }, puts };
}

function written(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-pauses-"));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const numbered = (count: number, text: (nr: number) => string): string =>
  Array.from({ length: count }, (_, nr) => text(nr)).join("");

test.each([
  ["short", 1_000],
  ["long", 20_000],
])("a store is given %s passages in parts that it indexes soon", async (_, size) => {
  const { store, puts } = noting();
  const path = written(
    "a.txt",
    numbered(30_000, (nr) => `Refund ${nr} takes five days.\n`),
  );
  const { passages } = await ingest({ store, path, split: { size } });
  expect(passages).toBeGreaterThan(30);
  expect(Math.max(...puts)).toBeLessThanOrEqual(Math.max(size, 16_000));
});

test("a document of Windows has the passages of the same one of Unix", async () => {
  const text = numbered(40_000, (nr) => `Refund ${nr} takes five days.\n${nr % 7 === 0 ? "\n" : ""}`);
  const idsOf = async (path: string) => {
    const store = sqliteKnowledge({ path: ":memory:" });
    onTestFinished(() => store.close());
    await ingest({ store, path });
    return (await store.find("a.txt"))!.ids;
  };
  const [unix, windows] = [written("a.txt", text), written("a.txt", text.replaceAll("\n", "\r\n"))];
  expect(await idsOf(windows)).toEqual(await idsOf(unix));
});

test("passages that a document has no longer are removed, also those behind many others", async () => {
  const store = sqliteKnowledge({ path: ":memory:" });
  onTestFinished(() => store.close());
  const passages = Array.from({ length: 2_500 }, (_, nr) => ({ text: `Refund ${nr}.` }));
  const ids = await store.put("a.txt", passages);
  await store.put("b.txt", passages);
  const kept = ids.filter((_, nr) => nr % 1_000 !== 999);
  await store.finish({ source: "a.txt", hash: "h" }, kept);
  expect((await store.find("a.txt"))!.ids).toEqual(kept);
  expect((await store.find("b.txt"))!.ids).toHaveLength(2_500);
  await store.finish({ source: "a.txt", hash: "h" }, []);
  expect((await store.find("a.txt"))!.ids).toEqual([]);
});
