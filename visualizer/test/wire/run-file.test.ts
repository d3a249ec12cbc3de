// Files of runs.
import { expect, test } from "vitest";
import { readRunFile } from "../../src/wire/run-file.ts";

const row = { runId: "r1", agent: "a", chart: "h", phase: "stopped", steps: 2 };
const header = JSON.stringify({ agentchartRun: 1, row, exportedAt: 5 });
const chart = JSON.stringify({
  hash: "h",
  chart: { id: "m", nodes: [{ id: "m", key: "m", tags: [], entry: [], exit: [], invoke: [] }], edges: [] },
  layouts: null,
});
const step = (q: number) => JSON.stringify({ q, t: 1, m: q, e: "", x: [], s: 0 });

test("readRunFile reads every kind of line, and of contexts only that before the first step", () => {
  const text = [
    header,
    chart,
    '{"state":["m","m.a"]}',
    '{"keyframe":{"a":1},"at":4}',
    step(5),
    '{"keyframe":{"a":2},"at":5}',
    step(6),
    '{"blob":"sha","text":"long"}',
    "",
  ].join("\n");
  const file = readRunFile(text);
  expect(file.row).toMatchObject({ ...row, source: "file", can: [], usage: {} });
  expect(file.chart?.hash).toBe("h");
  expect(file.states).toEqual([["m", "m.a"]]);
  expect(file.steps.map(({ q }) => q)).toEqual([5, 6]);
  expect(file.keyframe).toEqual({ at: 4, context: { a: 1 } });
  expect(file.blobs.get("sha")).toBe("long");
  expect(file.damage).toBeUndefined();
});

test("readRunFile reads a cut-off file up to its invalid line and reports the line", () => {
  const file = readRunFile([header, step(1), step(2).slice(0, 9)].join("\n"));
  expect(file.steps.map(({ q }) => q)).toEqual([1]);
  expect(file.damage?.line).toBe(3);
});

test("readRunFile reports a missing step as damage", () => {
  const file = readRunFile([header, step(1), step(3)].join("\n"));
  expect(file.steps).toHaveLength(1);
  expect(file.damage).toEqual({ line: 3, message: "step 3 follows step 1" });
});

test("readRunFile rejects other files and says what it expected", () => {
  expect(() => readRunFile("hello")).toThrow("not an exported run");
  expect(() => readRunFile('{"a":1}')).toThrow("agentchartRun");
  expect(() => readRunFile(JSON.stringify({ agentchartRun: 9, row }))).toThrow("format 9");
});

test("readRunFile ignores a chart without states", () => {
  const empty = JSON.stringify({ chart: { id: "", nodes: [], edges: [] }, layouts: null, hash: "h" });
  const file = readRunFile([header, empty, step(1)].join("\n"));
  expect(file.chart).toBeUndefined();
  expect(file.steps).toHaveLength(1);
});
