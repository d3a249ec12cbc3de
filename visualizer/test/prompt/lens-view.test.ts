// The tab of the prompt.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { promptLens } from "../../../src/inspect/protocol/prompt-lens.ts";
import { checkedLens } from "../../src/logic/lens-shape.ts";
import { Lens } from "../../src/prompt/lens-view.tsx";
import type { JsonObject, Msg, RecordedCall } from "../../src/wire/types.ts";

const message = (id: string, role: Msg["role"], ...content: Msg["content"]): Msg => ({
  id,
  role,
  name: role,
  content,
  metadata: {},
  timestamp: 0,
});
const text = (value: string) => ({ type: "text", text: value }) as const;
const messages: readonly Msg[] = [
  message("m1", "user", text("The order is ORD-17.")),
  message("m2", "assistant", { type: "tool_use", id: "c", name: "look", input: { at: "<b>door</b>" } }),
  message("m3", "tool", {
    type: "tool_result",
    id: "c",
    name: "look",
    state: "error",
    output: [text("gone")],
  }),
  message("m4", "user", text("Again."), {
    type: "image",
    source: { type: "url", url: "https://models.test/x.png" },
  }),
];
const call: RecordedCall = {
  id: "a",
  number: 2,
  turn: 1,
  iteration: 0,
  attempt: 2,
  length: 4,
  step: 1,
  phase: "reasoning",
  model: "gpt-4.1",
  view: { from: 1, head: [], clearedTo: 0 },
  bound: { maxMessages: 3 },
  results: { maxTokens: null, tools: {}, exclude: [], keepMedia: null },
  system: "Prices are in euros.",
  options: { temperature: 0.2 },
  tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }],
  edits: [
    {
      hook: "tone",
      system: "Prices are in dollars.",
      options: { seed: 1 },
      tools: [],
      pieces: [
        { from: 0, to: 2 },
        { inserted: [message("m4", "user", text("Never again.")), message("h", "user", text("Hint"))] },
      ],
    },
  ],
  entered: [
    {
      hook: "enter",
      system: { before: "", after: "Prices are in euros." },
      input: { before: [messages[3]!], after: [messages[3]!] },
    },
  ],
};
const context = { messages, modelCall: call } as unknown as JsonObject;

function rendered(recorded: JsonObject): string {
  const lens = checkedLens(
    promptLens(recorded["modelCall"] as unknown as RecordedCall, recorded, () => undefined),
  );
  return renderToStaticMarkup(createElement(Lens, { lens, transcript: messages, comparison: undefined }));
}

test("the tab says what was sent, what was left out, and what each hook changed", () => {
  const html = rendered(context);
  expect(html).toContain("1 message left out by the option contextWindow (at most 3 messages)");
  expect(html).toContain("The order is ORD-17.");
  expect(html).toContain("Prices are in <del>euros</del>.");
  expect(html).toContain("Prices are in <ins>dollars</ins>.");
  expect(html).toContain("Tools no longer offered");
  expect(html).toContain("changed by the hook tone");
  expect(html).toContain("<ins>Never again.</ins>");
  expect(html).toContain("added by the hook tone");
  expect(html).toContain("None was offered.");
  expect(html).toContain("&lt;b&gt;door&lt;/b&gt;");
  expect(html).not.toContain("<img");
});

/** The paths of all values within a value. */
const pathsOf = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value !== "object" || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))];

function replaced(value: unknown, [key, ...path]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? replaced(item, path, by) : item));
  const fields = value as { readonly [name: string]: unknown };
  return { ...fields, [key]: replaced(fields[key], path, by) };
}

const DAMAGE: readonly unknown[] = [
  null,
  undefined,
  7,
  -1,
  1e300,
  "x",
  true,
  [],
  [null],
  {},
  { $blob: "x", head: "y" },
  [[{}]],
];

test("whatever one value of a record is damaged to, the tab is drawn, or the record is refused with an error", () => {
  let drawn = 0;
  for (const path of pathsOf(context).filter(({ length }) => length > 0))
    for (const by of DAMAGE) {
      const damaged = replaced(context, path, by) as JsonObject;
      const lens = lensOf(damaged);
      if (!lens) continue;
      drawn++;
      const tab = createElement(Lens, { lens, transcript: messages, comparison: undefined });
      expect(() => renderToStaticMarkup(tab), `${path.join(".")}: ${JSON.stringify(by)}`).not.toThrow();
    }
  expect(drawn).toBeGreaterThan(100);
});

/** The request of a record; undefined for a record that is refused. */
function lensOf(recorded: JsonObject): ReturnType<typeof checkedLens> | undefined {
  try {
    return checkedLens(
      promptLens(recorded["modelCall"] as unknown as RecordedCall, recorded, () => undefined),
    );
  } catch {
    return undefined;
  }
}
