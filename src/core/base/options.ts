import { configError } from "./error.ts";
import { perObject, isObject } from "./json.ts";
import type { AnyShape, OptionSchema, OptionsSchema } from "./option-schema.ts";
import { truncated } from "./shown.ts";

/** Returns what is wrong with a value, such as "`maxIter` is not an option; did you mean `maxIters`?", or undefined. `subject` is
 *  what the sentence calls the value itself. */
export function problemOf<T>(
  schema: OptionSchema<T>,
  value: unknown,
  subject = "The argument",
): string | undefined {
  const issue = schema.issueOf(value);
  if (issue === undefined) return undefined;
  const sentence = `${nameOf(issue.path) ?? subject} ${issue.message()}`;
  return sentence.endsWith("?") ? sentence : `${sentence}.`;
}

/** True if options are right, judged option by option: there may be many, and few are given. False says nothing: then {@link check}
 *  says what is wrong. For schemas without rules about the whole. */
export function isRight<T extends object>({ shape }: OptionsSchema<T>, options: T): boolean {
  if (!isObject(options) || Object.getPrototypeOf(options) !== Object.prototype) return false;
  const schemas: AnyShape = shape;
  for (const name of Object.keys(options)) {
    const value = (options as { readonly [name: string]: unknown })[name];
    if (!Object.hasOwn(schemas, name) || schemas[name]!.issueOf(value)) return false;
  }
  return requiredOf(schemas).every((name) => Object.hasOwn(options, name));
}

const requiredOf = perObject((schemas: AnyShape): readonly string[] =>
  Object.keys(schemas).filter((name) => schemas[name]!.issueOf(undefined)),
);

/** Throws `config/invalid` that begins with `from` and says what is wrong with a value. */
export function check<T>(schema: OptionSchema<T>, value: unknown, from: string, subject?: string): void {
  const problem = problemOf(schema, value, subject);
  if (problem !== undefined) throw configError(`${from}: ${problem}`);
}

/** Returns where a value differs from a schema and what was expected there, without what was found. An example is "input.calls.0.id:
 *  expected a string" of an `input`; undefined if it does not differ. */
export function mismatchOf<T>(schema: OptionSchema<T>, value: unknown, subject?: string): string | undefined {
  const issue = schema.issueOf(value);
  if (issue === undefined) return undefined;
  const steps = issue.path.map((step) => truncated(String(step)));
  const where = [...(subject === undefined ? [] : [subject]), ...steps].join(".");
  return `${where || "it"}: expected ${issue.expected}`;
}

/** The name of an option, such as "`permissions.rules[0].tool`"; undefined for the value itself. */
export function nameOf(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined;
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    const name = truncated(String(step));
    return /^[\w$-]+$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return `\`${steps.join("").replace(/^\./u, "")}\``;
}
