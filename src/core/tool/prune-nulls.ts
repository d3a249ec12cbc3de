import { dereference, validate, type Schema } from "@cfworker/json-schema";
import { hasNull, copyOf, isObject, type Json, type JsonObject } from "../base/json.ts";
import { validateInput } from "./validate-input.ts";

const DRAFT = "2020-12";
/** The maximum number of times that a choice of a schema may be tried for one value; what is beyond is not pruned. */
const MAX_TRIES = 1_000;

type Path = readonly string[];

/** Returns whether the schema that parses a value refuses it at a path; undefined if it does not say. */
export type Refuses = (path: Path) => boolean | undefined;

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const mapOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Whether a choice may be meant by a value: by its type, its constants, and the fields that it asks for. */
function isMeant(schema: JsonObject, value: Json): boolean {
  const { type, required, properties } = schema;
  const own = Array.isArray(value) ? "array" : "object";
  if (type !== undefined && !(Array.isArray(type) ? type.includes(own) : type === own)) return false;
  if (!isObject(value)) return true;
  const isThere = (key: unknown): boolean => Object.hasOwn(value, key as string);
  return (
    listOf(required).every(isThere) &&
    Object.entries(mapOf(properties)).every(([key, field]) => {
      const isConstant = isObject(field) && field["const"] !== undefined && isThere(key);
      return !isConstant || field["const"] === value[key];
    })
  );
}

/** The schemas that a part of a schema has for a field. */
function fieldsOf({ properties, patternProperties, additionalProperties }: JsonObject, key: string): Json[] {
  const known = mapOf(properties);
  const found = [
    ...(Object.hasOwn(known, key) ? [known[key]!] : []),
    ...Object.entries(mapOf(patternProperties)).flatMap(([pattern, field]) =>
      new RegExp(pattern, "u").test(key) ? [field] : [],
    ),
  ];
  return found.length > 0 || additionalProperties === undefined ? found : [additionalProperties];
}

/** The schemas that a part of a schema has for an item of a list. */
function itemsOf({ prefixItems, items }: JsonObject, index: number): Json[] {
  const item = listOf(prefixItems)[index] ?? items;
  return item === undefined ? [] : [item];
}

/** Prunes one value by one schema, whose own verdict is asked about each null. */
class Pruner {
  readonly #root: Json;
  readonly #lookup: ReturnType<typeof dereference>;
  readonly #refuses: Refuses;
  #tries = 0;

  constructor(schema: Json, refuses: Refuses) {
    this.#root = copyOf(schema); // the validator writes into it
    this.#lookup = dereference(this.#root as Schema | boolean);
    this.#refuses = refuses;
  }

  prune(value: Json): Json {
    return this.#pruned(value, [this.#root], []);
  }

  #accepts(schema: Json, value: Json): boolean {
    return validate(value, schema as Schema | boolean, DRAFT, this.#lookup).valid;
  }

  #pruned(value: Json, schemas: readonly Json[], path: Path): Json {
    if (typeof value !== "object" || value === null || !hasNull(value)) return value;
    const parts = this.#partsOf(schemas, value, path);
    if (Array.isArray(value))
      return value.map((item: Json, index) =>
        this.#pruned(
          item,
          parts.flatMap((part) => itemsOf(part, index)),
          [...path, String(index)],
        ),
      );
    const required = new Set(parts.flatMap((part) => listOf(part["required"])));
    const declared = new Set(parts.flatMap((part) => Object.keys(mapOf(part["properties"]))));
    const entries = Object.entries(value as JsonObject).flatMap(([key, item]): [string, Json][] => {
      const fields = parts.flatMap((part) => fieldsOf(part, key));
      const at = [...path, key];
      const isPruned =
        item === null && declared.has(key) && !required.has(key) && this.#isRefused(fields, at);
      return isPruned ? [] : [[key, this.#pruned(item, fields, at)]];
    });
    return Object.fromEntries(entries);
  }

  #isRefused(fields: readonly Json[], path: Path): boolean {
    return this.#refuses(path) ?? fields.some((field) => !this.#accepts(field, null));
  }

  /** The schemas that all hold for a value: these, and those of their references, conditions, and the one choice that it can be. */
  #partsOf(schemas: readonly Json[], value: Json, path: Path): readonly JsonObject[] {
    const parts = new Set<JsonObject>();
    const open = [...schemas];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!isObject(next) || parts.has(next)) continue;
      parts.add(next);
      const target = this.#lookup[next["__absolute_ref__"] as string];
      open.push(...(target === undefined ? [] : [target as Json]), ...listOf(next["allOf"]));
      if (next["if"] !== undefined)
        open.push(next[this.#accepts(next["if"], value) ? "then" : "else"] ?? true);
      for (const [key, part] of Object.entries(mapOf(next["dependentSchemas"])))
        if (isObject(value) && Object.hasOwn(value, key)) open.push(part);
      for (const keyword of ["anyOf", "oneOf"])
        open.push(...this.#choice(listOf(next[keyword]), value, path));
    }
    return [...parts];
  }

  /** The one choice that a value can be once it has been pruned; none if it is one already, and if it can be several that differ. */
  #choice(choices: readonly Json[], value: Json, path: Path): readonly Json[] {
    if (choices.length === 0 || choices.some((choice) => this.#accepts(choice, value))) return [];
    const meant = choices.filter((choice) => this.#isMeant(choice, value));
    if (meant.length < 2) return meant;
    const fitting = new Map<string, Json>();
    for (const choice of meant) {
      if (this.#tries++ >= MAX_TRIES) return [];
      const pruned = this.#pruned(value, [choice], path);
      if (this.#accepts(choice, pruned)) fitting.set(JSON.stringify(pruned), choice);
    }
    return fitting.size === 1 ? [...fitting.values()] : [];
  }

  #isMeant(choice: Json, value: Json): boolean {
    const seen = new Set<unknown>();
    let at: unknown = choice;
    while (isObject(at) && !seen.has(at)) {
      if (!isMeant(at, value)) return false;
      seen.add(at);
      at = this.#lookup[at["__absolute_ref__"] as string];
    }
    return at !== false;
  }
}

/** Returns `value` without the nulls that some models send for "not given" (S20). These are the nulls of declared, optional properties
 *  whose own schema refuses null. It is the value itself if it has no null, and if the schema accepts it as it is. `refuses` says more of
 *  what is refused than the JSON Schema does. */
export function pruneNulls(schema: Json | undefined, value: Json, refuses?: Refuses): Json {
  if (schema === undefined || !hasNull(value)) return value;
  if (!refuses && isObject(schema) && validateInput(schema, value) === null) return value;
  try {
    return new Pruner(schema, refuses ?? (() => undefined)).prune(value);
  } catch {
    return value; // a schema that cannot be used, which its check reports
  }
}
