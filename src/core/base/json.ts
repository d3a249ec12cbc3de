/** Any JSON value. Values of this type are never changed in place. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Parses JSON. Undefined for a text that is not JSON, and for no text. */
export function parsedJson(text: string | undefined): Json | undefined {
  try {
    return JSON.parse(text ?? "") as Json;
  } catch {
    return undefined;
  }
}

/** Parses JSON; a text that is not JSON is the value itself. */
export function jsonOrText(text: string): Json {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}

/** Returns true for an object that is neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an object without keys. Makes no list of them: it is asked of each snapshot of an actor. */
export function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** True for null, and for a value with a null in it. */
export const hasNull = (value: Json): boolean =>
  value === null || (typeof value === "object" && Object.values(value).some(hasNull));

/** True for JSON values with the same content. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, index) => isSame(value, other[index]))
    );
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key as never], other[key as never]))
  );
}

/** True for a plain object or an array: what JSON consists of. Instances of classes are not copied, frozen or searched. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function mapParts(value: object, map: (part: unknown) => unknown): object {
  if (Array.isArray(value)) return value.map(map);
  const copy: { [key: string]: unknown } = { ...value };
  for (const key of Object.keys(copy)) {
    const part = copy[key];
    if (typeof part === "object" && part !== null) copy[key] = map(part);
  }
  return copy;
}

/** The maximum number of levels of arrays and objects that a message may have. */
export const MAX_DEPTH = 500;

/** Returns true for data with more levels than {@link MAX_DEPTH}, and for data that contains itself. */
export function isTooDeep(value: unknown): boolean {
  return jsonProblem(value) === TOO_DEEP;
}

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels, or contains itself`;

/** Returns why a value cannot be stored, as a predicate that follows its name ("contains a bigint, …"), or undefined. */
export function jsonProblem(value: unknown, levels = MAX_DEPTH): string | undefined {
  if (typeof value === "bigint") return "contains a bigint, which is not JSON";
  if (!isPlain(value)) return undefined;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = jsonProblem(value[index], levels - 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  for (const name in value) {
    const problem = jsonProblem(value[name as keyof typeof value], levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns a deep copy that shares no array and no plain object with the original. */
export function copyOf<T>(value: T): T {
  return isPlain(value) ? (mapParts(value, copyOf) as T) : value;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (!isPlain(value)) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const name in value)
    if (!name.isWellFormed() || !isWellFormed(value[name as keyof typeof value])) return false;
  return true;
}

function mended(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (!isPlain(value)) return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key.toWellFormed(), mended(part)]));
}

/** Returns data without halves of characters, which a text that was cut may have and servers refuse: the value itself if it has none. */
export function wellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (mended(value) as T);
}

function isDeeplyFrozen(value: unknown): boolean {
  if (!isPlain(value)) return true;
  if (!Object.isFrozen(value)) return false;
  if (Array.isArray(value)) return value.every(isDeeplyFrozen);
  for (const name in value) if (!isDeeplyFrozen(value[name as keyof typeof value])) return false;
  return true;
}

/** Returns a deeply frozen copy, or the value itself if it is deeply frozen already. */
export function frozenCopy<T>(value: T): T {
  if (!isPlain(value) || isDeeplyFrozen(value)) return value;
  return Object.freeze(mapParts(value, frozenCopy)) as T;
}

/** Freezes data deeply, in place, and returns it. For data that the caller has made itself. A part that is frozen already is
 *  taken to be deeply frozen. */
export function freeze<T>(value: T): T {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // without a list of the values: each message, event and outcome is frozen
  if (Array.isArray(value)) for (const part of value) freeze(part);
  else for (const name in value) freeze(value[name]);
  return value;
}

/** Returns a function that makes the value of an object once, and gives it again as long as the object is there. */
/* @__NO_SIDE_EFFECTS__ */ // a page that counts no tokens is built without the tokenizer
export function perObject<Of extends object, Value extends {}>(make: (of: Of) => Value): (of: Of) => Value {
  const values = new WeakMap<Of, Value>();
  return (of) => {
    let value = values.get(of);
    if (value === undefined) values.set(of, (value = make(of)));
    return value;
  };
}
