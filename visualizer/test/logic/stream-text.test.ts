// Text that is being written.
import { expect, test } from "vitest";
import { foldStream, NO_STREAM, withoutStored } from "../../src/logic/stream-text.ts";
import type { StreamDelta } from "../../src/wire/types.ts";

let n = 0;
const delta = (
  messageId: string,
  index: number,
  text: string,
  more: Partial<StreamDelta> = {},
): StreamDelta => ({
  runId: "r",
  n: ++n,
  messageId,
  index,
  kind: "text",
  delta: text,
  ...more,
});

test("foldStream joins the deltas of a block", () => {
  const { blocks, hasGaps } = foldStream(NO_STREAM, [
    delta("m1", 0, "Hel"),
    delta("m1", 0, "lo"),
    delta("m1", 1, '{"a"', { kind: "tool_use", callId: "c", name: "shell" }),
    delta("m1", 1, ":1}", { kind: "tool_use" }),
  ]);
  expect(blocks.map(({ text }) => text)).toEqual(["Hello", '{"a":1}']);
  expect(blocks[1]).toMatchObject({ callId: "c", name: "shell" });
  expect(hasGaps).toBe(false);
});

test("foldStream reports gaps until the next message starts", () => {
  const first = foldStream(NO_STREAM, [delta("m2", 0, "a")]);
  n += 5;
  const torn = foldStream(first, [delta("m2", 0, "b")]);
  expect(torn.hasGaps).toBe(true);
  expect(foldStream(torn, [delta("m3", 0, "c")])).toMatchObject({ hasGaps: false, blocks: [{ text: "c" }] });
});

test("a gap is of the message in which it was, also after that is stored, and of one that it may have begun", () => {
  const first = foldStream(NO_STREAM, [delta("m5", 0, "a")]);
  n += 5;
  const torn = foldStream(first, [delta("m5", 0, "b")]);
  const stored = withoutStored(
    torn,
    () => true,
    () => false,
  );
  expect(foldStream(stored, [delta("m6", 0, "c")]).hasGaps).toBe(false);
  n += 5;
  expect(foldStream(first, [delta("m7", 0, "begins late")]).hasGaps).toBe(true);
});

test("withoutStored removes stored text and keeps the output of running tools", () => {
  const state = foldStream(NO_STREAM, [
    delta("m4", 0, "text"),
    delta("m4", 0, "out", { kind: "tool", callId: "c1" }),
    delta("m4", 0, "old", { kind: "tool", callId: "c2" }),
  ]);
  const left = withoutStored(
    state,
    (id) => id === "m4",
    (id) => id === "c1",
  );
  expect(left.blocks.map(({ text }) => text)).toEqual(["out"]);
});
