// What a model is told about arguments that do not fit.
import { expect, test } from "vitest";
import { defineTool, suspend, type Schema } from "agentchart";
import { z } from "zod";
import * as zod3 from "zod/v3";

const old = zod3.z.object({ city: zod3.z.string() }) as unknown as z.ZodType;
const day = z.date();

const CASES: { readonly [what: string]: readonly [schema: z.ZodType, said: readonly string[]] } = {
  "a date": [z.object({ stay: z.object({ from: day }) }), ["'stay/from'", "Date", "z.iso.datetime()"]],
  "a bigint in a list": [z.object({ ids: z.array(z.bigint()) }), ["'ids/*'", "BigInt", "z.string()"]],
  "a map": [z.object({ m: z.map(z.string(), z.string()) }), ["'m'", "Map"]],
  "a date in a union": [z.object({ v: z.union([z.string(), day.optional()]) }), ["'v'", "Date"]],
  "a symbol in a tuple": [z.object({ v: z.tuple([z.string(), z.symbol()]) }), ["'v/1'", "Symbol"]],
  "a date in a record": [z.object({ v: z.record(z.string(), day) }), ["'v/*'", "Date"]],
  "a date behind a default": [z.object({ v: day.default(new Date(0)) }), ["'v'", "Date"]],
  "a date in an intersection": [z.intersection(z.object({}), z.object({ v: day })), ["'v'", "Date"]],
  "a date that is transformed": [z.object({ v: day.transform(Number) }), ["'v'", "Date"]],
  "a schema of zod 3": [old, ["zod 3", "expected zod 4"]],
  "a schema of zod 3 within one of zod 4": [
    z.object({ at: z.object({ old }) }),
    ["'at/old'", "expected zod 4"],
  ],
};

test.each(Object.entries(CASES))(
  "the error of a schema without JSON names the tool and the path: %s",
  (_, [schema, said]) => {
    for (const [what, make] of [
      ["Tool 'book': `input`", () => defineTool({ name: "book", description: "", input: schema as Schema })],
      ["suspend: `answerSchema`", () => suspend("", { answerSchema: schema })],
    ] as const) {
      expect(make).toThrow(expect.objectContaining({ code: "config/invalid" }));
      for (const words of [what, ...said]) expect(make).toThrow(words);
    }
  },
);
