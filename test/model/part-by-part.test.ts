// Streams of parts, one by one.
import { expect, test } from "vitest";
import { PartByPart } from "../../src/core/model/part-by-part.ts";

type Part = { readonly n: number };

const part = (n: number): Part => ({ n });

/** Lists of parts, and whether their generator has ended. */
function listsOf(lists: readonly (readonly number[])[], failure?: Error) {
  const seen = { isEnded: false };
  async function* generate(): AsyncGenerator<readonly Part[], undefined> {
    try {
      for (const list of lists) yield list.map(part);
      if (failure) throw failure;
    } finally {
      seen.isEnded = true;
    }
    return undefined;
  }
  return { lists: generate(), seen };
}

const alive = new AbortController().signal;

async function read(parts: AsyncIterable<Part>): Promise<readonly number[]> {
  const read: number[] = [];
  for await (const { n } of parts) read.push(n);
  return read;
}

test("the parts of all lists come one by one, in their order", async () => {
  const { lists, seen } = listsOf([[1, 2], [], [3]]);
  expect(await read(new PartByPart(lists, alive))).toEqual([1, 2, 3]);
  expect(seen.isEnded).toBe(true);
});

test("what a list has comes before the error after it", async () => {
  const { lists } = listsOf([[1, 2]], new Error("cut off"));
  const parts = new PartByPart(lists, alive);
  expect((await parts.next()).value).toEqual({ n: 1 });
  expect((await parts.next()).value).toEqual({ n: 2 });
  await expect(parts.next()).rejects.toThrow("cut off");
  expect(await parts.next()).toEqual({ done: true, value: undefined });
});

test("a reader that leaves ends the generator, and gets nothing more", async () => {
  const { lists, seen } = listsOf([[1, 2], [3]]);
  const parts = new PartByPart(lists, alive);
  for await (const { n } of parts) if (n === 1) break;
  expect(seen.isEnded).toBe(true);
  expect(await parts.next()).toEqual({ done: true, value: undefined });
});

test("after an abort, the rest of a list is dropped and the generator says how the answer ends", async () => {
  const controller = new AbortController();
  const { lists } = listsOf([[1, 2]], new Error("aborted"));
  const parts = new PartByPart(lists, controller.signal);
  expect((await parts.next()).value).toEqual({ n: 1 });
  controller.abort();
  await expect(parts.next()).rejects.toThrow("aborted");
});

test("a reader that asks several times at once gets every part in order", async () => {
  const { lists } = listsOf([[1, 2], [3, 4], [5]]);
  const parts = new PartByPart(lists, alive);
  const results = await Promise.all(Array.from({ length: 6 }, () => parts.next()));
  expect(results.map(({ value }) => value?.n)).toEqual([1, 2, 3, 4, 5, undefined]);
});
