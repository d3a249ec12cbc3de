import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

export const WRITE = { write: { type: "boolean", default: false } } as const;

/** Ends the benchmark with 2, and says why. */
export function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

/** Reads the options of a benchmark. `--help` prints `help` and ends with 0, an option that it does not know ends with 2. */
export function benchOptions<const Options extends ParseArgsOptionsConfig>(
  help: string,
  options: Options,
  { allowPositionals = false }: { readonly allowPositionals?: boolean } = {},
) {
  try {
    const parsed = parseArgs({
      options: { ...options, help: { type: "boolean", short: "h" } },
      allowPositionals,
    });
    type Parsed = ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>>;
    if (!("help" in parsed.values)) return parsed as Parsed;
  } catch (error) {
    fail(`${(error as Error).message}\n\n${help}`);
  }
  console.log(help);
  process.exit(0);
}

/** Returns the names of a list separated by commas, all of which are known. */
export function chosen(option: string, text: string, known: readonly string[]): readonly string[] {
  const names = text.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) fail(`--${option} has "${unknown}"; expected some of ${known.join(", ")}.`);
  return names;
}

/** Returns the number of an option, which is above 0. */
export function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < Infinity)) fail(`--${option} is "${text}"; expected a number above 0.`);
  return number;
}

/** Returns the number of an option, which is whole and at least `least`. */
export function whole(option: string, text: string, least = 1): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    fail(`--${option} is "${text}"; expected a whole number above ${least - 1}.`);
  return number;
}
