import * as z from "zod/mini";
import { isObject } from "./is-object.ts";
import { nearestName } from "./nearest-name.ts";

/** A schema that accepts exactly the values of `T`. Its messages continue "`name` …": what was found, and what was expected. */
export interface OptionSchema<in out T> extends z.ZodMiniType<T, T> {}

/** The schema of an option that may be absent or undefined. */
export interface OptionalSchema<in out T> extends z.ZodMiniType<T | undefined, T | undefined> {
  readonly type: "optional";
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

/** An issue of zod, as its message is made. */
type Found = { readonly input?: unknown; readonly path?: PropertyKey[] | undefined };
/** Builds a schema when it is first needed, so that an import builds none. */
export function lazily<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => (built ??= build());
}

/** How an error shows what was found: a string in quotes, an object without its content. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

const expected = (what: string, show = shown) => ({
  abort: true,
  error: ({ input }: Found) => `is ${input === undefined ? "missing" : show(input)}; expected ${what}`,
});
const kindOf = (value: unknown): string => (typeof value === "string" ? "a string" : shown(value));
/** The schema with the type that a function below says it has; zod infers wider ones. */
const as = (schema: z.ZodMiniType): never => schema as never;

// ── Values

/** A value that `isRight` accepts. */
export function value<T>(isRight: (value: unknown) => boolean, what: string): OptionSchema<T> {
  return as(z.custom<T>(isRight, expected(what)));
}

export function optional<T>(schema: OptionSchema<T>): OptionalSchema<T> {
  return as(z.optional(schema));
}

/** A value that is not checked. */
export function anything<T>(): OptionalSchema<T> {
  return as(z.optional(z.unknown()));
}

/** A value that another schema of zod accepts. */
export function accepted<T>(by: z.core.$ZodType): OptionSchema<T> {
  return as(by as z.ZodMiniType);
}

export function string(what = "a string"): OptionSchema<string> {
  return as(z.string(expected(what)));
}

export function nonEmpty(what = "a non-empty string"): OptionSchema<string> {
  return as(z.string(expected(what)).check(z.minLength(1, expected(what))));
}

export function matching(pattern: RegExp, what: string): OptionSchema<string> {
  return as(z.string(expected(what)).check(z.regex(pattern, expected(what))));
}

/** A string that no error quotes, such as a key or a connection string. */
export function secret(what = "a string", pattern = /(?:)/u): OptionSchema<string> {
  const wrong = expected(what, kindOf);
  return as(z.string(wrong).check(z.regex(pattern, wrong)));
}

export function boolean(): OptionSchema<boolean> {
  return as(z.boolean(expected("true or false")));
}

/** An integer of at least `min`, and of at most `max`. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): OptionSchema<number> {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const wrong = expected(`an integer ${bounds}`);
  return as(z.int(wrong).check(z.minimum(min, wrong), z.maximum(max, wrong)));
}

/** A port; 0 stands for any free one. */
export function port(): OptionSchema<number> {
  return integer(0, 65_535);
}

/** A number of at least `min`; `Infinity` is one. */
export function atLeast(min: number): OptionSchema<number> {
  return value((value) => typeof value === "number" && value >= min, `a number of at least ${min}`);
}

/** A number above 0; `Infinity` is one. */
export function positive(): OptionSchema<number> {
  return value((value) => typeof value === "number" && value > 0, "a number above 0");
}

/** Any number but NaN; `Infinity` is one. */
export function number(): OptionSchema<number> {
  return value((value) => typeof value === "number" && !Number.isNaN(value), "a number");
}

/** One of some strings. */
export function oneOf<const T extends string>(...words: readonly T[]): OptionSchema<T> {
  const quoted = words.map((word) => JSON.stringify(word));
  const what = quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return as(z.enum(words as readonly string[], expected(what)));
}

export function func<T>(what = "a function"): OptionSchema<T> {
  return value((value) => typeof value === "function", what);
}

/** An object with a method, by which it is known. */
export function having<T>(method: string, what: string): OptionSchema<T> {
  const isOne = (value: unknown): boolean =>
    typeof (value as { readonly [name: string]: unknown } | null | undefined)?.[method] === "function";
  return as(z.custom<T>(isOne, expected(what, kindOf)));
}

/** An object whose content is not checked. */
export function object<T = object>(what = "an object"): OptionSchema<T> {
  return value(isObject, what);
}

/** A list whose elements are checked where they are used. */
export function list<T>(what = "an array"): OptionSchema<T> {
  return value(Array.isArray, what);
}

export function listOf<T>(element: OptionSchema<T>, what = "an array"): OptionSchema<readonly T[]> {
  return as(z.array(element, expected(what)));
}

/** An object whose values are all of one kind. */
export function recordOf<T>(
  element: OptionSchema<T>,
  what = "an object",
): OptionSchema<{ readonly [name: string]: T }> {
  return as(z.record(z.string(), element, expected(what)));
}

/** This value and no other. */
export function exactly<const T extends string | boolean>(only: T): OptionSchema<T> {
  return as(z.literal(only, expected(JSON.stringify(only))));
}

/** What one of two schemas accepts. */
export function either<A, B>(
  one: OptionSchema<A>,
  other: OptionSchema<B>,
  what: string,
): OptionSchema<A | B> {
  return as(z.union([one, other], expected(what)));
}

/** What at least one of these schemas accepts. */
export function anyOf<T>(forms: readonly z.ZodMiniType<T>[], what: string): OptionSchema<T> {
  return as(z.union(forms, expected(what)));
}

/** The same schema with a rule about the whole value; `what` says what was expected. */
export function restricted<S extends z.ZodMiniType>(
  schema: S,
  isRight: (value: z.output<S>) => boolean,
  what: string,
): S {
  return schema.check(z.refine(isRight, expected(what))) as S;
}

// ── Objects of options

const KINDS = { options: "an option", limits: "a limit", points: "a hook point", changes: "a change" };

/** The new names of options that have been renamed. */
const RENAMED: { readonly [name: string]: string } = { memory: "contextWindow" };

/** Returns what may be said instead of an unknown name: "did you mean `maxIters`?", or all names. */
export function instead(name: string, known: readonly string[]): string {
  const near = known.find((each) => each === RENAMED[name]) ?? nearestName(name, known);
  return near === undefined ? `there are ${known.join(", ") || "none"}` : `did you mean \`${near}\`?`;
}

/** An object with these options and no others. A misspelt limit or permission would be none. */
export function options<T extends object>(
  shape: ShapeOf<T>,
  {
    of = "options",
    what = `an object of ${of}`,
  }: { readonly of?: keyof typeof KINDS; readonly what?: string } = {},
): OptionsSchema<T> {
  const known = Object.keys(shape);
  const error = ({ path = [] }: Found): string => {
    return `is not ${KINDS[of]}; ${instead(String(path.at(-1)), known)}`;
  };
  const stranger = z.optional(z.never({ error }));
  return as(z.catchall(z.object(shape, expected(what)), stranger));
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
  const findMisspelt = ({ value: options, issues }: z.core.ParsePayload<object>): void => {
    for (const [name, each] of Object.entries(options)) {
      if (Object.hasOwn(shape, name) || !isMeant(each)) continue;
      const near = nearestName(name, names);
      const message = `is not ${KINDS[of]}; did you mean \`${near}\`?`;
      if (near !== undefined) issues.push({ code: "custom", path: [name], input: each, message });
    }
  };
  return as(z.looseObject(shape, expected(what)).check(findMisspelt));
}
