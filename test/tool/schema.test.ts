// Schemas of several libraries as JSON Schema.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { jsonSchemaOf } from "../../src/core/tool/schema.ts";

const schema = z.object({
  city: z.string().describe("Where"),
  days: z.int().min(1).optional(),
  units: z.enum(["C", "F"]).default("C"),
  places: z.array(z.object({ at: z.coerce.number() })),
});
const expected = {
  type: "object",
  properties: {
    city: { type: "string", description: "Where" },
    days: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    units: { type: "string", enum: ["C", "F"], default: "C" },
    places: {
      type: "array",
      items: { type: "object", properties: { at: { type: "number" } }, required: ["at"] },
    },
  },
  required: ["city", "places"],
};

describe("the JSON Schema of a schema of", () => {
  test("zod is that of zod", () => {
    const {
      $schema: _,
      "~standard": __,
      ...own
    } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    expect(jsonSchemaOf(schema)).toEqual(expected);
    expect(own).toEqual(expected);
  });

  test("zod before 4.2, which cannot convert itself, is the same", () => {
    const { jsonSchema: _, ...standard } = schema["~standard"];
    const older = Object.create(schema, { "~standard": { value: standard } }) as typeof schema;
    expect(jsonSchemaOf(older)).toEqual(expected);
  });

  test("zod/mini is made by zod", () => {
    const city = mini.string().check(mini.minLength(1));
    expect(jsonSchemaOf(mini.object({ city }))).toEqual({
      type: "object",
      properties: { city: { type: "string", minLength: 1 } },
      required: ["city"],
    });
  });

  test.each([[z.object({ at: z.date() })], [mini.object({ at: mini.date() })]])(
    "a type that JSON does not have is refused",
    (dated) => {
      expect(() => jsonSchemaOf(dated)).toThrow(expect.objectContaining({ code: "config/invalid" }));
    },
  );
});
