// The data of a run in the page.
import { expect, test } from "vitest";
import { RunData } from "../../src/store/run-data.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { JsonObject, WireStep } from "../../src/wire/types.ts";

const step = (q: number): WireStep => ({
  q,
  t: 1_000 + q,
  m: q,
  e: "",
  x: [],
  s: 0,
  p: [
    ["=", ["count"], q],
    ["+", ["log"], [q]],
  ],
});
const steps = (from: number, to: number): WireStep[] =>
  Array.from({ length: to - from + 1 }, (_, at) => step(from + at));
const states = [["m", "m.a"]];
const contextAt = (q: number): JsonObject =>
  steps(1, q).reduce<JsonObject>((context, { p = [] }) => applyPatch(context, p), {});

test("contextAt applies the patches up to a step, in any order of requests", () => {
  const run = new RunData();
  run.add({ runId: "r", states, items: steps(1, 700), total: 700, first: 1 });
  for (const q of [700, 1, 350, 349, 351, 500, 2, 699]) expect(run.contextAt(q)).toEqual(contextAt(q));
  expect(run.contextAt(0)).toEqual({});
  expect(run.durationOf(5)).toBe(1);
  expect(run.durationOf(700)).toBeUndefined();
});

test("add accepts older pages after newer ones", () => {
  const run = new RunData();
  run.add({ runId: "r", states, items: steps(301, 400), keyframe: contextAt(300), total: 400, first: 1 });
  expect(run.contextAt(400)).toEqual(contextAt(400));
  expect(run.contextAt(250)).toBeUndefined();
  expect(run.missingBelow(400)).toEqual({ from: 1, to: 300 });
  run.add({ runId: "r", states, items: steps(201, 300), keyframe: contextAt(200), total: 400, first: 1 });
  expect(run.missingBelow(400)).toEqual({ from: 1, to: 200 });
  expect(run.contextAt(250)).toEqual(contextAt(250));
  run.add({ runId: "r", states, items: steps(1, 200), total: 400, first: 1 });
  expect(run.missingBelow(400)).toBeUndefined();
  expect(run.contextAt(3)).toEqual(contextAt(3));
});

test("missingBelow returns a gap until it is filled", () => {
  const run = new RunData();
  run.add({ runId: "r", states, items: steps(1, 10), total: 10, first: 1 });
  run.add({ runId: "r", states, items: steps(21, 30), total: 30, first: 1 });
  expect(run.last).toBe(30);
  expect(run.at(15)).toBeUndefined();
  expect(run.contextAt(25)).toBeUndefined();
  expect(run.missingBelow(30)).toEqual({ from: 11, to: 20 });
  run.add({ runId: "r", states, items: steps(11, 20), total: 30, first: 1 });
  expect(run.contextAt(25)).toEqual(contextAt(25));
});

test("add ignores steps that were added before", () => {
  const run = new RunData();
  run.add({ runId: "r", states, items: steps(1, 10), total: 10, first: 1 });
  run.add({ runId: "r", states, items: steps(8, 12), total: 12, first: 1 });
  expect(run.last).toBe(12);
  expect(run.contextAt(12)).toEqual(contextAt(12));
});

test("add drops the oldest steps beyond 50,000 and keeps the contexts of the others", () => {
  const run = new RunData();
  const light = (q: number): WireStep => ({ ...step(q), p: [["=", ["count"], q]] });
  for (let from = 1; from <= 52_000; from += 1_000) {
    const items = Array.from({ length: 1_000 }, (_, at) => light(from + at));
    run.add({ runId: "r", states, items, total: from + 999, first: 1 });
  }
  expect(run.last).toBe(52_000);
  expect(run.first).toBeGreaterThan(1);
  expect(run.last - run.first).toBeLessThan(50_000);
  expect(run.contextAt(run.first)).toEqual({ count: run.first });
});

test("two runs never have the same version, since panels keep what they made of one", () => {
  const [one, other] = [new RunData(), new RunData()];
  const page = { runId: "r", states, items: steps(1, 3), total: 3, first: 1 };
  one.add(page);
  other.add(page);
  expect(other.version).not.toBe(one.version);
  const before = one.version;
  one.add({ ...page, items: steps(4, 4), total: 4 });
  expect([before, other.version]).not.toContain(one.version);
});
