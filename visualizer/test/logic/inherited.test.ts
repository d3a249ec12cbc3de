// Steps that a fork has inherited.
import { expect, test } from "vitest";
import { isInherited } from "../../src/logic/inherited.ts";
import { decodeStep } from "../../src/wire/step.ts";

const runOf = (...events: readonly string[]) => ({
  at: (number: number) => {
    const e = events[number - 1];
    return e === undefined ? undefined : decodeStep({ q: number, t: 0, m: 0, e, x: [], s: 0 });
  },
});
const fork = { forkOf: { runId: "original", seq: 4 } };

test("isInherited holds for what a fork begins with, live or stored, and for nothing later", () => {
  const live = runOf("session.load", "call", "xstate.done.actor.callModel");
  expect([1, 2, 3].map((step) => isInherited(live, fork, step))).toEqual([true, false, false]);
  const stored = runOf("session", "messages", "kept", "position", "messages", "position");
  expect([2, 5].map((step) => isInherited(stored, fork, step))).toEqual([true, false]);
});

test("isInherited holds for no step of a run that is not a fork", () => {
  expect(isInherited(runOf("session.load"), {}, 1)).toBe(false);
  expect(isInherited(runOf("session.load"), undefined, 1)).toBe(false);
});
