import assert from "node:assert/strict";
import type { KnowledgeQuery, KnowledgeStore } from "../kit/knowledge/port.ts";
import type { EmbedderInfo } from "../core/model/embedder.ts";
import {
  registerContract,
  withOpened,
  rejectsWith,
  type ContractTests,
  type TestFramework,
} from "./contract.ts";

/** The subject that {@link knowledgeContract} tests. */
export type KnowledgeUnderTest = {
  /** Opens the same, at first empty store; more than once for a store that processes share. */
  open(options: { readonly now: () => number }): KnowledgeStore | Promise<KnowledgeStore>;
  /** Removes what the test has left; called when the stores are closed. */
  dispose?(): Promise<void>;
};

/** Options of {@link knowledgeContract}. */
export type KnowledgeContractOptions = TestFramework;

type Context = {
  readonly store: KnowledgeStore;
  readonly open: () => Promise<KnowledgeStore>;
  readonly clock: { now: number };
};

const FRUITS = ["Apples grow on trees.", "Bananas are yellow.", "A banana has potassium."];
const passages = (texts: readonly string[]) => texts.map((text) => ({ text }));
const byWords = async (store: KnowledgeStore, text: string, limit = 5): Promise<readonly string[]> =>
  (await store.search({ text, limit })).map((found) => found.text);

const COMPASS: EmbedderInfo = { name: "compass", dimensions: 2 };
const vector = (...values: readonly number[]): Float32Array => Float32Array.from(values);
const EAST = { text: "east", vector: vector(2, 0) };
const NORTH = { text: "north", vector: vector(0, 5) };
const near = (...values: readonly number[]): KnowledgeQuery => ({
  text: "",
  limit: 5,
  embedding: { by: COMPASS, vector: vector(...values) },
});

const keeping: ContractTests<Context> = {
  "what was put is found by another handle, with its document and its data": async ({ store, open }) => {
    const [id] = await store.put("faq.md", [{ text: "Tea is “hot” ☕", meta: { page: 3 } }]);
    const [found] = await (await open()).search({ text: "tea", limit: 1 });
    assert.deepEqual(found, {
      id,
      source: "faq.md",
      text: "Tea is “hot” ☕",
      meta: { page: 3 },
      score: found!.score,
    });
  },
  "the same text of a document is kept once, with its newest data, and that of another document too": async ({
    store,
  }) => {
    const first = await store.put("a.md", passages(["tea", "milk", "tea"]));
    const again = await store.put("a.md", [{ text: "tea", meta: { page: 2 } }]);
    assert.equal(first.length, 2);
    assert.deepEqual(again, first.slice(0, 1));
    assert.deepEqual((await store.search({ text: "tea", limit: 5 }))[0]!.meta, { page: 2 });
    await store.put("b.md", passages(["tea"]));
    assert.equal((await byWords(store, "tea")).length, 2);
  },
  "a document is unfinished until it is finished, and then has these passages and no others": async ({
    store,
    clock,
  }) => {
    clock.now = 5_000;
    const ids = await store.put("a.md", passages(FRUITS));
    assert.deepEqual(await store.find("a.md"), {
      source: "a.md",
      hash: undefined,
      passages: 3,
      at: 5_000,
      ids,
    });
    clock.now = 6_000;
    await store.finish({ source: "a.md", hash: "v1" }, ids.slice(1));
    const expected = { source: "a.md", hash: "v1", passages: 2, at: 6_000 };
    assert.deepEqual(await store.find("a.md"), { ...expected, ids: ids.slice(1) });
    assert.deepEqual((await store.documents()).documents, [expected]);
    assert.deepEqual(await byWords(store, "apples"), []);
    await store.put("a.md", passages(["Cherries."]));
    assert.equal((await store.find("a.md"))!.hash, undefined);
    assert.equal(await store.find("b.md"), undefined);
  },
  "a document without passages is a document": async ({ store }) => {
    await store.finish({ source: "empty.md", hash: "v1" }, []);
    assert.deepEqual((await store.find("empty.md"))!.ids, []);
  },
  "pages are in the order of their sources, and together all documents": async ({ store }) => {
    for (const source of ["b", "ä", "a", "B"]) await store.put(source, passages([source]));
    const first = await store.documents({ limit: 3 });
    const second = await store.documents({ limit: 3, cursor: first.cursor! });
    const sources = [first, second].map(({ documents }) => documents.map(({ source }) => source));
    assert.deepEqual(sources, [["B", "a", "b"], ["ä"]]);
    assert.deepEqual(await store.documents({ limit: 0 }), { documents: [] });
    assert.equal(second.cursor, undefined);
  },
  "a document is removed, and all of them": async ({ store }) => {
    await store.put("a.md", passages(FRUITS));
    await store.put("b.md", passages(["Bananas again."]));
    assert.equal(await store.remove("none.md"), 0);
    assert.equal(await store.remove("a.md"), 3);
    assert.deepEqual(await byWords(store, "banana"), ["Bananas again."]);
    assert.equal(await store.remove(), 1);
    assert.deepEqual((await store.documents()).documents, []);
    assert.deepEqual(await byWords(store, "banana"), []);
  },
  "texts of any characters are kept, without zero characters": async ({ store }) => {
    await store.put(`it's "a" %_ 'source'`, [{ text: "a\0b \ud800 'x' $1 ? 绿茶" }]);
    assert.deepEqual(await byWords(store, "x"), ["ab \ufffd 'x' $1 ? 绿茶"]);
  },
  "what no store can keep is refused": async ({ store }) => {
    for (const source of ["", "a\0", "\ud800"]) {
      await rejectsWith(store.put(source, passages(["x"])), "config/invalid");
      await rejectsWith(store.finish({ source, hash: "v1" }, []), "config/invalid");
      await rejectsWith(store.find(source), "config/invalid");
      await rejectsWith(store.remove(source), "config/invalid");
    }
    await rejectsWith(store.put("a", passages(["x", " "])), "config/invalid");
    await rejectsWith(store.put("a", passages(["x".repeat(20_001)])), "config/invalid");
    await rejectsWith(store.search({ text: "x", limit: 0 }), "config/invalid");
    assert.deepEqual((await store.documents()).documents, []);
  },
};

const words: ContractTests<Context> = {
  "the passage that has most of the query is first, whatever its endings are, and one without its words is not found":
    async ({ store }) => {
      await store.put("a.md", passages(FRUITS));
      assert.deepEqual(await byWords(store, "Is a BANANA yellow?"), [FRUITS[1], FRUITS[2]]);
      assert.deepEqual(await byWords(store, "growing apple tree"), [FRUITS[0]]);
      assert.deepEqual([await byWords(store, "cherry"), await byWords(store, "")], [[], []]);
      assert.equal((await byWords(store, "bananas", 1)).length, 1);
      const [all, part] = await store.search({ text: "yellow bananas", limit: 5 });
      assert.ok(all!.score > part!.score && part!.score > 0 && all!.score <= 1);
      const [less] = await store.search({ text: "yellow submarine", limit: 1 });
      assert.ok(less!.score < 0.8, "a word that stands nowhere is missing in every passage");
    },
  "Chinese words of one and two characters are found, Japanese ones, and accents do not matter": async ({
    store,
  }) => {
    await store.put(
      "a.md",
      passages(["用户喜欢喝绿茶", "用户住在奥斯陆", "東京タワーは高い", "Café Zürich"]),
    );
    assert.deepEqual(await byWords(store, "绿茶"), ["用户喜欢喝绿茶"]);
    assert.deepEqual(await byWords(store, "茶"), ["用户喜欢喝绿茶"]);
    assert.deepEqual(await byWords(store, "奥斯陆在哪里？"), ["用户住在奥斯陆"]);
    assert.deepEqual(await byWords(store, "タワー"), ["東京タワーは高い"]);
    assert.deepEqual(await byWords(store, "cafe zurich"), ["Café Zürich"]);
  },
  "operators of query languages are words": async ({ store }) => {
    await store.put("a.md", passages(["apples OR bananas", "near the tree"]));
    for (const text of [`"`, "'", "apples AND NOT (", "NEAR(tree", "a:* | b & !c", "terms:", "\0", "%"])
      await store.search({ text, limit: 5 });
    assert.deepEqual(await byWords(store, `NEAR("tree`), ["near the tree"]);
  },
};

const vectors: ContractTests<Context> = {
  "passages are found by their vectors, whatever their lengths are, the most similar first": async ({
    store,
    open,
  }) => {
    await store.put("a", [EAST, NORTH, { text: "west", vector: vector(-1, 0) }], { embedder: COMPASS });
    const found = await store.search(near(3, 1));
    assert.deepEqual(
      found.map(({ text }) => text),
      ["east", "north"],
    );
    assert.ok(Math.abs(found[0]!.score - 3 / Math.sqrt(10)) < 1e-5);
    const other = await open();
    assert.equal((await other.search(near(0, 1)))[0]!.text, "north");
    await store.put("b", [{ text: "north-east", vector: vector(1, 1) }], { embedder: COMPASS });
    assert.equal((await other.search(near(1, 1)))[0]!.text, "north-east");
    await store.remove("b");
    assert.equal((await other.search(near(1, 1))).length, 2);
  },
  "words and vectors are merged: what both find is before what one finds": async ({ store }) => {
    await store.put(
      "a",
      [
        { text: "up north", vector: vector(1, 2) },
        { text: "north", vector: vector(-1, 0) },
        { text: "pole", vector: vector(0, 1) },
      ],
      { embedder: COMPASS },
    );
    const texts = async (query: KnowledgeQuery) => (await store.search(query)).map(({ text }) => text);
    assert.deepEqual((await texts({ ...near(0, 1), text: "north" }))[0], "up north");
    assert.deepEqual((await texts({ ...near(0, 1), text: "north" })).toSorted(), [
      "north",
      "pole",
      "up north",
    ]);
    assert.deepEqual((await texts({ text: "north", limit: 5 })).toSorted(), ["north", "up north"]);
  },
  "vectors of another length, of another embedder and of none are refused, until the store is empty": async ({
    store,
  }) => {
    await store.put("a", [EAST], { embedder: COMPASS });
    const other = { name: "other", dimensions: 2 };
    const refused = [
      () => store.put("b", [{ text: "x", vector: vector(1, 2, 3) }], { embedder: COMPASS }),
      () => store.put("b", [{ text: "x", vector: vector(Number.NaN, 1) }], { embedder: COMPASS }),
      () => store.put("b", [EAST], { embedder: other }),
      () => store.put("b", [], { embedder: other }),
      () => store.put("b", [{ text: "x" }]),
      () => store.put("b", [EAST]),
      () => store.put("b", [{ text: "x" }], { embedder: COMPASS }),
      () => store.search({ ...near(1, 0), embedding: { by: other, vector: vector(1, 0) } }),
      () => store.search(near(1, 0, 0)),
    ];
    for (const attempt of refused) await rejectsWith(attempt(), "config/invalid");
    assert.equal(await store.find("b"), undefined);
    assert.equal((await store.search(near(1, 0)))[0]!.text, "east");
    await store.remove();
    assert.deepEqual(await store.search(near(1, 0)), []);
    await store.put("b", passages(["x"]));
    await rejectsWith(store.search(near(1, 0)), "config/invalid");
  },
  "passages that are put at once by two handles are all there": async ({ store, open }) => {
    const handles = [store, await open()];
    const put = async (n: number) =>
      handles[n % 2]!.put(`doc ${n}`, [{ text: `text ${n}`, vector: vector(n, 1) }], { embedder: COMPASS });
    await Promise.all(Array.from({ length: 10 }, (_, n) => put(n)));
    assert.equal((await store.documents()).documents.length, 10);
    assert.equal((await store.search({ ...near(1, 1), limit: 20 })).length, 10);
  },
};

/**
 * Registers the tests that every store of knowledge must pass, in a group called `name`, with the test functions of the caller's
 * framework. `make` is called once per test.
 *
 * @example
 * ```ts
 * import { describe, test } from "node:test";
 * import { memoryKnowledge } from "agentchart/knowledge";
 * import { knowledgeContract } from "agentchart/testing";
 *
 * function make() {
 *   let shared: ReturnType<typeof memoryKnowledge> | undefined;
 *   return { open: (options: Parameters<typeof memoryKnowledge>[0]) => (shared ??= memoryKnowledge(options)) };
 * }
 * knowledgeContract("my knowledge", make, { describe, test });
 * ```
 */
export function knowledgeContract(
  name: string,
  make: () => KnowledgeUnderTest | Promise<KnowledgeUnderTest>,
  framework: KnowledgeContractOptions,
): void {
  const run = (body: ContractTests<Context>[string]): Promise<void> => {
    const clock = { now: 1_000 };
    return withOpened(
      make,
      (tested) => tested.open({ now: () => clock.now }),
      (store, open) => body({ store, open, clock }),
    );
  };
  registerContract(name, { keeping, words, vectors }, run, framework);
}
