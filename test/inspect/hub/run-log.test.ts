// Pages of a run's steps, and the contexts before them.
import { expect, test } from "vitest";
import { exportRun } from "../../../src/inspect/hub/http-app.ts";
import { RunLog } from "../../../src/inspect/hub/run-log.ts";
import type { Step } from "../../../src/inspect/protocol/protocol.ts";

const step = (q: number): Step => ({ q, t: q, m: q, e: "", x: [], s: 0, p: [["=", ["count"], q]] });

function logOf(count: number, most: number): RunLog {
  const log = new RunLog("r", most);
  log.stateOf(["m"]);
  for (let q = 1; q <= count; q++) log.add(step(q));
  return log;
}

test("page leaves the context out for who knows it, unless it begins later than asked for because steps are gone", () => {
  const log = logOf(900, 400);
  const { first } = log;
  expect(first).toBeGreaterThan(400);
  expect(log.page(first + 10, 900).keyframe).toEqual({ count: first + 9 });
  expect(log.page(first + 10, 900, true).keyframe).toBeUndefined();
  expect(log.page(2, 900, true)).toMatchObject({ first, keyframe: { count: first - 1 } });
});

test("exportRun writes at most one context, so that a file grows with its steps and not with their square", () => {
  for (const [log, contexts] of [
    [logOf(900, 5_000), 0],
    [logOf(900, 400), 1],
  ] as const) {
    const run = { row: {}, log, blobs: () => new Map() } as unknown as Parameters<typeof exportRun>[0];
    const lines = [...exportRun(run, undefined)].map((line) => JSON.parse(line) as object);
    expect(lines.filter((line) => "keyframe" in line)).toHaveLength(contexts);
    expect(lines.filter((line) => "q" in line)).toHaveLength(log.last - log.first + 1);
  }
});
