// Each guard of the chart, with contexts for both of its verdicts.
import { describe, expect, it, test } from "vitest";
import { vocabulary } from "../../../machines/agent/vocabulary.ts";
import { CALL_GUARDS } from "./guards/calls.ts";
import { COMPACTION_GUARDS } from "./guards/compaction.ts";
import { verdictOf, type GuardName } from "./guards/guard.ts";
import { MODEL_GUARDS } from "./guards/model.ts";
import { TURN_GUARDS } from "./guards/turn.ts";

const TABLE = { ...CALL_GUARDS, ...TURN_GUARDS, ...MODEL_GUARDS, ...COMPACTION_GUARDS };
const names = Object.keys(vocabulary.guards) as GuardName[];

describe.each(names)("the guard %s", (name) => {
  const { holds = [], fails = [] } = TABLE[name] ?? {};

  it.each(holds.map((row) => [row[0], row] as const))("holds if %s", (_when, row) => {
    expect(verdictOf(name, row)).toBe(true);
  });

  it.each(fails.map((row) => [row[0], row] as const))("does not hold if %s", (_when, row) => {
    expect(verdictOf(name, row)).toBe(false);
  });
});

test("every guard of the vocabulary has rows of both verdicts", () => {
  const isComplete = (name: GuardName): boolean =>
    TABLE[name] !== undefined && TABLE[name].holds.length > 0 && TABLE[name].fails.length > 0;
  expect(names.filter((name) => !isComplete(name))).toEqual([]);
});
