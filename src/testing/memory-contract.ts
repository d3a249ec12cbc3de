import assert from "node:assert/strict";
import type { MemoryStore } from "../kit/memory/port.ts";
import type { EmbedderInfo } from "../core/model/embedder.ts";
import {
  registerContract,
  withOpened,
  rejectsWith,
  type ContractTests,
  type TestFramework,
} from "./contract.ts";

/** The subject that {@link memoryContract} tests. */
export type MemoryUnderTest = {
  /** Opens the same, at first empty memory; more than once for a memory that processes share. */
  open(options: {
    readonly maxPerScope: number;
    readonly now: () => number;
  }): MemoryStore | Promise<MemoryStore>;
  /** Removes what the test has left; called when the stores are closed. */
  dispose?(): Promise<void>;
};

/** Options of {@link memoryContract}. */
export type MemoryContractOptions = TestFramework & {
  /** Whether the store keeps vectors and searches with them; default false. */
  readonly vectors?: boolean | undefined;
};

type Context = {
  readonly memory: MemoryStore;
  readonly open: () => Promise<MemoryStore>;
  readonly clock: { now: number };
};

const textsOf = async (memory: MemoryStore, scope = "acme/ada"): Promise<readonly string[]> =>
  (await memory.list(scope)).memories.map(({ text }) => text);
const found = async (memory: MemoryStore, text: string, limit = 5): Promise<readonly string[]> =>
  (await memory.search("acme/ada", { text, limit })).map((each) => each.text);

const keeping: ContractTests<Context> = {
  "what was put is found by another handle, with its time and its data": async ({ memory, open, clock }) => {
    clock.now = 5_000;
    const [id] = await memory.put("acme/ada", [{ text: "Ada likes tea ☕", meta: { from: { session: 1 } } }]);
    const other = await open();
    assert.deepEqual(await other.list("acme/ada"), {
      memories: [{ id, text: "Ada likes tea ☕", at: 5_000, meta: { from: { session: 1 } } }],
    });
  },
  "a text of any characters is kept, without zero characters, and cut off where it is too long": async ({
    memory,
  }) => {
    await memory.put("acme/ada", [{ text: "a\0b \ud800 'x' \"y\" $1 ?" }]);
    assert.deepEqual(await textsOf(memory), ["ab \ufffd 'x' \"y\" $1 ?"]);
    await memory.put("acme/bob", [{ text: "z".repeat(100_000) }]);
    assert.equal((await textsOf(memory, "acme/bob"))[0]!.length, 8_000);
  },
  "the same text is kept once, as new as it was put last": async ({ memory, clock }) => {
    await memory.put("acme/ada", [{ text: "tea" }, { text: "milk" }, { text: "tea" }]);
    clock.now += 10;
    await memory.put("acme/ada", [{ text: "tea", meta: { again: true } }]);
    assert.deepEqual(await textsOf(memory), ["tea", "milk"]);
    assert.deepEqual((await memory.list("acme/ada")).memories[0]!.meta, { again: true });
  },
  "a batch is put once, whatever its name": async ({ memory }) => {
    for (const batch of ["s\u0000 1", "s\u0001 1"]) {
      const [id] = await memory.put("acme/eve", [{ text: batch.at(1) === "\u0000" ? "tea" : "milk" }], {
        batch,
      });
      assert.deepEqual(await memory.put("acme/eve", [{ text: "other" }], { batch }), [id]);
    }
    const first = await memory.put("acme/ada", [{ text: "tea" }, { text: "milk" }], { batch: "turn 1" });
    const again = await memory.put("acme/ada", [{ text: "Ada drinks tea" }], { batch: "turn 1" });
    assert.deepEqual(new Set(again), new Set(first));
    assert.equal((await textsOf(memory)).length, 2);
    await memory.put("acme/bob", [{ text: "coffee" }], { batch: "turn 1" });
    assert.deepEqual(await textsOf(memory, "acme/bob"), ["coffee"]);
  },
  "a batch that several put at once is put once, and other batches beside it": async ({ memory, open }) => {
    const handles = [memory, await open(), await open()];
    const put = (batch: string) =>
      Promise.all(
        handles.map((handle, n) =>
          handle.put("acme/ada", [{ text: `fact ${n} of ${batch}` }, { text: "tea" }], { batch }),
        ),
      );
    const [first, ...others] = (await put("turn 1")).map((ids) => ids.toSorted());
    assert.deepEqual(others, [first, first]);
    assert.equal((await textsOf(memory)).length, 2);
    await Promise.all([put("turn 2"), put("turn 3")]);
    assert.equal((await textsOf(memory)).length, 4);
  },
  "a memory that has expired is neither found nor listed, and can be put again": async ({
    memory,
    clock,
  }) => {
    await memory.put("acme/ada", [{ text: "in Oslo today", expiresAt: clock.now + 10 }, { text: "Oslo" }]);
    assert.equal((await found(memory, "Oslo")).length, 2);
    clock.now += 10;
    assert.deepEqual([await found(memory, "Oslo"), await textsOf(memory)], [["Oslo"], ["Oslo"]]);
    await memory.put("acme/ada", [{ text: "in Oslo today" }]);
    assert.deepEqual(await textsOf(memory), ["in Oslo today", "Oslo"]);
  },
  "the oldest memories above the bound of a scope are dropped, those of other scopes stay": async ({
    memory,
    clock,
  }) => {
    await memory.put("acme/bob", [{ text: "old" }]);
    for (let n = 1; n <= 6; n++) {
      clock.now += 1;
      await memory.put("acme/ada", [{ text: `fact ${n}` }]);
    }
    assert.deepEqual(await textsOf(memory), ["fact 6", "fact 5", "fact 4", "fact 3"]);
    assert.deepEqual(await textsOf(memory, "acme/bob"), ["old"]);
  },
  "as many are put and removed at once as are given": async ({ memory }) => {
    const many = Array.from({ length: 4_000 }, (_, n) => ({ text: `fact ${n}` }));
    const ids = await memory.put("acme/ada", many, { batch: "all" });
    assert.equal(new Set(ids).size, many.length);
    assert.deepEqual(await textsOf(memory), ["fact 3999", "fact 3998", "fact 3997", "fact 3996"]);
    const others = Array.from({ length: 30_000 }, (_, n) => `none ${n}`);
    assert.equal(await memory.remove("acme/ada", [...others, ...ids]), 4);
    assert.deepEqual(await textsOf(memory), []);
  },
  "pages are newest first, and together all memories": async ({ memory, clock }) => {
    for (const text of ["a", "b", "c"]) {
      clock.now += 1;
      await memory.put("acme/ada", [{ text }]);
    }
    const first = await memory.list("acme/ada", { limit: 2 });
    const second = await memory.list("acme/ada", { limit: 2, cursor: first.cursor! });
    assert.deepEqual(
      [first, second].map(({ memories }) => memories.map(({ text }) => text)),
      [["c", "b"], ["a"]],
    );
    assert.equal(second.cursor, undefined);
  },
};

const scopes: ContractTests<Context> = {
  "nothing of one scope is found, listed or removed in another": async ({ memory }) => {
    const names = ["acme/ada", "acme/ad", "acme/ada ", "ACME/ADA", "acme/%", "acme/_da", "globex/ada"];
    for (const scope of names) await memory.put(scope, [{ text: `the secret of [${scope}]` }]);
    for (const scope of names) {
      assert.deepEqual(await textsOf(memory, scope), [`the secret of [${scope}]`]);
      assert.equal((await memory.search(scope, { text: "secret", limit: 9 })).length, 1);
    }
    const { memories } = await memory.list("globex/ada");
    assert.equal(await memory.remove("acme/ada", [memories[0]!.id]), 0);
    assert.equal(await memory.remove("acme/%"), 1);
    assert.equal((await textsOf(memory)).length, 1);
  },
  "an empty scope is refused": async ({ memory }) => {
    await rejectsWith(memory.put("", [{ text: "x" }]), "config/invalid");
    await rejectsWith(memory.search(undefined as never, { text: "x", limit: 1 }), "config/invalid");
    await rejectsWith(memory.list(""), "config/invalid");
    await rejectsWith(memory.remove(""), "config/invalid");
  },
  "memories are removed by their ids, and all of a scope": async ({ memory }) => {
    const [tea] = await memory.put("acme/ada", [{ text: "tea" }, { text: "milk" }, { text: "bread" }]);
    assert.equal(await memory.remove("acme/ada", [tea!, "none"]), 1);
    assert.equal(await memory.remove("acme/ada", []), 0);
    assert.deepEqual((await textsOf(memory)).toSorted(), ["bread", "milk"]);
    assert.equal(await memory.remove("acme/ada"), 2);
    assert.deepEqual(await textsOf(memory), []);
  },
};

const searching: ContractTests<Context> = {
  "the memory that has most of the query is first, and one that has nothing of it is not found": async ({
    memory,
  }) => {
    const texts = ["Ada's favourite colour is green", "Ada lives in Oslo", "The colour printer is broken"];
    await memory.put(
      "acme/ada",
      texts.map((text) => ({ text })),
    );
    assert.equal((await found(memory, "What is her favourite colour?"))[0], texts[0]);
    assert.deepEqual(await found(memory, "oslo"), [texts[1]]);
    assert.deepEqual([await found(memory, "bicycle"), await found(memory, "")], [[], []]);
    assert.equal((await found(memory, "colour", 1)).length, 1);
    for (const { score } of await memory.search("acme/ada", { text: "favourite colour", limit: 5 }))
      assert.ok(score > 0 && score <= 1);
  },
  "Chinese words of two characters are found": async ({ memory }) => {
    await memory.put("acme/ada", [{ text: "用户喜欢喝绿茶" }, { text: "用户住在奥斯陆" }]);
    assert.equal((await found(memory, "绿茶"))[0], "用户喜欢喝绿茶");
  },
};

const COMPASS: EmbedderInfo = { name: "compass", dimensions: 2 };
const NORTH = Float32Array.of(0, 3);
const EAST = Float32Array.of(2, 0);

const vectors: ContractTests<Context> = {
  "what words and what vectors find is merged, and a memory without a vector is found by its words": async ({
    memory,
    open,
  }) => {
    await memory.put("acme/ada", [{ text: "old words" }]);
    const texts = [
      { text: "a reindeer", vector: NORTH },
      { text: "a camel with words", vector: EAST },
    ];
    await memory.put("acme/ada", texts, { embedder: COMPASS });
    const other = await open();
    const search = async (text: string, vector: Float32Array) =>
      (await other.search("acme/ada", { text, limit: 5, embedding: { by: COMPASS, vector } })).map(
        ({ text: one, score }) => [one, Math.round(score * 100) / 100],
      );
    assert.deepEqual(await search("snow", Float32Array.of(0, 1)), [["a reindeer", 1]]);
    assert.deepEqual(await search("snow", Float32Array.of(1, 1)), [
      ["a camel with words", 0.71],
      ["a reindeer", 0.71],
    ]);
    const both = await search("words", Float32Array.of(0.1, 1));
    assert.equal(both[0]![0], "a camel with words");
    assert.deepEqual(both.map(([one]) => String(one)).toSorted(), [
      "a camel with words",
      "a reindeer",
      "old words",
    ]);
    assert.deepEqual(await found(other, "reindeer"), ["a reindeer"]);
    const elsewhere = await other.search("acme/bob", {
      text: "words",
      limit: 5,
      embedding: { by: COMPASS, vector: NORTH },
    });
    assert.deepEqual(elsewhere, []);
  },
  "another embedder, other lengths and missing vectors are refused, and change nothing": async ({
    memory,
  }) => {
    await memory.put("acme/ada", [{ text: "tea", vector: NORTH }], { embedder: COMPASS });
    const other = { name: "other", dimensions: 2 };
    const put = (vector: Float32Array | undefined, embedder: EmbedderInfo | undefined) =>
      memory.put("acme/ada", [{ text: "milk", ...(vector && { vector }) }], embedder && { embedder });
    await rejectsWith(put(NORTH, other), "config/invalid");
    await rejectsWith(put(NORTH, { name: "compass", dimensions: 3 }), "config/invalid");
    await rejectsWith(put(Float32Array.of(1), COMPASS), "config/invalid");
    await rejectsWith(put(Float32Array.of(1, NaN), COMPASS), "config/invalid");
    await rejectsWith(put(undefined, COMPASS), "config/invalid");
    await rejectsWith(put(NORTH, undefined), "config/invalid");
    assert.deepEqual(await textsOf(memory), ["tea"]);
    const search = (by: EmbedderInfo, vector: Float32Array) =>
      memory.search("acme/ada", { text: "tea", limit: 1, embedding: { by, vector } });
    await rejectsWith(search(other, NORTH), "config/invalid");
    await rejectsWith(search(COMPASS, Float32Array.of(1, 2, 3)), "config/invalid");
    await memory.put("acme/ada", [{ text: "tea" }]);
    assert.equal((await search(COMPASS, NORTH))[0]!.score, 1);
  },
  "of two embedders that come at once one is refused": async ({ memory, open }) => {
    const handles = [memory, await open()];
    const puts = handles.map((handle, n) =>
      handle.put("acme/ada", [{ text: `fact ${n}`, vector: NORTH }], {
        embedder: { name: `embedder ${n}`, dimensions: 2 },
      }),
    );
    const states = (await Promise.allSettled(puts)).map(({ status }) => status);
    assert.deepEqual(states.toSorted(), ["fulfilled", "rejected"]);
    assert.equal((await textsOf(memory)).length, 1);
  },
};

/**
 * Registers the tests that every store of memories must pass, in a group called `name`, with the test functions of the caller's
 * framework. `make` is called once per test.
 *
 * @example
 * ```ts
 * import { describe, test } from "node:test";
 * import { memoryMemory } from "agentchart/memory";
 * import { memoryContract } from "agentchart/testing";
 *
 * function make() {
 *   let shared: ReturnType<typeof memoryMemory> | undefined;
 *   return { open: (options: Parameters<typeof memoryMemory>[0]) => (shared ??= memoryMemory(options)) };
 * }
 * memoryContract("my memory", make, { describe, test });
 * ```
 */
export function memoryContract(
  name: string,
  make: () => MemoryUnderTest | Promise<MemoryUnderTest>,
  framework: MemoryContractOptions,
): void {
  const run = (body: ContractTests<Context>[string]): Promise<void> => {
    const clock = { now: 1_000 };
    return withOpened(
      make,
      (tested) => tested.open({ maxPerScope: 4, now: () => clock.now }),
      (memory, open) => body({ memory, open, clock }),
    );
  };
  const groups = { keeping, scopes, searching, ...(framework.vectors === true && { vectors }) };
  registerContract(name, groups, run, framework);
}
