import { parseArgs } from "node:util";
import { nearestName } from "../base/nearest-name.ts";
import { UsageError } from "./usage-error.ts";

/** The flags a command knows, by their long name. A `text` takes a value and may be given again. */
export type FlagSpec = {
  readonly [name: string]: { readonly type: "text" | "switch"; readonly short?: string };
};

/** What was given: the values of every flag in order, and the words that are no flags. */
export type GivenFlags = {
  has(name: string): boolean;
  /** The last value given; absent if there was none. */
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  readonly words: readonly string[];
};

/** Reads the arguments of a command. Throws a {@link UsageError} for a flag it does not know, naming the nearest one, for
 *  a value that is missing and for one that is too many. */
export function readFlags(args: readonly string[], spec: FlagSpec): GivenFlags {
  const options = Object.fromEntries(
    Object.entries(spec).map(([name, { type, short }]) => [
      name,
      { type: type === "text" ? ("string" as const) : ("boolean" as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const value = checkedValue(token, spec);
    given.set(token.name, [...(given.get(token.name) ?? []), value]);
  }
  return {
    has: (name) => given.has(name),
    text: (name) => given.get(name)?.at(-1),
    texts: (name) => given.get(name) ?? [],
    words,
  };
}

type OptionToken = {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
};

function checkedValue({ name, rawName, value, inlineValue = false }: OptionToken, spec: FlagSpec): string {
  const known = Object.hasOwn(spec, name) ? spec[name] : undefined;
  if (!known) {
    const near = nearestName(name, Object.keys(spec));
    throw new UsageError(
      `There is no flag "${rawName}".${near === undefined ? "" : ` Did you mean "--${near}"?`}`,
    );
  }
  if (known.type === "switch") {
    if (value !== undefined) throw new UsageError(`"${rawName}" takes no value.`);
    return "";
  }
  if (value === undefined || value === "" || (value.startsWith("-") && !inlineValue)) {
    throw new UsageError(`"${rawName}" needs a value.`);
  }
  return value;
}
