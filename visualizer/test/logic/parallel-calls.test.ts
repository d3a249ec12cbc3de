// Calls of a batch in order of attention.
import { expect, test } from "vitest";
import { callStateText, callTime, countCalls, parallelCalls } from "../../src/logic/parallel-calls.ts";
import { callStarts } from "../../src/store/run-queries.ts";
import { RunData } from "../../src/store/run-data.ts";
import type { Json, JsonObject, PatchOp, WireStep } from "../../src/wire/types.ts";

const record = (id: string, status: string, more: JsonObject = {}): JsonObject => ({
  call: { type: "tool_use", id, name: "fetch", input: { id } },
  status,
  since: 100,
  attempt: 1,
  ...more,
});
const ended = (id: string, state: string): JsonObject =>
  record(id, "done", { result: { type: "tool_result", id, state, output: [] } });

test("parallelCalls sorts by what needs attention, and keeps the order of the batch within a group", () => {
  const calls = parallelCalls({
    calls: [
      ended("a", "success"),
      record("b", "running"),
      record("c", "approved", { attempt: 2 }),
      ended("d", "error"),
      record("e", "suspended"),
      ended("f", "interrupted"),
      record("g", "approved", { asks: "Pays." }),
      record("h", "denied"),
    ],
  });
  expect(calls.map(({ id, index, group, state }) => [id, index, group, state])).toEqual([
    ["d", 3, "failed", "error"],
    ["f", 5, "failed", "interrupted"],
    ["h", 7, "failed", "denied"],
    ["c", 2, "waiting", "approved"],
    ["e", 4, "waiting", "suspended"],
    ["g", 6, "waiting", "pending"],
    ["b", 1, "running", "running"],
    ["a", 0, "done", "success"],
  ]);
  expect(countCalls(calls)).toEqual([
    ["failed", 3],
    ["waiting", 3],
    ["running", 1],
    ["done", 1],
  ]);
});

test("parallelCalls ignores what is not a call, and makes names and arguments safe to read", () => {
  expect(parallelCalls(undefined)).toEqual([]);
  expect(parallelCalls({ calls: "none" })).toEqual([]);
  const call = {
    type: "tool_use",
    id: "a",
    name: `pay\u202E${"x".repeat(100)}`,
    input: { text: { $blob: "sha", length: 9_000, head: "Once" }, more: "y".repeat(1_000) },
  };
  const [found, ...others] = parallelCalls({ calls: [null, { call: 1 }, record("b", "running", { call })] });
  expect(others).toEqual([]);
  expect(found).toMatchObject({ id: "a", index: 2 });
  expect(found!.name).toMatch(/^pay⟨U\+202E⟩x+…$/);
  expect(found!.arguments).toMatch(/^\{"text":"Once…","more":"y+…$/);
  expect(found!.arguments.length).toBe(300);
});

test("the time of a call is that of its last attempt, and of its state while it runs or waits", () => {
  const run = new RunData();
  const step = (q: number, p: readonly PatchOp[]): WireStep => ({
    q,
    t: q * 100,
    m: q,
    e: "",
    x: [],
    s: 0,
    p,
  });
  const set = (path: readonly (string | number)[], value: Json): PatchOp => ["=", ["calls", ...path], value];
  run.add({
    runId: "r",
    states: [["m"]],
    items: [
      step(1, [set([], [record("old", "running"), record("older", "running"), record("oldest", "running")])]),
      step(2, [set([], [record("a", "approved"), record("b", "approved"), record("c", "approved")])]),
      step(3, [set([0], record("a", "running", { since: 310 })), set([1, "status"], "running")]),
      step(4, [set([0, "status"], "approved")]),
      step(5, [set([0, "status"], "running"), set([0, "since"], 510)]),
    ],
    total: 5,
    first: 1,
  });
  expect([...callStarts(run, 3)]).toEqual([
    [0, 310],
    [1, 300],
  ]);
  const starts = callStarts(run, 5);
  expect([...starts]).toEqual([
    [0, 500],
    [1, 300],
  ]);
  const [done, never] = parallelCalls({
    calls: [{ ...ended("a", "success"), since: 750 }, record("b", "running"), ended("c", "success")],
  }).filter(({ group }) => group === "done");
  expect(callTime(done!, starts, 9_000)).toBe(250);
  expect(callTime(never!, starts, 9_000)).toBeUndefined();
  const [running] = parallelCalls({ calls: [record("a", "running", { since: 400 })] });
  expect(callTime(running!, starts, 1_000)).toBe(600);
});

test("callStateText tells a call that has not run from one that is tried again", () => {
  expect(callStateText("approved", 0)).toBe("not run yet");
  expect(callStateText("approved", 0, true)).toBe("approved");
  expect(callStateText("approved", 1, true)).toBe("retrying");
  expect(callStateText("running", 2)).toBe("running");
});
