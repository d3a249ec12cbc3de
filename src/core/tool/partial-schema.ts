import { isObject, type Json, type JsonObject } from "../base/json.ts";

/** The keywords that a value that is being written need not fulfil yet: it may lack members and items, and a string its end. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set([
  "required",
  "minItems",
  "minProperties",
  "minLength",
  "pattern",
  "format",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "if",
  "then",
  "else",
  "not",
]);
/** Keywords whose value is data, and no schema. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);
/** Keywords whose value names schemas: a name may be that of a keyword. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** The partial form of a JSON Schema: what each value fulfils that grows into one of the schema. A part of several alternatives may fit
 *  more than one of them, so that `oneOf` becomes `anyOf`. */
export function partialSchema(schema: JsonObject): JsonObject {
  const { oneOf, anyOf, allOf, ...rest } = schema;
  const part = (value: Json): Json =>
    Array.isArray(value) ? value.map(part) : isObject(value) ? partialSchema(value) : value;
  const named = (value: Json): Json =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, part(each)]))
      : value;
  const all = [...(Array.isArray(allOf) ? allOf : []), ...(oneOf === undefined ? [] : [{ anyOf: oneOf }])];
  return {
    ...Object.fromEntries(
      Object.entries(rest)
        .filter(([key]) => !OF_THE_WHOLE.has(key))
        .map(([key, value]) => [key, DATA.has(key) ? value : NAMED.has(key) ? named(value) : part(value)]),
    ),
    ...(anyOf !== undefined && { anyOf: part(anyOf) }),
    ...(all.length > 0 && { allOf: all.map(part) }),
  };
}
