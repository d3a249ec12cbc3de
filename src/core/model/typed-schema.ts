import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { deref } from "../base/local-ref.ts";
import type { SchemaRule } from "./host-rules.ts";
import { objectForm } from "./object-form.ts";

/** The keywords of a schema that stay as they are. */
const KEPT = [
  "title",
  "description",
  "default",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "nullable",
];
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];

const OBJECT: JsonObject = { type: "object", properties: {} };
const SIMPLE: readonly JsonObject[] = [
  { type: "string" },
  { type: "number" },
  { type: "boolean" },
  OBJECT,
  { type: "null" },
];
/** A value of any type; what the items of a list are is said of the first list only. */
const ANYTHING: readonly JsonObject[] = [...SIMPLE, { type: "array", items: { anyOf: SIMPLE } }];

/** The maximum number of schemas that are put where references stood; a schema in itself is put there once. */
const MOST_SCHEMAS = 2_000;
const DEEPEST = 100;

type Within = { readonly root: JsonObject; readonly rule: SchemaRule; left: number };

/** Returns a schema in which each schema has a type and stands where it is used. Of what combines schemas, only `anyOf` is left. It takes
 *  whatever the given one takes, but for lists in lists of anything and what stands after a tuple. */
export function typedSchema(root: JsonObject, rule: SchemaRule): JsonObject {
  return typed(root, { root, rule, left: MOST_SCHEMAS }, []);
}

function typed(schema: Json | undefined, within: Within, path: readonly JsonObject[]): JsonObject {
  if (!isObject(schema)) return { anyOf: ANYTHING };
  const whole = merged(schema as JsonObject, within, path, 0);
  if (!whole || path.length > DEEPEST) return cutAt(schema as JsonObject, within);
  const { inside } = whole;
  const type = typeOf(whole.own);
  const hasVariants = ["anyOf", "oneOf"].some((keyword) => listOf(whole.own[keyword]).length > 0);
  const own = hasVariants && type === "object" ? (objectForm(whole.own, within.root) ?? OBJECT) : whole.own;
  const variants = ["anyOf", "oneOf"].flatMap((keyword) => listOf(own[keyword]));
  if (variants.length > 0) return eitherOf(own, variants, within, inside);
  if (Array.isArray(type))
    return eitherOf(
      own,
      type.map((each) => ({ ...own, type: each })),
      within,
      inside,
    );
  return type === undefined
    ? { ...described(own), anyOf: ANYTHING }
    : ofType(own, type as string, within, inside);
}

/** Returns the schema that stands where a schema would stand in itself. */
function cutAt(schema: JsonObject, { root }: Within): JsonObject {
  const isOfObject = typeOf(deref(schema, root) ?? {}) === "object";
  return { ...described(schema), ...(isOfObject ? OBJECT : { anyOf: ANYTHING }) };
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const described = ({ description }: JsonObject): JsonObject =>
  description === undefined ? {} : { description };
const describedBy = (schema: JsonObject, other: JsonObject): JsonObject => ({
  ...other,
  ...described(schema),
});

type Whole = { readonly own: JsonObject; readonly inside: readonly JsonObject[] };

/** A schema with what it refers to and what `allOf` adds; undefined for one that stands in itself, and once there are too many. */
function merged(
  schema: JsonObject,
  within: Within,
  path: readonly JsonObject[],
  depth: number,
): Whole | undefined {
  if (path.includes(schema) || depth > DEEPEST) return undefined;
  let inside: readonly JsonObject[] = [...path, schema];
  const { $ref, allOf, ...rest } = schema;
  let own: JsonObject = rest;
  const target = $ref === undefined ? schema : deref(schema, within.root);
  const parts: readonly Json[] = [...(target && target !== schema ? [target] : []), ...listOf(allOf)];
  for (const part of parts) {
    if (!isObject(part)) continue;
    if (within.left-- <= 0) return undefined;
    const other = merged(part as JsonObject, within, inside, depth + 1);
    if (!other) return undefined;
    own = combined(other.own, own);
    inside = [...inside, ...other.inside];
  }
  return { own, inside };
}

function combined(a: JsonObject, b: JsonObject): JsonObject {
  const properties = { ...(a["properties"] as JsonObject), ...(b["properties"] as JsonObject) };
  const required = [...new Set([...listOf(a["required"]), ...listOf(b["required"])])];
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function typeOf(schema: JsonObject): string | readonly string[] | undefined {
  const { type } = schema;
  const types = (Array.isArray(type) ? (type as readonly Json[]) : [type]).filter((each) =>
    TYPES.includes(each as string),
  ) as readonly string[];
  if (types.length > 0) return types.length === 1 ? types[0] : types;
  if (isObject(schema["properties"]) || "additionalProperties" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  const values = valuesOf(schema);
  const found = [...new Set((values ?? []).map(typeOfValue))];
  return found.length > 1 ? found : found[0];
}

function typeOfValue(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const valuesOf = (schema: JsonObject): readonly Json[] | undefined =>
  "const" in schema ? [schema["const"]!] : Array.isArray(schema["enum"]) ? listOf(schema["enum"]) : undefined;

/** One of several schemas. A keyword beside `anyOf` stays only if it describes. */
function eitherOf(
  own: JsonObject,
  variants: readonly Json[],
  within: Within,
  inside: readonly JsonObject[],
): JsonObject {
  const type = typeof own["type"] === "string" ? own["type"] : undefined;
  const withType = (variant: Json): Json =>
    isObject(variant) &&
    type !== undefined &&
    typeOf(variant as JsonObject) === undefined &&
    !("$ref" in variant)
      ? { ...variant, type }
      : variant;
  const schemas = variants
    .filter((variant) => variant !== false)
    .map((variant) => typed(withType(variant), within, inside));
  const flat = schemas.flatMap((schema) =>
    Array.isArray(schema["anyOf"]) && !("description" in schema)
      ? (schema["anyOf"] as JsonObject[])
      : [schema],
  );
  const texts = flat.map((schema) => JSON.stringify(schema));
  const different = flat.filter((_, index) => texts.indexOf(texts[index]!) === index);
  return different.length === 1 ? describedBy(own, different[0]!) : { ...described(own), anyOf: different };
}

function ofType(own: JsonObject, type: string, within: Within, inside: readonly JsonObject[]): JsonObject {
  const kept = Object.fromEntries(Object.entries(own).filter(([keyword]) => KEPT.includes(keyword)));
  const made: JsonObject = { type, ...kept, ...enumOf(own, type, within.rule) };
  if (type === "array") return { ...made, items: itemsOf(own, within, inside) };
  return type === "object" ? { ...made, ...propertiesOf(own, within, inside) } : made;
}

function enumOf(own: JsonObject, type: string, { hasStringEnums }: SchemaRule): JsonObject {
  const values = valuesOf(own)?.filter(
    (value) => typeOfValue(value) === (type === "integer" ? "number" : type),
  );
  if (!values || values.length === 0 || type === "null") return {};
  if (!hasStringEnums || type === "string") return { enum: values };
  const said = own["description"] === undefined ? [] : [own["description"] as string];
  return {
    description: [...said, `One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`].join(" "),
  };
}

function itemsOf(own: JsonObject, within: Within, inside: readonly JsonObject[]): JsonObject {
  const { items, prefixItems } = own;
  const variants = [
    ...listOf(prefixItems),
    ...(Array.isArray(items) ? listOf(items) : isObject(items) ? [items as Json] : []),
  ];
  if (variants.length === 0) return { anyOf: SIMPLE };
  return variants.length === 1 ? typed(variants[0], within, inside) : eitherOf({}, variants, within, inside);
}

function propertiesOf(own: JsonObject, within: Within, inside: readonly JsonObject[]): JsonObject {
  const { properties, additionalProperties: additional } = own;
  const entries = Object.entries(isObject(properties) ? (properties as JsonObject) : {});
  const made = Object.fromEntries(
    entries.flatMap(([name, schema]) => (schema === false ? [] : [[name, typed(schema, within, inside)]])),
  );
  const required = listOf(own["required"]).filter(
    (name) => typeof name === "string" && Object.hasOwn(made, name),
  );
  return {
    properties: made,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...(typeof additional === "boolean" &&
      !isObject(own["patternProperties"]) && { additionalProperties: additional }),
    ...(isObject(additional) &&
      !isObject(own["patternProperties"]) && {
        additionalProperties: typed(additional as Json, within, inside),
      }),
  };
}
