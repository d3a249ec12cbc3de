// Long arguments are read once.
import { expect, test } from "vitest";
import { createFold } from "../../../src/core/model/fold.ts";
import { createPartReader } from "../../../src/core/model/openai/part-reader.ts";
import { createResponsesReader } from "../../../src/core/model/openai/responses-reader.ts";
import type { WireChunk } from "../../../src/core/model/openai/wire.ts";

/** CPU seconds for 1 MB of arguments in pieces of one character; a second is usual, a reader that reads again what came before needs
 *  many minutes. */
const BOUND = 10;

const ARGS = JSON.stringify({ text: "x{}".repeat(333_333) });

function measured(reader: ReturnType<typeof createPartReader>, chunks: Iterable<object>) {
  const fold = createFold({ newCallId: () => "own" });
  const before = process.cpuUsage();
  for (const chunk of chunks) for (const part of reader.read(chunk as WireChunk)) fold.push(part);
  for (const part of reader.finish()) fold.push(part);
  const { content } = fold.finish();
  const { user, system } = process.cpuUsage(before);
  return { content, seconds: (user + system) / 1e6 };
}

const whole = [expect.objectContaining({ type: "tool_use", name: "f", input: JSON.parse(ARGS) as unknown })];

test.each<[string, (place: number) => object, boolean]>([
  ["an index", (place) => ({ index: 0, ...(place === 0 && { id: "c" }) }), false],
  ["an index that grows", (place) => ({ index: place, ...(place === 0 && { id: "c" }) }), false],
  ["an id", () => ({ id: "c" }), false],
  ["nothing", (place) => (place === 0 ? { id: "c" } : {}), false],
  ["only the name", () => ({}), true],
  ["an index, the name and another id", (place) => ({ index: 0, id: `c${place}` }), true],
])("long arguments whose pieces have %s are read once", (_, fields, hasNames) => {
  function* chunks() {
    for (let place = 0; place < ARGS.length; place++) {
      const name = place === 0 || hasNames ? { name: "f" } : {};
      const called = { ...fields(place), function: { ...name, arguments: ARGS[place] } };
      yield { choices: [{ index: 0, delta: { tool_calls: [called] } }] };
    }
    yield { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  }
  const { content, seconds } = measured(createPartReader(), chunks());
  expect(content).toEqual(whole);
  expect(seconds).toBeLessThan(BOUND);
});

test("long arguments of Responses are read once", () => {
  function* events() {
    const item = { type: "function_call", id: "i", call_id: "c", name: "f" };
    yield { type: "response.output_item.added", output_index: 0, item };
    for (const delta of ARGS.split(""))
      yield { type: "response.function_call_arguments.delta", output_index: 0, item_id: "i", delta };
    const output = [{ ...item, arguments: ARGS }];
    yield { type: "response.completed", response: { status: "completed", output } };
  }
  const { content, seconds } = measured(createResponsesReader(), events());
  expect(content).toEqual(whole);
  expect(seconds).toBeLessThan(BOUND);
});
