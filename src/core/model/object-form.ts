import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { deref } from "../base/local-ref.ts";

/** The statements of a schema about the properties of an object. */
type Form = {
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly additional?: Json;
  /** The rules that stand in words, since a schema without unions cannot express them. */
  readonly notes: readonly string[];
};

const EMPTY: Form = { properties: {}, required: [], notes: [] };

/** The keywords that no host takes at the top of a schema. */
const REFUSED = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const", "if", "then", "else"];
/** The keywords that have no meaning any more once these are gone. */
const REPLACED = [...REFUSED, "type", "properties", "required", "additionalProperties", "propertyNames"];

const isNames = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");
const isSame = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
const isFixed = (schema: Json | undefined): boolean =>
  isObject(schema) && ("const" in schema || "enum" in schema);

/**
 * Returns a schema of arguments as every host takes it: `type` is "object", `properties` is there, and nothing at the top combines
 * schemas or refers to one. Its description says which arguments belong together.
 * Undefined if the given one takes no object. A schema that has this form already is returned as it is. `root`: what references lead
 * into.
 */
export function objectForm(schema: JsonObject, root = schema): JsonObject | undefined {
  const { type, properties } = schema;
  if (type === "object" && isObject(properties) && !REFUSED.some((keyword) => keyword in schema))
    return schema;
  const form = formOf(schema, root, []);
  if (!form) return undefined;
  const { required, additional, notes } = form;
  const target = deref(schema, root) ?? {};
  const said = [schema["description"] ?? target["description"], ...notes].filter(
    (text) => typeof text === "string",
  );
  const kept = Object.entries(schema).filter(([keyword]) => !REPLACED.includes(keyword));
  return {
    type: "object",
    ...Object.fromEntries(kept),
    ...(said.length > 0 && { description: said.join("\n") }),
    properties: form.properties,
    ...(required.length > 0 && { required }),
    ...(additional !== undefined && { additionalProperties: additional }),
  };
}

/** Undefined for a schema that takes no object. `path`: the schemas in which it stands, so that one in itself adds nothing. */
function formOf(schema: Json | undefined, root: JsonObject, path: readonly Json[]): Form | undefined {
  if (schema === undefined || schema === true) return EMPTY;
  if (!isObject(schema)) return undefined;
  if (path.includes(schema) || path.length > 64) return EMPTY;
  const inside = [...path, schema];
  const parts: (Form | undefined)[] = [];
  if ("$ref" in schema) parts.push(formOf(deref(schema, root), root, inside));
  parts.push(ownForm(schema));
  for (const part of listOf(schema["allOf"])) parts.push(formOf(part, root, inside));
  for (const keyword of ["anyOf", "oneOf"]) {
    if (!Array.isArray(schema[keyword])) continue;
    const forms = listOf(schema[keyword]).flatMap((part) => formOf(part, root, inside) ?? []);
    parts.push(forms.length > 0 ? eitherOf(forms) : undefined);
  }
  for (const keyword of ["then", "else"]) {
    const form = keyword in schema ? formOf(schema[keyword], root, inside) : undefined;
    if (form) parts.push({ properties: form.properties, required: [], notes: form.notes });
  }
  return parts.every((part) => part !== undefined) ? parts.reduce(both, EMPTY) : undefined;
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

function ownForm(schema: JsonObject): Form | undefined {
  const { type, properties, required, additionalProperties: additional } = schema;
  const types = Array.isArray(type) ? (type as readonly Json[]) : [type];
  if (type !== undefined && !types.includes("object")) return undefined;
  const values = "const" in schema ? [schema["const"]] : listOf(schema["enum"]);
  if (values.length > 0 && !values.some(isObject)) return undefined;
  return {
    properties: isObject(properties) ? (properties as JsonObject) : {},
    required: isNames(required) ? required : [],
    ...(additional !== undefined && !("patternProperties" in schema) && { additional }),
    notes: [],
  };
}

const union = <T>(...lists: readonly (readonly T[])[]): readonly T[] => [...new Set(lists.flat())];

/** Returns the form that both demand. Of two schemas of one property, the one with fixed values stays, else the later one. */
function both(a: Form, b: Form): Form {
  const properties = { ...a.properties };
  for (const [name, schema] of Object.entries(b.properties))
    if (!Object.hasOwn(properties, name) || !isFixed(properties[name]) || isFixed(schema))
      define(properties, name, schema);
  const additional = b.additional ?? a.additional;
  const isOpen = a.additional === false && b.additional === undefined && Object.keys(b.properties).length > 0;
  return {
    properties,
    required: union(a.required, b.required),
    ...(additional !== undefined && !isOpen && { additional }),
    notes: union(a.notes, b.notes),
  };
}

/** A property may have any name, also `__proto__`. */
function define(properties: { [name: string]: Json }, name: string, value: Json): void {
  Object.defineProperty(properties, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns the form that one of them demands. */
function eitherOf(forms: readonly Form[]): Form {
  const properties: { [name: string]: Json } = {};
  for (const name of union(...forms.map((form) => Object.keys(form.properties)))) {
    const schemas = forms.flatMap((form) =>
      Object.hasOwn(form.properties, name) ? [form.properties[name]!] : [],
    );
    define(properties, name, eitherSchema(schemas));
  }
  const [first, ...others] = forms;
  return {
    properties,
    required: first!.required.filter((name) => others.every(({ required }) => required.includes(name))),
    ...(forms.every(({ additional }) => additional === false) && { additional: false }),
    notes: union(...forms.map(({ notes }) => notes), noteOf(forms)),
  };
}

function eitherSchema(schemas: readonly Json[]): Json {
  const different = schemas.filter(
    (schema, index) => schemas.findIndex((each) => isSame(each, schema)) === index,
  );
  const [first] = different;
  if (different.length === 1) return first!;
  if (!different.every(isFixed)) return { anyOf: different };
  const fixed = different as readonly JsonObject[];
  const values = fixed.flatMap((schema) => ("const" in schema ? [schema["const"]!] : listOf(schema["enum"])));
  const { type, description } = fixed[0]!;
  return {
    ...(type !== undefined && fixed.every((schema) => isSame(schema["type"], type)) && { type }),
    ...(description !== undefined &&
      fixed.every((schema) => isSame(schema["description"], description)) && { description }),
    enum: values.filter((value, index) => values.findIndex((each) => isSame(each, value)) === index),
  };
}

const MOST_NOTED = 20;

/** The arguments that belong together, in words. */
function noteOf(forms: readonly Form[]): readonly string[] {
  const texts = union(forms.map(shown));
  if (texts.length < 2) return [];
  const more = texts.length > MOST_NOTED ? [`${texts.length - MOST_NOTED} more`] : [];
  return [`The arguments have one of these forms: ${[...texts.slice(0, MOST_NOTED), ...more].join(" | ")}`];
}

function shown({ properties, required }: Form): string {
  const names = union(required, Object.keys(properties));
  const parts = names.map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const value = isObject(schema) && "const" in schema ? `: ${JSON.stringify(schema["const"])}` : "";
    return `${name}${required.includes(name) ? "" : "?"}${value}`;
  });
  return `{${parts.join(", ")}}`;
}
