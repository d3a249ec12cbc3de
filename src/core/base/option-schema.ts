import { isObject, type JsonObject } from "./json.ts";
import { nearestName } from "./nearest-name.ts";
import { otherWay, translated } from "./other-words.ts";
import { kindOf, shown } from "./shown.ts";

// Own checks, not those of zod: an agent checks its options before its first answer, and loading zod takes longer than all of them.

/** The problem with a value. */
export type Issue = {
  /** The path of the value, from the outside to the inside. */
  readonly path: readonly (string | number)[];
  /** Continues "`name` …": what was found, and what was expected. */
  readonly message: () => string;
  /** The expected value, such as "an integer of at least 1"; absent for a name that no option has. */
  readonly expected?: string;
};

/** A schema that accepts no other values than those of `T`. */
interface SchemaWithin<out T> {
  /** Returns what is wrong with a value: a misspelt name rather than the option that is missing for it; undefined if nothing is. */
  readonly issueOf: (value: unknown) => Issue | undefined;
  /** Returns the JSON Schema of what is accepted, without the rules that JSON Schema cannot say. */
  readonly json: () => JsonObject;
  /** Never there, as `takes` below: they make schemas of other types differ. */
  readonly gives?: () => T;
}

/** A schema that accepts exactly the values of `T`. */
export interface OptionSchema<in out T> extends SchemaWithin<T> {
  readonly takes?: (value: T) => void;
}

/** The schema of an option that may be absent or undefined. */
export interface OptionalSchema<in out T> extends OptionSchema<T | undefined> {
  readonly isOptional: true;
}

/** The schemas of the options of `T`, by their names. */
export type ShapeOf<T> = {
  readonly [K in keyof T]-?: {} extends Pick<T, K>
    ? OptionalSchema<Exclude<T[K], undefined>>
    : OptionSchema<T[K]>;
};

/** The schema of an object of options, with the schema of each option. */
export interface OptionsSchema<in out T> extends OptionSchema<T> {
  readonly shape: ShapeOf<T>;
}

// Any schema, whatever it accepts.
type AnySchema = OptionSchema<any>;
/** The values that a schema accepts. */
type Accepted<S> = S extends OptionSchema<infer T> ? T : never;
/** Schemas by the names of fields. */
export type AnyShape = { readonly [name: string]: AnySchema };

/** Builds a schema when it is first needed, so that an import builds none. */
export function lazily<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => (built ??= build());
}

const wrong = (value: unknown, expected: string, show = shown): Issue => ({
  path: [],
  message: () => `is ${value === undefined ? "missing" : show(value)}; expected ${expected}`,
  expected,
});
const within = (key: string | number, issue: Issue): Issue => ({ ...issue, path: [key, ...issue.path] });
/** A misspelt name is said rather than what is missing for it. */
const isSaidFirst = ({ expected }: Issue): boolean => expected === undefined;
const nothing = (): JsonObject => ({});

// ── Values

/** A value that `isRight` accepts. */
export function value<T>(
  isRight: (value: unknown) => boolean,
  what: string,
  { json = {}, show }: { readonly json?: JsonObject; readonly show?: (value: unknown) => string } = {},
): OptionSchema<T> {
  return { issueOf: (value) => (isRight(value) ? undefined : wrong(value, what, show)), json: () => json };
}

export function optional<T>({ issueOf, json }: OptionSchema<T>): OptionalSchema<T> {
  return {
    issueOf: (value) => (value === undefined ? undefined : issueOf(value)),
    json,
    isOptional: true,
  };
}

export function nullable<T>({ issueOf, json }: OptionSchema<T>): OptionSchema<T | null> {
  return {
    issueOf: (value) => (value === null ? undefined : issueOf(value)),
    json: () => ({ anyOf: [json(), { type: "null" }] }),
  };
}

/** A value that is not checked. */
export function anything<T>(): OptionalSchema<T> {
  return { issueOf: () => undefined, json: nothing, isOptional: true };
}

const isString = (value: unknown): value is string => typeof value === "string";

/** A value that another schema accepts, which may accept more than `T`. */
export function accepted<T>(by: SchemaWithin<unknown>): OptionSchema<T> {
  return by as OptionSchema<T>;
}

export function string(what = "a string"): OptionSchema<string> {
  return value(isString, what, { json: { type: "string" } });
}

export function nonEmpty(what = "a non-empty string"): OptionSchema<string> {
  return value((value) => isString(value) && value !== "", what, { json: { type: "string", minLength: 1 } });
}

export function matching(pattern: RegExp, what: string): OptionSchema<string> {
  return value((value) => isString(value) && pattern.test(value), what, { json: { type: "string" } });
}

/** A string that no error quotes, nor a number in its place, such as a key or a connection string. */
export function secret(what = "a string", pattern = /(?:)/u): OptionSchema<string> {
  return value((value) => isString(value) && pattern.test(value), what, { show: kindOf });
}

export function boolean(): OptionSchema<boolean> {
  return value((value) => typeof value === "boolean", "true or false", { json: { type: "boolean" } });
}

/** An integer of at least `min`, and of at most `max`. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): OptionSchema<number> {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const isOne = (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  const json = { type: "integer", minimum: min, maximum: max };
  return value(isOne, `an integer ${bounds}`, { json });
}

/** A port; 0 stands for any free one. */
export function port(): OptionSchema<number> {
  return integer(0, 65_535);
}

const aNumber = (isRight: (value: number) => boolean, what: string): OptionSchema<number> =>
  value((value) => typeof value === "number" && isRight(value), what, { json: { type: "number" } });

/** A number of at least `min`; `Infinity` is one. */
export function atLeast(min: number): OptionSchema<number> {
  return aNumber((value) => value >= min, `a number of at least ${min}`);
}

/** A number above 0; `Infinity` is one. */
export function positive(): OptionSchema<number> {
  return aNumber((value) => value > 0, "a number above 0");
}

/** A number of things that is at least 1; `Infinity` is one. */
export function count(): OptionSchema<number> {
  const isOne = (value: number): boolean => value >= 1 && (Number.isSafeInteger(value) || value === Infinity);
  return aNumber(isOne, "an integer of at least 1, or Infinity");
}

/** Any number but NaN; `Infinity` is one. */
export function number(): OptionSchema<number> {
  return aNumber((value) => !Number.isNaN(value), "a number");
}

/** A number of JSON. */
export function finite(): OptionSchema<number> {
  return aNumber(Number.isFinite, "a number");
}

/** One of some strings. */
export function oneOf<const T extends string>(...words: readonly T[]): OptionSchema<T> {
  const quoted = words.map((word) => JSON.stringify(word));
  const what = quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  const known = new Set<unknown>(words);
  return value((value) => known.has(value), what, { json: { type: "string", enum: words } });
}

export function func<T>(what = "a function"): OptionSchema<T> {
  return value((value) => typeof value === "function", what);
}

/** An object with a method, by which it is known. */
export function having<T>(method: string, what: string): OptionSchema<T> {
  const isOne = (value: unknown): boolean =>
    typeof (value as { readonly [name: string]: unknown } | null | undefined)?.[method] === "function";
  return value(isOne, what, { show: kindOf });
}

/** An object whose content is not checked. */
export function object<T = object>(what = "an object"): OptionSchema<T> {
  return value(isObject, what, { json: { type: "object" } });
}

/** A list whose elements are checked where they are used. */
export function list<T>(what = "an array"): OptionSchema<T> {
  return value(Array.isArray, what, { json: { type: "array" } });
}

export function listOf<T>(element: OptionSchema<T>, what = "an array"): OptionSchema<readonly T[]> {
  return {
    issueOf: (value) => (Array.isArray(value) ? issueOfList(value, element) : wrong(value, what)),
    json: () => ({ type: "array", items: element.json() }),
  };
}

/** A plain object whose values are all of one kind. */
export function recordOf<T>(
  element: OptionSchema<T>,
  what = "a plain object",
): OptionSchema<{ readonly [name: string]: T }> {
  return {
    issueOf: (value) =>
      isPlain(value) ? issueOfFields(value, Object.keys(value), () => element) : wrong(value, what),
    json: () => ({ type: "object", additionalProperties: element.json() }),
  };
}

function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  // an object of another realm has the Object.prototype of that realm
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The first issue of the parts of a value, or the first misspelt name: `first` unless `issue` is said rather than it. */
function firstOf(first: Issue | undefined, key: string | number, issue: Issue): Issue {
  return first && (isSaidFirst(first) || !isSaidFirst(issue)) ? first : within(key, issue);
}

function issueOfList(values: readonly unknown[], element: AnySchema): Issue | undefined {
  let first: Issue | undefined;
  for (let index = 0; index < values.length; index++) {
    const issue = element.issueOf(values[index]);
    if (issue) first = firstOf(first, index, issue);
  }
  return first;
}

function issueOfFields(value: object, names: readonly string[], schemaAt: (name: string) => AnySchema) {
  let first: Issue | undefined;
  for (const name of names) {
    const issue = schemaAt(name).issueOf((value as { readonly [name: string]: unknown })[name]);
    if (issue) first = firstOf(first, name, issue);
  }
  return first;
}

/** This value and no other. */
export function exactly<const T extends string | boolean>(only: T): OptionSchema<T> {
  const json = { type: typeof only === "string" ? "string" : "boolean", const: only };
  return value((value) => value === only, JSON.stringify(only), { json });
}

/** Returns the schema of the values that one of two schemas accepts. */
export function either<A, B>(
  one: OptionSchema<A>,
  other: OptionSchema<B>,
  what: string,
): OptionSchema<A | B> {
  return anyOf<A | B>([one, other], what);
}

/** Returns the schema of the values that at least one of these schemas accepts. */
export function anyOf<T>(forms: readonly SchemaWithin<T>[], what: string): OptionSchema<T> {
  return {
    issueOf: (value) =>
      forms.some((form) => form.issueOf(value) === undefined) ? undefined : wrong(value, what),
    json: () => ({ anyOf: forms.map((form) => form.json()) }),
  };
}

/** The same schema with a rule about the whole value; `what` says what was expected. */
export function restricted<S extends AnySchema>(
  schema: S,
  isRight: (value: Accepted<S>) => boolean,
  what: string,
): S {
  const issueOf = (value: unknown): Issue | undefined =>
    schema.issueOf(value) ?? (isRight(value as Accepted<S>) ? undefined : wrong(value, what));
  return { ...schema, issueOf };
}

// ── Objects of options

const KINDS = { options: "an option", limits: "a limit", points: "a hook point", changes: "a change" };

/** The full names of options, by the names under which they may be looked for. */
type Places = () => { readonly [name: string]: string };

/** Returns what may be said instead of an unknown name: "did you mean `maxIters`?", or all names. The words of other libraries are known,
 *  and what `places` says of names that stand somewhere else. */
export function instead(name: string, known: readonly string[], places: Places = () => ({})): string {
  const elsewhere = places();
  const way = otherWay(name, known);
  if (way !== undefined) return way;
  const moved = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  const near = moved ?? translated(name, [...known, ...Object.values(elsewhere)]) ?? nearestName(name, known);
  return near === undefined ? `there are ${known.join(", ") || "none"}` : `did you mean \`${near}\`?`;
}

/** An object with these options and no others. A misspelt limit or permission would be none. */
export function options<T extends object>(
  shape: ShapeOf<T>,
  {
    of = "options",
    what = `an object of ${of}`,
    places,
  }: { readonly of?: keyof typeof KINDS; readonly what?: string; readonly places?: Places } = {},
): OptionsSchema<T> {
  const known = fields(shape as AnyShape, what);
  const names = Object.keys(shape);
  const message = (name: string) => () => `is not ${KINDS[of]}; ${instead(name, names, places)}`;
  const issueOf = (value: unknown): Issue | undefined => {
    const found = known.issueOf(value);
    if (!isObject(value) || (found && isSaidFirst(found))) return found;
    for (const name in value) {
      if (value[name] !== undefined && !Object.hasOwn(shape, name))
        return { path: [name], message: message(name) };
    }
    return found;
  };
  return { issueOf, json: () => ({ ...known.json(), additionalProperties: false }), shape };
}

/** An object with these options and any others, such as those of a backend that is spread, unless a name is nearly one of these.
 *  `names` are those that may be misspelt, and `isMeant` says whether a value may be meant for one of them. */
export function openOptions<T extends object>(
  shape: ShapeOf<T>,
  {
    of = "options",
    what = `an object of ${of}`,
    names = Object.keys(shape),
    isMeant = (each: unknown) => each !== undefined,
  }: {
    readonly of?: keyof typeof KINDS;
    readonly what?: string;
    readonly names?: readonly string[];
    readonly isMeant?: (value: unknown) => boolean;
  } = {},
): OptionsSchema<T> {
  const known = fields(shape as AnyShape, what);
  const misspelt = (value: object): Issue | undefined => {
    for (const [name, each] of Object.entries(value)) {
      if (Object.hasOwn(shape, name) || !isMeant(each)) continue;
      const near = nearestName(name, names);
      const message = (): string => `is not ${KINDS[of]}; did you mean \`${near}\`?`;
      if (near !== undefined) return { path: [name], message };
    }
    return undefined;
  };
  return {
    issueOf: (value) => known.issueOf(value) ?? misspelt(value as object),
    json: known.json,
    shape,
  };
}

// ── Objects of others, which may have more fields than are known

/** An object with these fields; others are not checked. */
export function fields<T = any>(shape: AnyShape, what = "an object"): OptionSchema<T> {
  const names = Object.keys(shape);
  const json = (): JsonObject => {
    const properties = Object.fromEntries(names.map((name) => [name, shape[name]!.json()]));
    const required = names.filter((name) => !("isOptional" in shape[name]!));
    return { type: "object", properties, ...(required.length > 0 && { required }) };
  };
  const schemaAt = (name: string): AnySchema => shape[name]!;
  return {
    issueOf: (value) => (isObject(value) ? issueOfFields(value, names, schemaAt) : wrong(value, what)),
    json,
  };
}

/** An object whose field `tag` says which of these fields it has beside it. */
export function tagged<T = any>(tag: string, shapes: { readonly [tag: string]: AnyShape }): OptionSchema<T> {
  const tags = oneOf(...Object.keys(shapes));
  const kinds = Object.entries(shapes).map(([name, shape]) => fields({ [tag]: exactly(name), ...shape }));
  const known = new Map<unknown, AnySchema>(Object.keys(shapes).map((name, index) => [name, kinds[index]!]));
  const issueOf = (value: unknown): Issue | undefined => {
    if (!isObject(value)) return wrong(value, "an object");
    const kind = known.get(value[tag]);
    return kind ? kind.issueOf(value) : within(tag, tags.issueOf(value[tag])!);
  };
  return { issueOf, json: () => ({ oneOf: kinds.map((kind) => kind.json()) }) };
}

/** The schemas of fields that may all be absent. */
export function partial(shape: AnyShape): AnyShape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, optional(schema)]));
}
