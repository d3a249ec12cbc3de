// Structured answers take form while they are written.
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { AgentEvent, ChatModel, StreamPart } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { partialSchema } from "../../../src/core/tool/partial-schema.ts";
import { validateInput } from "../../../src/core/tool/validate-input.ts";
// Not as "agentchart": an agent that is killed while an answer comes asks for it again.
import { createAgent } from "../../../src/index.ts";

const Order = z.object({
  dish: z.string().min(3),
  size: z.enum(["small", "large"]),
  extras: z.array(z.object({ name: z.string(), grams: z.number() })).min(1),
});
const ORDER = { dish: "Pizza", size: "large", extras: [{ name: "cheese", grams: 125 }] };
const FINISH: StreamPart = { type: "finish", reason: "stop" };

const pieces = (text: string, size: number): string[] => text.match(new RegExp(`.{1,${size}}`, "gsu"))!;
/** The answer as the text of a model that keeps to a schema by itself. */
const asText = (value: unknown, size: number): StreamPart[] => [
  ...pieces(JSON.stringify(value), size).map((delta) => ({ type: "text.delta" as const, delta })),
  FINISH,
];
/** The answer as the arguments of the tool that gives it. */
const asArguments = (value: unknown, size: number): StreamPart[] => [
  ...pieces(JSON.stringify({ response: value }), size).map((args, at) => ({
    type: "tool.delta" as const,
    key: 0,
    ...(at === 0 && { id: "c1", name: "generate_response" }),
    args,
  })),
  { type: "finish", reason: "tool_calls" },
];
const modelOf = (turns: readonly ScriptedTurn[], structuredOutput: boolean): ChatModel => ({
  ...scriptedModel(turns),
  capabilities: { structuredOutput },
});

const isPartial = (event: AgentEvent): event is AgentEvent & { readonly type: "output.partial" } =>
  event.type === "output.partial";

async function partsOf(model: ChatModel, output: z.ZodType | { readonly type: string } = Order) {
  const agent = createAgent({ name: "bot", model });
  const events: AgentEvent[] = [];
  const stream = agent.stream("Order.", { output });
  for await (const event of stream) events.push(event as AgentEvent);
  const { output: whole } = await stream.reply;
  return { events, whole, values: events.filter(isPartial).map(({ value }) => value) };
}

describe.each([
  ["text", asText, true],
  ["arguments of a tool", asArguments, false],
] as const)("a structured answer that comes as %s", (_, as, isNative) => {
  test.each([1, 3, 7])(
    "takes form in pieces of %i characters, each fitting the schema but for what may come",
    async (size) => {
      const { values, whole } = await partsOf(modelOf([as(ORDER, size)], isNative));
      const form = partialSchema(z.toJSONSchema(Order) as never);
      expect(values.length).toBeGreaterThan(5);
      for (const value of values) expect(validateInput(form, value)).toBeNull();
      expect(values.at(-1)).toEqual(ORDER);
      expect(whole).toEqual(ORDER);
      const sizes = values
        .map((value) => (value as { size?: string }).size)
        .filter((each) => each !== undefined);
      expect(new Set(sizes)).toEqual(new Set(["large"])); // never "l", "la", …
      const grams = JSON.stringify(values).match(/"grams":\d+/gu);
      expect(new Set(grams)).toEqual(new Set(['"grams":125']));
    },
  );

  test("is shown before it is whole, and never backwards", async () => {
    const { values } = await partsOf(modelOf([as(ORDER, 2)], isNative));
    const dishes = values.map((value) => (value as { dish?: string }).dish ?? "");
    for (const [at, dish] of dishes.entries()) expect(dish.startsWith(dishes[at - 1] ?? "")).toBe(true);
    expect(dishes.some((dish) => dish.length > 0 && dish.length < 5)).toBe(true);
  });

  test("shows nothing that does not fit, and begins anew when it is asked for again", async () => {
    const wrong = { dish: 7, size: "large" };
    const { values, events, whole } = await partsOf(modelOf([as(wrong, 2), as(ORDER, 4)], isNative));
    expect(JSON.stringify(values)).not.toContain("7");
    expect(whole).toEqual(ORDER);
    expect(new Set(events.filter(isPartial).map(({ messageId }) => messageId)).size).toBeGreaterThan(0);
  });
});

test("a long answer is read so often that the work grows with its length", async () => {
  const long = { ...ORDER, dish: "x".repeat(40_000) };
  const { values } = await partsOf(modelOf([asText(long, 4)], true));
  expect(values.length).toBeLessThan(1_500);
  expect(values.at(-1)).toEqual(long);
});

test("a turn that is asked for no structured answer, and text beside one, have no parts", async () => {
  const model = modelOf([[{ type: "text.delta", delta: '{"dish":"Pizza"}' }, FINISH]], true);
  const events: AgentEvent[] = [];
  for await (const event of createAgent({ name: "bot", model }).stream("x")) events.push(event as AgentEvent);
  expect(events.filter(isPartial)).toEqual([]);
  const prose = [{ type: "text.delta" as const, delta: "Let me see: {" }, FINISH];
  expect((await partsOf(modelOf([prose, asText(ORDER, 9)], true))).values.at(-1)).toEqual(ORDER);
});

test("an unread part is replaced by the next one", async () => {
  const agent = createAgent({ name: "bot", model: modelOf([asText(ORDER, 1)], true) });
  const stream = agent.stream("x", { output: Order });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  await stream.reply;
  let count = 0;
  for (let read = await iterator.next(); !read.done; read = await iterator.next())
    if (read.value.type === "output.partial") count++;
  expect(count).toBe(1);
});

test("the events of a stream are typed by the schema", () => {
  const agent = createAgent({ name: "bot", model: scriptedModel([]) });
  const stream = agent.stream("x", { output: Order });
  type Event = typeof stream extends AsyncIterable<infer E> ? E : never;
  type Value = Extract<Event, { readonly type: "output.partial" }>["value"];
  expectTypeOf<Value["dish"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<NonNullable<Value["extras"]>[number]["grams"]>().toEqualTypeOf<number | undefined>();
});

describe("the partial form of a schema", () => {
  test.each<readonly [string, object, unknown, boolean]>([
    [
      "lets members be missing",
      { type: "object", required: ["a"], properties: { a: { type: "string" } } },
      {},
      true,
    ],
    ["refuses another type", { type: "object", properties: { a: { type: "string" } } }, { a: 1 }, false],
    [
      "keeps a property that is named like a keyword",
      { properties: { required: { type: "number" } } },
      { required: "x" },
      false,
    ],
    [
      "lets a string have no end",
      { type: "string", minLength: 5, pattern: "z$", format: "email" },
      "ab",
      true,
    ],
    ["keeps the longest length", { type: "string", maxLength: 2 }, "abc", false],
    ["keeps an enum", { enum: ["small", "large"] }, "la", false],
    ["lets a part fit several alternatives", { oneOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, true],
    ["refuses what fits no alternative", { oneOf: [{ type: "string" }, { type: "number" }] }, true, false],
    [
      "follows references to itself",
      {
        $ref: "#/$defs/n",
        $defs: { n: { type: "object", required: ["k"], properties: { next: { $ref: "#/$defs/n" } } } },
      },
      { next: { next: {} } },
      true,
    ],
    [
      "refuses within references",
      { $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" } } } } },
      { next: { next: 1 } },
      false,
    ],
    [
      "refuses unknown members where the schema does",
      { additionalProperties: false, properties: {} },
      { x: 1 },
      false,
    ],
  ])("%s", (_, schema, value, fits) => {
    expect(validateInput(partialSchema(schema as never), value) === null).toBe(fits);
  });
});
