// The request that a step is about.
import { expect, test } from "vitest";
import { otherPrompt, promptAt } from "../../src/logic/prompt-steps.ts";
import { RunData } from "../../src/store/run-data.ts";
import type { Json, PatchOp, WireStep } from "../../src/wire/types.ts";

const callOf = (id: string, step: number): Json => ({
  id,
  step,
  length: 0,
  system: "",
  tools: [],
  edits: [],
  entered: [],
  options: {},
  results: {},
  view: null,
});
const asked = (id: string, step: number): PatchOp => ["=", ["modelCall"], callOf(id, step)];
const answered = (id: string): PatchOp => ["+", ["messages"], [{ id, role: "assistant", content: [] }]];

/** A run: request a at step 2, its answer at 4; request b at 5, whose answer comes with request c at 7. */
function run(): RunData {
  const patches: readonly (readonly PatchOp[])[] = [
    [["=", [], { messages: [] }]],
    [asked("a", 2)],
    [],
    [answered("a")],
    [asked("b", 5)],
    [],
    [answered("b"), asked("c", 7)],
    [],
  ];
  const items = patches.map((p, index): WireStep => ({
    q: index + 1,
    t: 0,
    m: index,
    e: "e",
    x: [],
    s: 0,
    p,
  }));
  const data = new RunData();
  data.add({ runId: "r", states: [["agent"]], items, total: items.length, first: 1 });
  return data;
}

test("a step is about the newest request up to it, or about the one that it answers", () => {
  const ids = Array.from({ length: 8 }, (_, index) => promptAt(run(), index + 1, false)?.call.id);
  expect(ids).toEqual([undefined, "a", "a", "a", "b", "b", "b", "c"]);
  expect(promptAt(run(), 7, false)?.at).toBe(6);
  expect(promptAt(run(), 5, true)?.call.id).toBe("a");
});

test("the requests before and after a place are found", () => {
  const data = run();
  const b = promptAt(data, 6, false)!;
  expect(otherPrompt(data, b, -1)).toMatchObject({ at: 4, call: { id: "a" } });
  expect(otherPrompt(data, b, 1)).toMatchObject({ at: 7, call: { id: "c" } });
  expect(otherPrompt(data, promptAt(data, 3, false)!, -1)).toBeUndefined();
  expect(otherPrompt(data, promptAt(data, 8, false)!, 1)).toBeUndefined();
});

test("a damaged record of a request is none", () => {
  const data = new RunData();
  const item: WireStep = { q: 1, t: 0, m: 0, e: "e", x: [], s: 0, p: [["=", [], { modelCall: { id: 7 } }]] };
  data.add({ runId: "r", states: [["agent"]], items: [item], total: 1, first: 1 });
  expect(promptAt(data, 1, false)).toBeUndefined();
});
