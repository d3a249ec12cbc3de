import type * as z from "zod/mini";
import { AgentError } from "./error.ts";
import { isObject } from "./is-object.ts";
import type { OptionsSchema } from "./option-schema.ts";

/** Returns what is wrong with a value, such as "`maxIter` is not an option; did you mean `maxIters`?", or undefined. `subject` is
 *  what the sentence calls the value itself. */
export function problemOf(
  schema: z.ZodMiniType,
  value: unknown,
  subject = "The argument",
): string | undefined {
  const issue = issueOf(schema.safeParse(value).error?.issues ?? []);
  if (issue === undefined) return undefined;
  const sentence = `${nameOf(issue.path) ?? subject} ${issue.message}`;
  return sentence.endsWith("?") ? sentence : `${sentence}.`;
}

/** True if options are right, judged option by option: zod looks at each option that there may be, and an agent has many. False says
 *  nothing: then {@link check} says what is wrong. For schemas without rules about the whole. */
export function isRight<T extends object>({ shape }: OptionsSchema<T>, options: T): boolean {
  if (!isObject(options) || Object.getPrototypeOf(options) !== Object.prototype) return false;
  const schemas: { readonly [name: string]: z.ZodMiniType } = shape;
  for (const name of Object.keys(options)) {
    const value = (options as { readonly [name: string]: unknown })[name];
    if (!Object.hasOwn(schemas, name) || !schemas[name]!.safeParse(value).success) return false;
  }
  return requiredOf(schemas).every((name) => Object.hasOwn(options, name));
}

const required = new WeakMap<object, readonly string[]>();

function requiredOf(schemas: { readonly [name: string]: z.ZodMiniType }): readonly string[] {
  let names = required.get(schemas);
  if (!names) {
    names = Object.keys(schemas).filter((name) => !schemas[name]!.safeParse(undefined).success);
    required.set(schemas, names);
  }
  return names;
}

/** The issue that is reported: a misspelt name rather than the option that is missing for it. */
export function issueOf(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  return issues.find((each) => each.code === "invalid_type" && each.expected === "never") ?? issues[0];
}

/** Throws `config/invalid` that begins with `from` and says what is wrong with a value. */
export function check(schema: z.ZodMiniType, value: unknown, from: string, subject?: string): void {
  const problem = problemOf(schema, value, subject);
  if (problem !== undefined) throw new AgentError("config/invalid", `${from}: ${problem}`);
}

/** Returns what a schema expected instead of a value, such as "an integer of at least 1"; undefined if it accepts the value. */
export function expectedInstead(schema: z.ZodMiniType, value: unknown): string | undefined {
  return issueOf(schema.safeParse(value).error?.issues ?? [])?.message.replace(/^.*?; expected /su, "");
}

/** The name of an option, such as "`permissions.rules[0].tool`"; undefined for the value itself. */
export function nameOf(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined;
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[\w$-]+$/u.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(String(step))}]`;
  });
  return `\`${steps.join("").replace(/^\./u, "")}\``;
}
