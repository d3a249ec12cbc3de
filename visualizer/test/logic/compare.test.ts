// The alignment of two runs.
import { expect, test } from "vitest";
import { alignRuns, answerOf, momentsOf, unasked, type Moment } from "../../src/logic/compare.ts";
import type { JsonObject } from "../../src/wire/types.ts";

const moments = (text: string): Moment[] =>
  text.split(" ").map((each) => {
    const [shape = "", said = ""] = each.split(":");
    return { shape, title: shape, text: said };
  });
const shown = (...runs: readonly string[]): string[] =>
  alignRuns(runs.map(moments)).rows.map(
    ({ cells, isSame }) => `${isSame ? "=" : "≠"} ${cells.map((cell) => cell?.text ?? "-").join(" ")}`,
  );

test("alignRuns puts equal moments beside each other and marks the first divergence", () => {
  const runs = ["user:a call:b result:c answer:d", "user:a call:b result:x answer:y"].map(moments);
  const { rows, divergence } = alignRuns(runs);
  expect(divergence).toBe(2);
  expect(rows[divergence]!.title).toBe("result");
  expect(shown("user:a call:b result:c answer:d", "user:a call:b result:x answer:y")).toEqual([
    "= a a",
    "= b b",
    "≠ c x",
    "≠ d y",
  ]);
});

test("alignRuns marks the first effect: what the model said or did, not what was changed before", () => {
  const of = (...runs: readonly string[]) => {
    const { rows, effect } = alignRuns(runs.map(moments));
    return [rows[effect]?.title, rows.map(({ agree }) => agree).join("")];
  };
  const said = "system:s result:r answer:a";
  expect(of(said, "system:t result:q answer:b")).toEqual(["answer", "111"]);
  expect(of(said, "system:t result:r answer:a")).toEqual([undefined, "122"]);
  expect(of(said, said, "system:s result:r answer:b")).toEqual(["answer", "332"]);
  expect(of("answer:a", "answer:a answer:b")).toEqual(["answer", "21"]);
});

test("no effect can be seen while a fork has not asked its model and the others agree", () => {
  const said = (text: string) => ({ shape: "answer", title: "answer", text });
  const setting = { shape: "system prompt", title: "system prompt", text: "s" };
  const of = (...runs: readonly Moment[][]) => unasked(runs, alignRuns(runs));
  expect(of([setting, said("a")], [said("a")])).toBe(1);
  expect(of([setting, said("a"), said("b")], [said("a")], [said("a")])).toBe(2);
  expect(of([setting, said("a")], [setting, said("b")], [])).toBe(0);
  expect(of([setting, said("a")], [setting, said("a")])).toBe(0);
  expect(of([said("a")], [said("b")])).toBe(0);
});

test("alignRuns leaves room for what only some runs have", () => {
  expect(
    shown("user:a answer:d", "user:a call:b result:c answer:d", "user:a call:x result:c answer:e"),
  ).toEqual(["= a a a", "≠ - b x", "≠ - c c", "≠ d d e"]);
  expect(shown("user:a call:b result:c answer:d", "user:a answer:d")).toEqual([
    "= a a",
    "≠ b -",
    "≠ c -",
    "= d d",
  ]);
});

test("alignRuns of equal runs, of one run and of nothing has no divergence", () => {
  expect(alignRuns([moments("user:a"), moments("user:a")]).divergence).toBe(-1);
  expect(alignRuns([moments("user:a")]).divergence).toBe(-1);
  expect(alignRuns([])).toEqual({ rows: [], divergence: -1, effect: -1 });
  expect(alignRuns([[], moments("user:a")]).divergence).toBe(0);
});

test("alignRuns of long runs ends, and compares them place by place", () => {
  const long = Array.from({ length: 2_500 }, (_, at) => `user:${at}`).join(" ");
  const { rows, divergence } = alignRuns([moments(long), moments(`${long} answer:x`)]);
  expect([rows.length, divergence]).toEqual([2_501, 2_500]);
});

const context = {
  modelCall: {
    model: "m",
    system: "Be kind.",
    options: { seed: 1 },
    tools: [{ name: "look", description: "", inputSchema: {} }],
  },
  messages: [
    { id: "1", role: "user", content: [{ type: "text", text: "Look." }] },
    { id: "2", role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: { a: 1 } }] },
    {
      id: "3",
      role: "tool",
      content: [
        {
          type: "tool_result",
          id: "c",
          name: "look",
          state: "error",
          output: [{ type: "text", text: "dark" }],
        },
      ],
    },
    { id: "4", role: "assistant", content: [{ type: "text", text: "It is dark." }] },
  ],
} as unknown as JsonObject;

test("momentsOf has the settings of the newest request and the conversation, without ids", () => {
  expect(momentsOf(context).map(({ title, text }) => [title, text])).toEqual([
    ["system prompt", "Be kind."],
    ["model", "m"],
    ["options", '{"seed":1}'],
    ["tools", "look"],
    ["user", "Look."],
    ["calls look", 'look {"a":1}'],
    ["result of look", "error: dark"],
    ["answer", "It is dark."],
  ]);
  expect(answerOf(momentsOf(context))).toBe("It is dark.");
  expect(momentsOf(undefined)).toEqual([]);
});
