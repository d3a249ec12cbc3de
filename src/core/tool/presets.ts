import { instead } from "../base/option-schema.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { deref } from "../base/local-ref.ts";
import type { AnyTool } from "./types.ts";

const COMPOSED = ["allOf", "anyOf", "oneOf"] as const;

/** Returns the part of a schema that is different without these properties; undefined if it does not speak of them. */
function changes(schema: JsonObject, names: readonly string[], part: (of: Json) => Json) {
  const { properties, required } = schema;
  const changed: { [keyword: string]: Json } = {};
  if (isObject(properties) && names.some((name) => Object.hasOwn(properties, name)))
    changed["properties"] = Object.fromEntries(
      Object.entries(properties as JsonObject).filter(([name]) => !names.includes(name)),
    );
  if (Array.isArray(required) && required.some((name) => names.includes(name as string)))
    changed["required"] = required.filter((name) => !names.includes(name as string)) as Json[];
  for (const keyword of COMPOSED) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    const parts = (list as readonly Json[]).map(part);
    if (parts.some((each, index) => each !== list[index])) changed[keyword] = parts;
  }
  return Object.keys(changed).length > 0 ? changed : undefined;
}

/** Returns the schemas that a value must match or may match: the schema itself, and those of its references, `allOf`, `anyOf` and
 *  `oneOf`. */
function partsOf(schema: Json, root: JsonObject, seen: Set<JsonObject> = new Set()): readonly JsonObject[] {
  const whole = deref(schema, root);
  if (!whole || seen.has(whole)) return [];
  seen.add(whole);
  const choices = COMPOSED.flatMap((keyword) => (whole[keyword] ?? []) as readonly Json[]);
  return [whole, ...choices.flatMap((part) => partsOf(part, root, seen))];
}

/** True if a schema says of properties that it does not name what they may be. */
function acceptsOthers({
  additionalProperties,
  patternProperties,
  unevaluatedProperties,
}: JsonObject): boolean {
  return [additionalProperties, patternProperties, unevaluatedProperties].some(Boolean);
}

/** Returns the problem with the names of presets. An example is "has no parameter 'yaer' to preset (did you mean `year`?)."; undefined if
 *  nothing is wrong. A schema that names no property at all accepts every name. */
export function presetProblem(schema: JsonObject, preset: JsonObject): string | undefined {
  const parts = partsOf(schema, schema);
  const names = parts.flatMap(({ properties }) => Object.keys((properties ?? {}) as JsonObject));
  const isClosed = names.length > 0 || parts.some((part) => part["additionalProperties"] === false);
  if (!isClosed || parts.some(acceptsOthers)) return undefined;
  const unknown = Object.keys(preset).find((name) => !names.includes(name));
  return unknown === undefined
    ? undefined
    : `has no parameter '${unknown}' to preset (${instead(unknown, names)}).`;
}

/** The maximum number of parts of a schema that are looked through: references make a small schema large. Beyond them a preset may be seen,
 *  and wins. */
const MAX_PARTS = 10_000;

type Hidden = { readonly names: readonly string[]; readonly root: JsonObject; parts: number };

function without(schema: Json, hidden: Hidden, within: readonly JsonObject[] = []): Json {
  const whole = deref(schema, hidden.root);
  if (!whole || within.includes(whole) || ++hidden.parts > MAX_PARTS) return schema;
  const changed = changes(whole, hidden.names, (part) => without(part, hidden, [...within, whole]));
  if (!changed) return schema;
  const { $ref: _, ...own } = schema as JsonObject;
  return { ...whole, ...own, ...changed };
}

/** Without the definitions that nothing refers to any more. */
function withoutUnused(schema: JsonObject, keyword: "$defs" | "definitions"): JsonObject {
  const definitions = schema[keyword];
  if (!isObject(definitions)) return schema;
  const kept = Object.keys(definitions).filter((name) => {
    const { [name]: _, ...others } = definitions as JsonObject;
    const rest = JSON.stringify({ ...schema, [keyword]: others });
    return ['"', "/"].some((end) => rest.includes(`"#/${keyword}/${name}${end}`));
  });
  return {
    ...schema,
    [keyword]: Object.fromEntries(kept.map((name) => [name, (definitions as JsonObject)[name]!])),
  };
}

/** The schema of a tool without its preset parameters, also where it is made of others by a reference, `allOf`, `anyOf` or
 *  `oneOf`. */
export function withoutPresets({ inputSchema, preset }: AnyTool): JsonObject {
  const names = Object.keys(preset);
  if (names.length === 0) return inputSchema;
  const hidden = without(inputSchema, { names, root: inputSchema, parts: 0 }) as JsonObject;
  if (hidden === inputSchema) return inputSchema;
  return withoutUnused(withoutUnused(hidden, "$defs"), "definitions");
}
