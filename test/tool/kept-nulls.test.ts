// Nulls that the schema of a field takes reach the tool.
import { describe, expect, test } from "vitest";
import { defineTool, type Json, type JsonObject, type Schema, type Tool, type AnyTool } from "agentchart";
import { z } from "zod";
import { prepareInput } from "../../src/core/tool/prepare-input.ts";
import { pruneNulls } from "../../src/core/tool/prune-nulls.ts";
import { validateInput } from "../../src/core/tool/validate-input.ts";
import fc from "../support/fast-check.ts";

/** What the tool gets of these arguments, or the error that the model reads. */
async function taken(input: Schema, given: JsonObject): Promise<unknown> {
  const tool = defineTool({ name: "t", description: "", input, execute: () => "ok" }) as unknown as Tool;
  const prepared = await prepareInput(tool as AnyTool, {
    type: "tool_use",
    id: "c",
    name: "t",
    input: given,
  });
  return "value" in prepared ? prepared.value : { error: prepared.result.output };
}

/** A zod schema as another library would give it: by the Standard Schema interface alone. */
function asStandard(schema: z.ZodType): Schema {
  const { jsonSchema: _, ...standard } = schema["~standard"];
  const { $schema: __, "~standard": ___, ...json } = z.toJSONSchema(schema, { io: "input" });
  return { "~standard": { ...standard, vendor: "other", jsonSchema: { input: () => json } } } as Schema;
}

const text = z.string();
const patch = z.object({ title: text.nullable(), due: text.nullable() }).partial();

describe("S20 a null that the schema of its field takes reaches the tool", () => {
  const shapes: { readonly [shape: string]: readonly [z.ZodObject, JsonObject] } = {
    "nullable and optional": [
      z.object({ id: text, assignee: text.nullable().optional() }),
      { id: "T1", assignee: null },
    ],
    nullish: [z.object({ due: text.nullish() }), { due: null }],
    "nullable with a default": [z.object({ limit: z.number().nullable().default(10) }), { limit: null }],
    "a union with null": [z.object({ v: z.union([text, z.null()]).optional() }), { v: null }],
    any: [z.object({ v: z.any().optional() }), { v: null }],
    unknown: [z.object({ v: z.unknown() }), { v: null }],
    json: [z.object({ v: z.json().optional() }), { v: null }],
    "the values of a record": [z.object({ set: z.record(text, text.nullable()) }), { set: { a: null } }],
    "a partial patch": [patch, { due: null }],
    "a nested patch": [z.object({ patch, by: text.optional() }), { patch: { due: null } }],
    "the items of a list": [z.object({ row: z.array(z.number().nullable()) }), { row: [1, null] }],
    "a patch in a list": [z.object({ all: z.array(patch) }), { all: [{ due: null, title: "a" }] }],
    "one of several kinds": [
      z.object({
        by: z.union([z.object({ a: text.nullish() }).strict(), z.object({ b: text.optional() }).strict()]),
      }),
      { by: { a: null } },
    ],
    "an enumeration with null": [z.object({ v: z.literal(["a", null]).optional() }), { v: null }],
  };
  test.each(Object.entries(shapes))("of zod and of a Standard Schema: %s", async (_, [schema, given]) => {
    expect(await taken(schema, given)).toEqual(given);
    expect(await taken(asStandard(schema), given)).toEqual(given);
    const { $schema: __, "~standard": ___, ...json } = z.toJSONSchema(schema, { io: "input" });
    expect(await taken(json as JsonObject, given)).toEqual(given);
  });

  const fields: { readonly [field: string]: JsonObject } = {
    "a list of types": { type: ["string", "null"] },
    "a constant": { const: null },
    "an enumeration": { enum: ["a", null] },
    "no rule": {},
    "a choice with a default": { anyOf: [{ type: "string" }, { type: "null" }], default: "keep" },
    "a condition": { if: { type: "string" }, then: { minLength: 3 } },
    "a reference": { $ref: "#/$defs/maybe" },
    "an anchor": { $ref: "#maybe" },
    "a negation": { not: { type: "string" } },
  };
  const $defs = { maybe: { $anchor: "maybe", type: ["string", "null"] } };
  test.each(Object.entries(fields))("of JSON Schema: %s", async (_, v) => {
    const properties = { v, n: { type: "number" } } as const;
    const input: JsonObject = { type: "object", properties, $defs };
    expect(await taken(input, { v: null })).toEqual({ v: null });
    expect(await taken(input, { v: null, n: null })).toEqual({ v: null });
  });

  test("although its JSON Schema does not say so, and one that zod alone refuses counts as not given", async () => {
    const input = z.object({
      coerced: z.coerce.number().optional(),
      other: z.preprocess((value) => value ?? "none", text).optional(),
      refused: z
        .unknown()
        .refine((value) => value !== null)
        .optional(),
      late: z.string().optional(),
    });
    expect(await taken(input, { coerced: null, other: null, refused: null, late: null })).toEqual({
      coerced: 0,
      other: "none",
    });
  });
});

test("S20 a null that the schema refuses where it is required, in a record or in a list stays, and is refused by path", async () => {
  for (const [schema, given, path] of [
    [z.object({ a: text }), { a: null }, "a: "],
    [z.object({ set: z.record(text, text) }), { set: { a: null } }, "set/a: "],
    [z.object({ row: z.array(text) }), { row: [null] }, "row/0: "],
  ] as const)
    expect(JSON.stringify(await taken(schema, given))).toContain(path);
});

/** A field of a generated object: its schema, whether it may be missing, and what it may hold beside null. */
type Field = {
  readonly schema: z.ZodType;
  readonly isOptional: boolean;
  readonly value: fc.Arbitrary<Json>;
  /** What the tool is to get of a value that is not null. */
  readonly kept: (value: Json) => Json | undefined;
};

const LEAVES: readonly z.ZodType[] = [
  text,
  text.nullable(),
  text.nullable().default("d"),
  text.default("d"),
  z.union([text, z.null()]),
  z.enum(["x", "y"]),
  z.literal(["x", null]),
  z.any(),
  z.json(),
  text.min(1).nullable(),
  z.intersection(text.nullable(), z.union([text, z.null(), z.number()])),
];

const leaf = fc.constantFrom(...LEAVES).map((schema) => ({
  schema,
  value: fc.constant<Json>("x"),
  kept: (value: Json) => value,
}));

const nullableOf = (of: Omit<Field, "isOptional">) => ({ ...of, schema: of.schema.nullable() });

const listOf = ({ schema, value, kept }: Omit<Field, "isOptional">) => ({
  schema: z.array(schema),
  value: fc.array(value, { maxLength: 2 }) as fc.Arbitrary<Json>,
  kept: (list: Json) => {
    const items = (list as Json[]).map(kept);
    return items.includes(undefined) ? undefined : (items as Json[]);
  },
});

/** An object of generated fields. `kept` says by the verdict of each field alone what of a value is kept; undefined if it is refused. */
const shape = fc.letrec<{ readonly object: Omit<Field, "isOptional">; readonly field: Field }>((tie) => ({
  field: fc
    .record({
      isOptional: fc.boolean(),
      of: fc.oneof(
        { depthSize: "small", maxDepth: 3 },
        { weight: 3, arbitrary: leaf },
        { weight: 1, arbitrary: tie("object") },
        { weight: 1, arbitrary: tie("object").map(nullableOf) },
        { weight: 1, arbitrary: tie("object").map(listOf) },
      ),
    })
    .map(({ isOptional, of }) => ({
      ...of,
      isOptional,
      schema: isOptional ? of.schema.optional() : of.schema,
    })) as fc.Arbitrary<Field>,
  object: fc
    .array(tie("field"), { minLength: 1, maxLength: 4 })
    .map((fields) => objectOf(Object.fromEntries(fields.map((field, index) => [`f${index}`, field])))),
}));

function objectOf(fields: { readonly [name: string]: Field }): Omit<Field, "isOptional"> {
  const values = Object.entries(fields).map(([name, { value, isOptional }]) => [
    name,
    fc.oneof(value, fc.constant(null), ...(isOptional ? [fc.constant(undefined)] : [])),
  ]);
  return {
    schema: z.object(Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))),
    value: (fc.record(Object.fromEntries(values)) as fc.Arbitrary<{ [name: string]: Json | undefined }>).map(
      (value) => JSON.parse(JSON.stringify(value)) as Json,
    ),
    kept: (value) => {
      const entries: [string, Json][] = [];
      for (const [name, item] of Object.entries(value as JsonObject)) {
        const { schema, isOptional, kept } = fields[name]!;
        const takesNull = schema.safeParse(null).success;
        const mayMiss = isOptional || schema.safeParse(undefined).success;
        if (item === null && !takesNull && !mayMiss) return undefined;
        if (item === null && !takesNull) continue;
        const rest = item === null ? null : kept(item);
        if (rest === undefined) return undefined;
        entries.push([name, rest]);
      }
      return Object.fromEntries(entries);
    },
  };
}

const numRuns = process.env["SOAK"] === "1" ? 20_000 : 400;
const cases = shape.object.chain((object) => fc.tuple(fc.constant(object), object.value));

test("S20 of random arguments a tool of zod gets what the schemas of the fields say of each null, and the model the rest as an error", async () => {
  const seen = { kept: 0, pruned: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(cases, async ([{ schema, kept }, given]) => {
      const expected = kept(given);
      const got = await taken(schema, given as JsonObject);
      seen[
        expected === undefined
          ? "refused"
          : JSON.stringify(expected) === JSON.stringify(given)
            ? "kept"
            : "pruned"
      ]++;
      expect(got).toEqual(expected === undefined ? { error: expect.anything() } : schema.parse(expected));
    }),
    { numRuns },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(numRuns / 20);
});

test("S20 of random arguments a tool of JSON Schema gets the same", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ([{ schema, kept }, given]) => {
      const { $schema: _, "~standard": __, ...json } = z.toJSONSchema(schema, { io: "input" });
      const expected = kept(given);
      expect(await taken(json as JsonObject, given as JsonObject)).toEqual(
        expected ?? { error: expect.anything() },
      );
    }),
    { numRuns },
  );
});

test("S20 a value that a schema accepts is never changed, and a changed one has lost optional nulls only", () => {
  const part = fc.constantFrom<JsonObject>(
    { type: "object", properties: { a: { type: "string" }, b: { type: ["number", "null"] } } },
    { properties: { a: { type: ["string", "null"] } }, required: ["a"] },
    { properties: { a: {} }, additionalProperties: { type: "string" } },
    { patternProperties: { "^b": { type: "number" } }, properties: { b: {} } },
    { required: ["b"] },
    { not: { properties: { a: { type: "null" } }, required: ["a"] } },
  );
  const schemas = fc.oneof(
    part,
    fc
      .tuple(fc.constantFrom("allOf", "anyOf", "oneOf"), fc.array(part, { minLength: 1, maxLength: 3 }))
      .map(([keyword, parts]): JsonObject => ({ [keyword]: parts })),
  );
  const values = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.constantFrom<Json>(null, "x", 1),
  ) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const pruned = pruneNulls(schema, value) as JsonObject;
      if (validateInput(schema, value) === null) expect(pruned).toBe(value);
      for (const [name, item] of Object.entries(value))
        if (!Object.hasOwn(pruned, name)) expect(item).toBeNull();
        else expect(pruned[name]).toBe(item);
    }),
    { numRuns },
  );
});
