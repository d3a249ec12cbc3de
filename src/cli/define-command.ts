import { InvalidArgumentError } from "commander";
import type { OptionSchema } from "../core/base/option-schema.ts";
import type { CliIo } from "./cli-io.ts";

/** A flag or an argument of a command. `T` is the type of its value. */
export type Parameter<T> = {
  readonly description: string;
  /** The name of the value in help, such as "FILE". A flag without one is a boolean. */
  readonly value?: string;
  readonly default?: T;
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
  /** Throws an `InvalidArgumentError` that says what the value must be. */
  readonly parse?: (text: string) => unknown;
  /** Loads the schema that the value must fit: that of the option that gets it. */
  readonly schema?: SchemaSource;
  /** The sections that help prints below the flags of a command with this flag. */
  readonly sections?: Sections;
};

/** Loads a schema, which happens only for a flag that is on the command line: help needs none. */
export type SchemaSource = () => Promise<Pick<OptionSchema<never>, "issueOf">>;

/** Paragraphs of help, by their headings. */
export type Sections = { readonly [heading: string]: string };

/** Parameters by the names that the handler of the command uses. */
type Parameters = { readonly [key: string]: Parameter<unknown> };
/** The values of parameters, by their keys. */
export type Values<P> = { readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

/** A command: its arguments, its flags and its help. The flag of the key `maxIters` is `--max-iters`. */
export type CommandDefinition = {
  /** As it is typed after the name of the program, such as "sessions ls". */
  readonly name: string;
  readonly description: string;
  readonly args?: Parameters;
  readonly flags?: Parameters;
  /** Command lines, without the name of the program. */
  readonly examples: readonly string[];
  /** The sections that help prints below the flags, after the sections of the flags. */
  readonly sections?: Sections;
};

/** The values of a command's arguments and flags. */
export type Input<D extends CommandDefinition> = {
  readonly args: D extends { readonly args: infer P } ? Values<P> : {};
  readonly flags: D extends { readonly flags: infer P } ? Values<P> : {};
};

/** Runs a command and returns its exit code, or throws the reason why it failed. */
export type Handler<D extends CommandDefinition> = (input: Input<D>, io: CliIo) => number | Promise<number>;

/** The same definition, checked and with the types of its values. */
export function defineCommand<const D extends CommandDefinition>(definition: D): D {
  return definition;
}

export function boolean(description: string): Parameter<boolean> {
  return { description, default: false };
}

export function string(
  value: string,
  description: string,
  sections: Sections = {},
): Parameter<string | undefined> {
  return { description, value, sections, parse: nonEmpty };
}

/** A parameter that may occur more than once. */
export function strings(
  value: string,
  description: string,
  sections: Sections = {},
): Parameter<readonly string[]> {
  const repeatable = `${description} (repeatable)`;
  return { description: repeatable, value, sections, default: [], isRepeatable: true, parse: nonEmpty };
}

/** Origins of pages; the flag may occur more than once. */
export function origins(description: string): Parameter<readonly string[]> {
  const parse = like(/^https?:\/\/[^/\s*]+$/u, "https://app.example.com", ([text]) => text);
  return { ...strings("ORIGIN", description), parse };
}

export function choice<const T extends string>(
  value: string,
  choices: readonly T[],
  description: string,
): Parameter<T | undefined> {
  return { description, value, choices };
}

/** An integer that fits a schema; without one, an integer of at least 1. */
export function integer(
  value: string,
  description: string,
  schema: SchemaSource = async () => (await import("../core/base/option-schema.ts")).integer(1),
): Parameter<number | undefined> {
  return { description, value, schema, parse: (text) => (/^\d+$/.test(text) ? Number(text) : text) };
}

/** A number of at least 0, such as 0.25. */
export function amount(value: string, description: string): Parameter<number | undefined> {
  const parse = like(/^\d{1,12}(\.\d{1,12})?$/, "0.25 or 3", ([text]) => Number(text));
  return { description, value, parse };
}

/** A port. 0 stands for any free port. */
export function port(description: string): Parameter<number | undefined> {
  const schema = async () => (await import("../core/base/option-schema.ts")).port();
  return integer("PORT", `${description}, 0 for any free port`, schema);
}

/** At most `max` per `perMs` milliseconds. */
export type Rate = { readonly max: number; readonly perMs: number };

const UNITS_MS = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const msOf = (unit: string | undefined): number => UNITS_MS[unit as keyof typeof UNITS_MS];

/** A time in ms, such as "30d". */
export function duration(value: string, description: string): Parameter<number | undefined> {
  const form = /^([1-9]\d{0,5})(d|h|min|s)$/;
  const parse = like(form, "30d, 12h, 90min or 45s", ([, count, unit]) => Number(count) * msOf(unit));
  return { description, value, parse };
}

export function rate(description: string): Parameter<Rate | undefined> {
  const form = /^([1-9]\d{0,8})\/(s|min|h)$/;
  const parse = like(form, "5/s, 60/min or 1000/h", ([, max, unit]): Rate => {
    return { max: Number(max), perMs: msOf(unit) };
  });
  return { description, value: "N/s|min|h", parse };
}

/** The same parameter with a default, which help shows. */
export function withDefault<T>(parameter: Parameter<T>, value: NonNullable<T>): Parameter<NonNullable<T>> {
  return { ...parameter, default: value };
}

/** The same parameter, without which the command is refused. */
export function required<T>(parameter: Parameter<T>): Parameter<NonNullable<T>> {
  return { ...parameter, isRequired: true } as Parameter<NonNullable<T>>;
}

/** Returns the parser of texts of a form, which errors show by an example. */
const like =
  <T>(form: RegExp, example: string, read: (match: RegExpExecArray) => T) =>
  (text: string): T => {
    const match = form.exec(text);
    if (!match) throw new InvalidArgumentError(`It must look like ${example}.`);
    return read(match);
  };

function nonEmpty(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}
