// JSON as rows.
import { expect, test } from "vitest";
import { changedIds, jsonRows, preview } from "../../src/logic/json-rows.ts";

const value = { a: 1, b: { c: [1, { d: "x" }] }, e: {}, f: { $blob: "abc", length: 9_000_000, head: "beg" } };

test("jsonRows returns lines for expanded members only", () => {
  expect(jsonRows(value, () => false).map(({ id }) => id)).toEqual(["a", "b", "e", "f"]);
  const all = jsonRows(value, () => true);
  expect(all.map(({ id, depth }) => `${depth} ${id}`)).toEqual([
    "0 a",
    "0 b",
    "1 b.c",
    "2 b.c[0]",
    "2 b.c[1]",
    "3 b.c[1].d",
    "0 e",
    "0 f",
  ]);
  expect(all.find(({ id }) => id === "b")).toMatchObject({ isOpen: true, size: 1 });
  expect(all.find(({ id }) => id === "e")?.isOpen).toBeUndefined();
});

test("jsonRows treats a blob as one value", () => {
  const row = jsonRows(value, () => true).find(({ id }) => id === "f");
  expect(row?.isOpen).toBeUndefined();
  expect(preview(value.f)).toBe('"beg" …');
});

test("changedIds contains the ancestors of a changed path", () => {
  expect([...changedIds([["b", "c", 1, "d"]])]).toEqual(["b", "b.c", "b.c[1]", "b.c[1].d"]);
});

test("jsonRows limits the lines of a huge array", () => {
  const rows = jsonRows({ list: Array.from({ length: 100_000 }, (_, index) => index) }, () => true);
  expect(rows.length).toBeLessThan(3_000);
});
