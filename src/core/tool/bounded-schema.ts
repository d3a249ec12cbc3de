import { schemaArrayKeyword, schemaKeyword, schemaMapKeyword } from "@cfworker/json-schema";
import { isObject, type Json, type JsonObject } from "../base/json.ts";

/** The keywords with which a small schema can cost any time. They do so by references to parts that refer to others, by expressions, and by
 *  comparing each item with each. */
const UNBOUNDED: ReadonlySet<string> = new Set([
  ...["$ref", "$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$id"],
  ...["pattern", "patternProperties", "format", "uniqueItems"],
]);

/** The formats that are checked in a time that the length of the text bounds. */
const FORMATS: ReadonlySet<unknown> = new Set(["date", "date-time", "email", "uri"]);

const isUnbounded = (keyword: string, value: unknown): boolean =>
  UNBOUNDED.has(keyword) && !(keyword === "format" && FORMATS.has(value));

function isBounded(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isBounded);
  if (!isObject(schema)) return true;
  return Object.entries(schema).every(([key, part]) => !isUnbounded(key, part) && isBounded(part));
}

const isApplicator = (keyword: string): boolean =>
  [schemaArrayKeyword, schemaKeyword, schemaMapKeyword].some((known) => known[keyword]);

/** Returns the part of a schema that can be checked in a time that its size and that of the value bound. It refuses nothing that the schema
 *  accepts. */
export function boundedSchema(schema: Json): Json {
  if (!isObject(schema) || isBounded(schema)) return schema;
  const { properties, items, ...others } = schema as JsonObject;
  const own = Object.entries(others).filter(([key, part]) => !isUnbounded(key, part) && !isApplicator(key));
  const parts = isObject(properties) ? Object.entries(properties as JsonObject) : [];
  return {
    ...Object.fromEntries(own),
    ...(parts.length > 0 && {
      properties: Object.fromEntries(parts.map(([name, part]) => [name, boundedSchema(part)])),
    }),
    ...(isObject(items) && { items: boundedSchema(items as Json) }),
  };
}
