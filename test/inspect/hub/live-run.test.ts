// What a process sends of a run is kept within bounds, and what is not part of it is refused.
import { expect, test } from "vitest";
import { checkWorkerMessage } from "../../../src/inspect/hub/check-message.ts";
import { LiveRun, type RunMessage } from "../../../src/inspect/hub/live-run.ts";
import type { WorkerToHub } from "../../../src/inspect/protocol/protocol.ts";

type Part = Extract<WorkerToHub, { type: "blob" }>;

const partOf = (sha: string, part: number, parts: number, text: string): Part => ({
  type: "blob",
  runId: "r",
  sha,
  part,
  parts,
  text,
});

test("a long text is whole once its parts came in order, also if two processes send them", () => {
  const run = new LiveRun("r");
  const texts = ["a", "b", "c"];
  for (const [part, text] of texts.entries())
    for (const _process of ["one", "other"]) run.addBlobPart(partOf("s", part, 3, text));
  expect(run.blob("s")).toBe("abc");
});

test("texts whose last part never comes are forgotten, the oldest first", () => {
  const run = new LiveRun("r");
  for (let count = 0; count < 9; count++) run.addBlobPart(partOf(`s${count}`, 0, 2, "a"));
  for (let count = 0; count < 9; count++) run.addBlobPart(partOf(`s${count}`, 1, 2, "b"));
  expect(run.blob("s0")).toBeUndefined();
  expect(run.blob("s8")).toBe("ab");
  run.addBlobPart(partOf("far", 4_294_967_294, 4_294_967_295, "")); // an array of that length is never joined
  expect(run.blob("far")).toBeUndefined();
});

test("output of tools that was streamed is bounded where no message follows", () => {
  const run = new LiveRun("r");
  for (let call = 0; call < 200; call++)
    run.addStream([
      { runId: "r", n: call, messageId: "", index: 0, kind: "tool", callId: `c${call}`, delta: "x" },
    ]);
  expect(run.streamed).toHaveLength(100);
  expect(run.streamed.at(-1)).toMatchObject({ callId: "c199" });
});

test("the places of the newest 100 processes are known", () => {
  const run = new LiveRun("r");
  const step = { q: 1, t: 1, m: 1, e: "", x: [], s: 0 };
  const page = { runId: "r", states: [["m"]], items: [step], first: 1, total: 1 };
  for (let n = 0; n < 150; n++) for (const id of ["kept", `w${n}`]) run.addSteps(page, id);
  const known = (id: string): boolean => run.lastStepOf(id) === 1;
  expect(["kept", "w149", "w51", "w50", "w0"].map(known)).toEqual([true, true, true, false, false]);
  expect(run.log.last).toBe(151);
});

test("a run starts with its first event, not when its agent was made, and a later process does not change that", () => {
  const run = new LiveRun("r");
  const report = (steps: number, startedAt: number) => ({ row: { steps, startedAt } }) as RunMessage;
  const worker = (id: string) => ({ id, pid: 1, send: () => {} });
  const seen = [report(1, 1_000), report(3, 60_000), report(1, 90_000), report(2, 95_000)].map((each, at) => {
    run.update(each, worker(at < 2 ? "one" : "other"));
    return run.row.startedAt;
  });
  expect(seen).toEqual([1_000, 60_000, 60_000, 60_000]);
});

const STEPS = { type: "steps", runId: "r", states: [], items: [] };
test.each<[string, object]>([
  ["a part of a text without a place", { ...partOf("s", 0, 1, "a"), part: -1 }],
  ["a part of a text that is none", { ...partOf("s", 0, 1, "a"), text: 1 }],
  ["a context that is none", { ...STEPS, keyframe: "x" }],
  ["states from nowhere", { ...STEPS, statesFrom: -1 }],
])("a message is refused that has %s", (_, message) => {
  expect(() => checkWorkerMessage(message)).toThrow();
});
