import { dereference, schemaArrayKeyword, schemaKeyword, schemaMapKeyword } from "@cfworker/json-schema";
import { messageOf } from "../base/error.ts";
import { isObject, type JsonObject } from "../base/json.ts";

const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

const isType = (value: unknown): boolean => TYPES.includes(value as string);
const isRegExp = (value: string): boolean => {
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
};

/** Whether the value of a keyword that holds no schema is one. */
const VALUES: { readonly [keyword: string]: (value: unknown) => boolean } = {
  $ref: (value) => typeof value === "string",
  type: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value)),
  enum: Array.isArray,
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  pattern: (value) => typeof value === "string" && isRegExp(value),
};

type Part = { readonly at: string; readonly schema: unknown };

/** The schemas that a keyword holds; undefined if it holds something else. */
function partsOf(keyword: string, value: unknown, at: string): readonly Part[] | undefined {
  if (Array.isArray(value))
    return schemaArrayKeyword[keyword]
      ? value.map((schema, index) => ({ at: `${at}/${index}`, schema }))
      : schemaKeyword[keyword] || schemaMapKeyword[keyword]
        ? undefined
        : [];
  if (schemaMapKeyword[keyword])
    return isObject(value)
      ? Object.entries(value).map(([key, schema]) => ({ at: `${at}/${key}`, schema }))
      : undefined;
  if (schemaKeyword[keyword]) return [{ at, schema: value }];
  return schemaArrayKeyword[keyword] ? undefined : [];
}

function problemAt({ at, schema }: Part): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return `${at}: ${JSON.stringify(schema)} is not a schema`;
  for (const [keyword, value] of Object.entries(schema)) {
    const parts = partsOf(keyword, value, `${at}/${keyword}`);
    const isWrong = Object.hasOwn(VALUES, keyword) && !VALUES[keyword]!(value);
    if (isWrong || !parts) return `${at}/${keyword} has the value ${JSON.stringify(value)}`;
    for (const part of parts) {
      const problem = problemAt(part);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

type Known = { readonly $ref?: string; readonly __absolute_ref__?: string };

/** A reference that leads nowhere, or only to other references. */
function refProblem(schema: JsonObject): string | undefined {
  const known = dereference(structuredClone(schema)) as { readonly [uri: string]: Known };
  for (const { $ref, __absolute_ref__: first } of Object.values(known)) {
    const seen = new Set<string>();
    for (let next = first; next !== undefined; next = known[next]?.__absolute_ref__) {
      if (known[next] === undefined || seen.has(next)) return `$ref ${JSON.stringify($ref)} leads nowhere`;
      seen.add(next);
    }
  }
  return undefined;
}

/** Returns the reason for which no value can ever be checked against a JSON Schema; undefined if it can be used. */
export function schemaProblem(schema: JsonObject): string | undefined {
  try {
    return problemAt({ at: "#", schema }) ?? refProblem(schema);
  } catch (error) {
    return messageOf(error);
  }
}
