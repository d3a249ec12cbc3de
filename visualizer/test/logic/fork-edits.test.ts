// What a fork may edit.
import { expect, test } from "vitest";
import { changesOf, editablesOf, type Edit } from "../../src/logic/fork-edits.ts";
import type { ForkPlan, JsonObject } from "../../src/wire/types.ts";

const agent: NonNullable<ForkPlan["agent"]> = {
  system: "Be kind.",
  tools: ["look", "sing"],
  model: "m",
  models: [],
  hasOthers: false,
  options: { temperature: 0 },
};
const message = (id: string, role: string, ...content: object[]) => ({
  id,
  role,
  name: role,
  content,
  metadata: {},
  timestamp: 0,
});
const call = { type: "tool_use", id: "c", name: "look", input: { at: "north" } };
const context = {
  messages: [
    message("1", "user", { type: "text", text: "Look\nnorth." }),
    message("2", "assistant", { type: "text", text: "I look." }, call),
    message("3", "tool", {
      type: "tool_result",
      id: "c",
      name: "look",
      state: "success",
      output: [{ type: "text", text: { $blob: "sha", length: 9_000, head: "a bear" } }],
    }),
  ],
} as unknown as JsonObject;

const edit = (key: string, now: string, from: JsonObject = context): Edit => ({
  ...editablesOf(from, agent).find((each) => each.key === key)!,
  now,
});

test("editablesOf lists the agent's parts, then messages, arguments and results, the newest first", () => {
  expect(editablesOf(context, agent).map(({ key, label, value }) => [key, label, value])).toEqual([
    ["system", "system prompt", "Be kind."],
    ["model", "model", "m"],
    ["options", "options of the model", '{\n  "temperature": 0\n}'],
    ["tools", "tools", "look\nsing"],
    ["result:c", "result of look: a bear", "a bear"],
    ["message:2", "assistant: I look.", "I look."],
    ["arguments:c", "arguments of look", '{\n  "at": "north"\n}'],
    ["message:1", "user: Look north.", "Look\nnorth."],
  ]);
  expect(editablesOf(context, agent).find(({ key }) => key === "result:c")?.blob).toBe("sha");
  expect(editablesOf(undefined, undefined)).toEqual([]);
});

test("editablesOf shows what was sent rather than what the agent has now, and the result that an open call lacks", () => {
  const sent = {
    request: { system: "Sent." },
    modelCall: { model: "other", tools: [{ name: "sing" }], options: { seed: 1 }, system: "Base." },
    messages: [message("2", "assistant", call)],
    calls: [{ call, status: "pending", stored: false }],
  } as unknown as JsonObject;
  const values = new Map(editablesOf(sent, agent).map(({ key, value }) => [key, value]));
  expect([values.get("system"), values.get("model"), values.get("tools")]).toEqual([
    "Sent.",
    "other",
    "sing",
  ]);
  expect(values.get("result:c")).toBe("");
  expect(values.has("message:2")).toBe(false);
});

test("changesOf has only what differs, several parts at once", () => {
  expect(
    changesOf([
      edit("system", "Be brief."),
      edit("model", " other "),
      edit("tools", "sing"),
      edit("options", '{"seed": 1}'),
      edit("message:1", "Look south."),
      edit("message:2", "I look."),
      edit("arguments:c", '{"at":"south"}'),
      edit("result:c", "a bird"),
    ]),
  ).toEqual({
    changes: {
      system: "Be brief.",
      model: "other",
      tools: ["sing"],
      options: { temperature: null, seed: 1 },
      messages: { 1: "Look south." },
      arguments: { c: { at: "south" } },
      results: { c: "a bird" },
    },
  });
});

test.each([
  ["arguments:c", "[]", "arguments of look: expected a JSON object."],
  ["options", "{", "options of the model: expected a JSON object."],
  ["model", " ", "The model needs a name."],
])("changesOf says what is wrong with %s", (key, now, problem) => {
  expect(changesOf([edit(key, now)])).toEqual({ problem });
});
