// The short form of journal entries.
import { describe, expect, test } from "vitest";
import type { JournalEntry } from "agentchart/session";
import type { Fact } from "../../src/session/entry.ts";
import { readEntry } from "../../src/session/read-entry.ts";
import { shortForm } from "../../src/session/entries.ts";

const usual = {
  status: "running",
  attempt: 1,
  since: 900,
  execution: { maxAttempts: 1, timeoutMs: 300_000 },
  onRestart: "ask",
} as const;
const call = (set: object, more: object = {}): Fact =>
  ({ type: "call", data: { id: "c", set, ...more } }) as Fact;
const position = (data: object): Fact => ({ type: "position", data }) as Fact;

/** The data of a fact as it is stored at 1,000, and as it is read again. */
function storedAndRead(fact: Fact): { readonly stored: object; readonly read: object } {
  const stored = JSON.parse(JSON.stringify(shortForm(fact, 1_000))) as JournalEntry["data"];
  const entry = readEntry({ seq: 1, at: 1_000, type: fact.type, data: stored });
  return { stored, read: entry.data };
}

describe("the short form of a journal entry", () => {
  test.each<[string, Fact, object]>([
    ["a call that begins to run as most do", call(usual), { id: "c", started: 900 }],
    [
      "one that says more",
      call({ ...usual, argsHash: "h", onRestart: "retry" }, { unset: ["asks"] }),
      { id: "c", unset: ["asks"], started: 900, set: { argsHash: "h", onRestart: "retry" } },
    ],
    [
      "one with another deadline",
      call({ ...usual, execution: { maxAttempts: 1, timeoutMs: 5 } }),
      { id: "c", started: 900, set: { execution: { maxAttempts: 1, timeoutMs: 5 } } },
    ],
    [
      "one whose record has its terms already",
      call({ status: "running", attempt: 1, since: 900 }),
      { id: "c", set: { status: "running", attempt: 1, since: 900 } },
    ],
    ["a second attempt", call({ ...usual, attempt: 2 }), { id: "c", set: { ...usual, attempt: 2 } }],
    [
      "a call that waits",
      call({ status: "suspended", since: 1 }),
      { id: "c", set: { status: "suspended", since: 1 } },
    ],
    ["a position of an earlier event", position({ state: "a", at: 998 }), { state: "a", ago: 2 }],
    ["a position of the time of its entry", position({ state: "a" }), { state: "a" }],
    ["a clock that went back", position({ state: "a", at: 1_005 }), { state: "a", ago: -5 }],
    [
      "steps, and one that a person caused",
      position({ state: "a", steps: [{ x: [1, 2] }, { x: [3], by: "maria" }, { x: [] }] }),
      { state: "a", steps: [[1, 2], { x: [3], by: "maria" }, []] },
    ],
    [
      "steps with many entries, and a clock that was set back",
      position({
        state: "a",
        steps: [
          { x: [1], at: 1_000, facts: 12 },
          { x: [2], at: 990, facts: 1 },
          { x: [3], at: 1_000, facts: 9 },
        ],
      }),
      {
        state: "a",
        ran: [
          [-1, 12, 0, 1],
          [-1, 1, -10, 2],
          [109, 3],
        ],
      },
    ],
    [
      "steps with their times and entries",
      position({
        state: "a",
        at: 998,
        steps: [
          { x: [1, 2], at: 990, facts: 2 },
          { x: [3], at: 995, facts: 0, by: "hook", did: { stop: true } },
          { x: [4], at: 997, facts: 1 },
        ],
      }),
      {
        state: "a",
        ago: 2,
        ran: [[12, 1, 2], { ran: [50, 3], by: "hook", did: { stop: true } }, [21, 4]],
      },
    ],
    ["an entry of another type", { type: "calls.closed", data: {} }, {}],
  ])("%s is read as it was written", (_, fact, expected) => {
    const { stored, read } = storedAndRead(fact);
    expect(stored).toEqual(expected);
    expect(read).toEqual(fact.data);
  });

  test("an entry of an earlier format is read as it is", () => {
    const data = { state: "a", at: 998, steps: [{ x: [1] }] };
    const entry: JournalEntry = { seq: 1, at: 1_000, type: "position", data };
    expect(readEntry(entry)).toEqual(entry);
    const opened: JournalEntry = { seq: 2, at: 1_000, type: "call", data: { id: "c", set: { ...usual } } };
    expect(readEntry(opened)).toEqual(opened);
  });

  test.each([
    ["call", { id: "c", started: "soon" }, "set.since"],
    ["call", { id: "c", started: 1, set: "x" }, "set"],
    ["call", { id: "c" }, "set"],
    ["position", { ago: "long" }, "at"],
    ["position", { ago: "2" }, "at"],
    ["position", { ago: null }, "at"],
    ["position", { ago: [] }, "at"],
    ["position", { steps: "x" }, "steps"],
    ["position", { ran: "x" }, "steps"],
    ["position", { ran: [[1, "x"]] }, "steps.0"],
    ["position", { ran: [[10, 2.5]] }, "steps.0.x.0"],
    ["position", { steps: [["x"]] }, "steps.0.x.0"],
    ["position", null, "it"],
  ])("a damaged one is refused: %s %j", (type, data, place) => {
    const entry = { seq: 7, at: 1, type, data } as unknown as JournalEntry;
    expect(() => readEntry(entry)).toThrow(`Journal entry 7 (${type}): ${place}: `);
  });
});
