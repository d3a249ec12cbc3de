// Texts about a request.
import { expect, test } from "vitest";
import { comparePrompts, leftText, lineOf, originText, phaseText } from "../../src/logic/prompt-texts.ts";
import type { Msg, PromptLens } from "../../src/wire/types.ts";

const message = (id: string, text: string): Msg => ({
  id,
  role: "user",
  name: "user",
  content: [{ type: "text", text }],
  metadata: {},
  timestamp: 0,
});
const call = { phase: "reasoning", model: "m", options: {} } as unknown as PromptLens["call"];
const lens = (
  request: Partial<PromptLens["request"]>,
  more: Partial<PromptLens["call"]> = {},
): PromptLens => ({
  call: { ...call, ...more },
  request: { messages: [], tools: [], options: {}, ...request },
  rows: [],
  hooks: [],
  sizes: { system: 0, tools: 0, messages: 0 },
  isWhole: true,
});
const left = { kind: "left", from: 0, to: 3 } as const;

test("leftText says what left messages out, with its bounds", () => {
  const bound = { maxMessages: 4, maxTokens: 12_000 };
  expect(leftText({ ...left, by: "contextWindow" }, { ...call, bound })).toBe(
    "3 messages left out by the option contextWindow (at most 4 messages, at most 12k tokens)",
  );
  expect(leftText({ ...left, to: 1, by: "hook", hook: "trim" }, call)).toBe(
    "1 message left out by the hook trim",
  );
  expect(leftText({ ...left, by: "compaction" }, { ...call, window: 128_000 })).toBe(
    "3 messages left out by a compaction: the model (its window has 128k tokens) sees a summary in their place",
  );
  expect(leftText({ ...left, by: "merged" }, call)).toBe(
    "3 messages merged into the text of the message above, with the calls of another persona",
  );
  expect(leftText({ ...left, by: "unknown" }, call)).toBe(
    "3 messages left out: what left them out is not recorded",
  );
  expect(leftText({ ...left, by: "both" }, call)).toMatch(/^3 messages left out: a summary stands for/);
});

test("originText and phaseText say why something is in a request", () => {
  const row = { kind: "message", index: 0, size: 1 } as const;
  expect(originText({ ...row, from: "transcript" })).toBe("");
  expect(originText({ ...row, from: "transcript", form: "inPart" })).toBe("a long result, shown in part");
  expect(originText({ ...row, from: "transcript", form: "refused", why: "Could not process image" })).toBe(
    "shown without what the provider refused: Could not process image",
  );
  expect(originText({ ...row, from: "hook", hook: "h" })).toBe("added by the hook h");
  expect(originText({ ...row, from: "hook", hook: "h", before: message("a", "x") })).toBe(
    "changed by the hook h",
  );
  expect(phaseText({ ...call, phase: "compaction" })).toBe("for a summary of the conversation");
});

test("lineOf has the texts, calls and results of a message on one line", () => {
  const content: Msg["content"] = [
    { type: "text", text: "Look\n here" },
    { type: "tool_use", id: "c", name: "look", input: {} },
    {
      type: "tool_result",
      id: "c",
      name: "look",
      state: "success",
      output: [{ type: "text", text: "seen" }],
    },
  ];
  expect(lineOf({ ...message("a", ""), content })).toBe("Look here calls look look: seen");
  const blob = { $blob: "h", length: 9_000, head: "The beginning" } as unknown as string;
  expect(lineOf(message("a", blob))).toBe("The beginning");
});

test("comparePrompts counts the messages that stayed, and names what else changed", () => {
  const [a, b, c] = [message("a", "A"), message("b", "B"), message("c", "C")];
  const tool = (name: string, inputSchema = {}) => ({ name, description: "", inputSchema });
  const before = lens({ messages: [a, b], tools: [tool("x"), tool("y")], options: { seed: 1 } });
  expect(comparePrompts(before, lens({ ...before.request, messages: [a, b, c] }))).toEqual({
    same: 2,
    changes: [],
  });
  const other = lens(
    { messages: [a, c], tools: [tool("y"), tool("z")], options: { seed: 2, topP: 1 } },
    { model: "n" },
  );
  expect(comparePrompts(before, other)).toEqual({
    same: 1,
    changes: ["more tools: z", "without the tools x", "other options: seed, topP", "another model: n"],
  });
  const schemas = lens({ ...before.request, tools: [tool("x", { type: "object" }), tool("y")] });
  expect(comparePrompts(before, schemas).changes).toEqual(["the tools have other schemas"]);
});
