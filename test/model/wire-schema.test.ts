// Schemas of tools as each host takes them.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import fc from "../support/fast-check.ts";
import { defineTool, userMsg } from "agentchart";
import { validateInput } from "../../src/core/tool/validate-input.ts";
import type { Json, JsonObject } from "../../src/core/base/json.ts";
import { DIALECT_NAMES, HOSTS } from "../../src/core/model/hosts.ts";
import type { ToolSpec } from "../../src/core/model/port.ts";
import { wireSchema } from "../../src/core/model/wire-schema.ts";
import { leftOutOf, wireChoice, wireToolsOf } from "../../src/core/model/wire-tools.ts";
import { refusalsOf } from "../support/every-host.ts";

const circle = z.object({ kind: z.literal("circle"), radius: z.number() });
const square = z.object({ kind: z.literal("square"), side: z.number(), unit: z.string().optional() });
const fromZod = (input: z.ZodType): JsonObject =>
  defineTool({ name: "f", description: "", input: input as never }).inputSchema;

/** 2 to the power of 30 schemas if each reference were replaced. */
const DOUBLING: JsonObject = {
  type: "object",
  properties: { a: { $ref: "#/$defs/l0" } },
  $defs: Object.fromEntries(
    Array.from({ length: 30 }, (_, level): [string, JsonObject] => {
      const next = level === 29 ? { type: "string" } : { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, { type: "object", properties: { a: next, b: next } }];
    }),
  ),
};

const deep = (depth: number): JsonObject =>
  depth === 0 ? { type: "string" } : { type: "object", properties: { a: deep(depth - 1) } };

/** What tools and servers give as the schema of arguments. */
const SCHEMAS: { readonly [what: string]: JsonObject } = {
  "nothing at all": {},
  "an object without properties": { type: "object" },
  "a zod object": fromZod(circle),
  "a zod union": fromZod(z.union([circle, square])),
  "a zod discriminated union": fromZod(z.discriminatedUnion("kind", [circle, square])),
  "a zod intersection": fromZod(z.intersection(circle, z.object({ note: z.string() }))),
  "a zod record": fromZod(z.record(z.string(), z.number())),
  "a zod object with everything": fromZod(
    z.object({
      any: z.any(),
      unknown: z.unknown().optional(),
      tuple: z.tuple([z.string(), z.number()]),
      record: z.record(z.string(), z.union([z.string(), z.null()])),
      shape: z.discriminatedUnion("kind", [circle, square]),
      level: z.union([z.literal(1), z.literal(2)]),
      nullable: z.string().nullable(),
      json: z.json(),
    }),
  ),
  "a union without a type": {
    anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "null" }],
  },
  "one of some required": {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
  },
  "all of several": {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: { type: "number" } } },
    ],
  },
  "a reference at the top": {
    $ref: "#/$defs/Input",
    $defs: {
      Input: { type: "object", properties: { a: { $ref: "#/$defs/Name" } } },
      Name: { type: "string" },
    },
  },
  "references beside other keywords": {
    type: "object",
    properties: { a: { $ref: "#/$defs/Name", description: "A name.", type: "string" } },
    $defs: { Name: { type: "string", description: "Any." } },
  },
  "a reference that leads nowhere": { type: "object", properties: { a: { $ref: "#/$defs/Gone" } } },
  "a reference to elsewhere": { type: "object", properties: { a: { $ref: "https://example.test/schema" } } },
  "a reference into a union": {
    anyOf: [{ type: "object", properties: { a: { type: "string" } } }],
    properties: { b: { $ref: "#/anyOf/0/properties/a" } },
  },
  "a schema in itself": {
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#" } } },
  },
  "a node in itself": {
    $ref: "#/definitions/Node",
    definitions: {
      Node: {
        type: "object",
        properties: { next: { anyOf: [{ $ref: "#/definitions/Node" }, { type: "null" }] } },
      },
    },
  },
  "references in a circle": {
    $ref: "#/$defs/a",
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
  },
  "schemas without types": {
    type: "object",
    properties: {
      a: { description: "Anything." },
      b: { enum: ["x", 1, null] },
      c: { const: 7 },
      d: { items: {} },
      e: true,
      f: false,
    },
  },
  "several types": {
    type: "object",
    properties: { a: { type: ["string", "null"] }, b: { type: ["number", "array"] } },
  },
  "an object or null": { type: ["object", "null"], properties: { a: { type: "string" } } },
  "lists without items": {
    type: "object",
    properties: { a: { type: "array" }, b: { type: "array", items: true } },
  },
  "tuples of both drafts": {
    type: "object",
    properties: {
      a: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      b: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
    },
  },
  "unions inside": {
    type: "object",
    properties: {
      a: { type: "object", anyOf: [{ properties: { x: { type: "string" } } }, { required: ["y"] }] },
      b: { type: "string", oneOf: [{ minLength: 1 }, { const: "" }] },
      c: { allOf: [{ type: "string" }, { description: "c" }] },
    },
  },
  conditions: {
    type: "object",
    properties: { a: { type: "string" } },
    if: { properties: { a: { const: "x" } } },
    then: { properties: { b: { type: "string" } }, required: ["b"] },
    else: { not: { required: ["b"] } },
  },
  "numbers as values": {
    type: "object",
    properties: { a: { type: "integer", enum: [1, 2, 3] }, b: { enum: [true] } },
  },
  patterns: {
    type: "object",
    properties: { a: { type: "string", pattern: "(?=x)x", maxLength: 1_000_000 } },
    patternProperties: { "^x-": { type: "string" } },
    additionalProperties: false,
  },
  "names that are required twice or are none": {
    type: "object",
    properties: { a: {} },
    required: ["a", "a", 3],
  },
  "required as OpenAPI 2 has it": { type: "object", properties: { a: { type: "string", required: true } } },
  "limits as draft 4 has them": {
    type: "object",
    properties: { a: { type: "number", minimum: 0, exclusiveMinimum: true } },
  },
  "a property named like a method": JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}',
  ) as JsonObject,
  "a doubling of references": DOUBLING,
  "a deep schema": deep(60),
};

const toolOf = (name: string, inputSchema: JsonObject, description = "d"): ToolSpec => ({
  name,
  description,
  inputSchema,
});
const requestOf = (tools: readonly ToolSpec[]) => ({
  messages: [userMsg("go")],
  tools,
  options: {},
  execution: {},
});

describe("every host takes a tool whose schema is", () => {
  test.each(Object.entries(SCHEMAS))("%s", async (_, schema) => {
    const given = JSON.stringify(schema);
    expect(await refusalsOf([requestOf([toolOf("f", schema)])])).toEqual([]);
    expect(JSON.stringify(schema), "the schema of the tool is not changed").toBe(given);
    for (const dialect of DIALECT_NAMES) {
      expect(leftOutOf([toolOf("f", schema)], dialect)).toEqual([]);
      const [tool] = wireToolsOf([toolOf("f", schema)], dialect);
      expect(JSON.stringify(tool).length).toBeLessThan(500_000);
    }
  });
});

test("a schema that a host takes goes to it as the same object", () => {
  const schema = fromZod(
    z.object({ a: z.string(), b: z.array(z.object({ c: z.number() })), d: z.record(z.string(), z.any()) }),
  );
  const tool = toolOf("f", schema);
  for (const dialect of ["openai", "mistral", "anthropic", "plain"] as const)
    expect(wireToolsOf([tool], dialect)[0]).toBe(tool);
});

test("a union at the top says which arguments belong together", () => {
  const made = wireSchema(SCHEMAS["a zod discriminated union"]!, HOSTS.openai.schema);
  expect(made).toEqual({
    schema: {
      type: "object",
      description:
        'The arguments have one of these forms: {kind: "circle", radius} | {kind: "square", side, unit?}',
      properties: {
        kind: { type: "string", enum: ["circle", "square"] },
        radius: { type: "number" },
        side: { type: "number" },
        unit: { type: "string" },
      },
      required: ["kind"],
    },
  });
});

describe("one tool that a host would refuse is left out, and named, while the others are sent:", () => {
  const good = toolOf("good", { type: "object", properties: {} });
  test.each<[string, ToolSpec, (typeof DIALECT_NAMES)[number], RegExp]>([
    ["a schema that takes no object", toolOf("bad", { type: "string" }), "openai", /takes no object/],
    [
      "a union without an object",
      toolOf("bad", { anyOf: [{ type: "string" }, { type: "null" }] }),
      "plain",
      /takes no object/,
    ],
    ["a name with a dot", toolOf("bad.name", {}), "openai", /its name does not match/],
    ["a name that begins with a digit", toolOf("3d", {}), "gemini", /its name does not match/],
    ["a name that begins with a digit", toolOf("3d", {}), "moonshot", /its name does not match/],
    [
      "an argument with a dollar",
      toolOf("bad", { type: "object", properties: { $top: {} } }),
      "anthropic",
      /argument "\$top"/,
    ],
    ["a second tool of a name", toolOf("good", {}), "anthropic", /another tool has its name/],
  ])("%s", (_, bad, dialect, reason) => {
    const tools = [good, bad];
    expect(wireToolsOf(tools, dialect).map(({ name }) => name)).toEqual(["good"]);
    expect(leftOutOf(tools, dialect)).toEqual([{ name: bad.name, reason: expect.stringMatching(reason) }]);
  });

  test("no host is sent more tools than it takes, nor a choice of one that it is not sent", () => {
    const tools = Array.from({ length: 600 }, (_, index) => toolOf(`t${index}`, {}));
    for (const dialect of DIALECT_NAMES) {
      const sent = wireToolsOf(tools, dialect);
      const most = HOSTS[dialect].tools.most ?? 600;
      expect(sent).toHaveLength(most);
      expect(leftOutOf(tools, dialect)).toHaveLength(600 - most);
      expect(wireChoice({ name: "t0" }, sent, dialect)).toEqual(
        dialect === "lmstudio" ? "required" : { name: "t0" },
      );
      if (most < 600) expect(wireChoice({ name: "t599" }, sent, dialect)).toBeUndefined();
    }
  });
});

test.each(["a".repeat(2_000), "🦉".repeat(600), `${"a".repeat(1_022)}🦉🦉`])(
  "a long description is cut at 1,024 characters where it must be, and not within one",
  async (description) => {
    const tool = toolOf("f", {}, description);
    const [cut] = wireToolsOf([tool], "openai");
    expect(cut!.description.length).toBeLessThanOrEqual(1_024);
    expect(cut!.description.length).toBeGreaterThan(1_020);
    expect(cut!.description.isWellFormed()).toBe(true);
    expect(wireToolsOf([tool], "anthropic")[0]!.description).toBe(description);
    expect(await refusalsOf([requestOf([tool])])).toEqual([]);
  },
);

// A schema, and values of which many fit.

const NAMES = fc.constantFrom("a", "b", "kind");
const leaf = fc.constantFrom<JsonObject>(
  { type: "string" },
  { type: "number" },
  { type: "integer", minimum: 1 },
  { type: "boolean" },
  { type: "null" },
  { type: ["string", "null"] },
  { enum: ["x", "y"] },
  { enum: [1, "x", null] },
  { const: "x" },
  { const: 1 },
  { $ref: "#/$defs/name" },
  { $ref: "#/$defs/tree" },
  { type: "array" },
);
const { schema: SCHEMA } = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("object"),
    tie("schema").map((items): JsonObject => ({ type: "array", items })),
    fc
      .tuple(
        fc.constantFrom("anyOf", "oneOf", "allOf"),
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
      )
      .map(([keyword, all]): JsonObject => ({ [keyword]: all })),
  ),
  object: fc
    .record({
      properties: fc.dictionary(NAMES, tie("schema"), { maxKeys: 3 }),
      required: fc.uniqueArray(NAMES, { maxLength: 2 }),
      more: fc.constantFrom<JsonObject>(
        {},
        {},
        { additionalProperties: false },
        { additionalProperties: { type: "string" } },
      ),
      union: fc.option(fc.array(tie("object"), { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
    })
    .map(({ properties, required, more, union }): JsonObject => ({
      type: "object",
      // each form of a union names each argument: one that only some of them name has the type that it has there
      properties: { a: {}, b: {}, kind: {}, ...properties },
      ...(required.length > 0 && { required }),
      ...more,
      ...(union && { anyOf: union }),
    })),
}));
const $defs: JsonObject = {
  name: { type: "string" },
  tree: { type: "object", properties: { a: { $ref: "#/$defs/tree" }, b: { type: "string" }, kind: {} } },
};

const SIMPLE = fc.constantFrom<Json>("x", "y", "z", 1, 2, true, null);
const VALUE = fc.oneof(
  SIMPLE,
  fc.array(SIMPLE, { maxLength: 2 }),
  fc.dictionary(NAMES, fc.oneof(SIMPLE, fc.dictionary(NAMES, SIMPLE, { maxKeys: 2 })), { maxKeys: 3 }),
);
const INPUT = fc.dictionary(fc.constantFrom("a", "b", "kind", "other"), VALUE, { maxKeys: 4 });

/** More of them: SOAK=1 */
const RUNS = process.env["SOAK"] === "1" ? 20_000 : 250;

test("what a tool takes, its schema on the wire takes too, at every host", () => {
  let checked = 0;
  fc.assert(
    fc.property(SCHEMA, fc.array(INPUT, { minLength: 30, maxLength: 60 }), (schema, inputs) => {
      const root: JsonObject = { ...schema, $defs };
      const fitting = inputs.filter((input) => validateInput(root, input) === null);
      for (const rule of new Set(DIALECT_NAMES.map((name) => HOSTS[name].schema))) {
        const made = wireSchema(root, rule);
        if ("problem" in made) {
          expect(fitting).toEqual([]);
          continue;
        }
        for (const input of fitting) {
          checked++;
          expect(
            validateInput(made.schema, input),
            `${JSON.stringify(root)} → ${JSON.stringify(made.schema)}: ${JSON.stringify(input)}`,
          ).toBe(null);
        }
      }
    }),
    { numRuns: RUNS },
  );
  expect(checked).toBeGreaterThan(RUNS);
});

test("every host takes any of these schemas", { timeout: 600_000 + RUNS * 1_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(SCHEMA, { minLength: 20, maxLength: 20 }), async (schemas) => {
      const tools = schemas.map((schema, index) => toolOf(`t${index}`, { ...schema, $defs }));
      expect(await refusalsOf([requestOf(tools)])).toEqual([]);
    }),
    { numRuns: Math.ceil(RUNS / 25) },
  );
});
