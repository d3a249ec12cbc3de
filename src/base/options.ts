import { AgentError } from "./error.ts";
import { nearestName } from "./nearest-name.ts";

const A = { option: "an option", limit: "a limit", point: "a hook point" };

/** The new names of options that have been renamed. */
const RENAMED: { readonly [name: string]: string } = { memory: "contextWindow" };

/** What is wrong with the names of what was given, such as "`maxIter` is not an option; did you mean `maxIters`?". Undefined if
 *  nothing is; what is undefined was not given. */
export function strangerIn(
  given: object,
  known: readonly string[],
  kind: "option" | "limit",
): string | undefined {
  const name = Object.entries(given).find(
    ([each, value]) => value !== undefined && !known.includes(each),
  )?.[0];
  if (name === undefined) return undefined;
  const near = known.find((each) => each === RENAMED[name]) ?? nearestName(name, known);
  const instead = near === undefined ? `there are ${known.join(", ")}.` : `did you mean \`${near}\`?`;
  return `\`${name}\` is not ${A[kind]}; ${instead}`;
}

/** The same where others may be, such as the functions of a backend that is spread: only what is nearly one of these. */
export function misspeltIn(
  given: object,
  known: readonly string[],
  kind: "option" | "point",
): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    const near = value === undefined || known.includes(name) ? undefined : nearestName(name, known);
    if (near !== undefined) return `\`${name}\` is not ${A[kind]}; did you mean \`${near}\`?`;
  }
  return undefined;
}

/** What somebody gave, to be told apart from what it looks like: a text in quotes, an object without what is in it. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

/** Throws `config/invalid` unless this is an object with no other options than these, which may be secret: their values are
 *  not shown. `from` is what the message begins with, `example` is how it is called. */
export function checkOptions(given: unknown, known: readonly string[], from: string, example: string): void {
  if (typeof given !== "object" || given === null)
    throw new AgentError("config/invalid", `${from} takes an object of options: ${example}.`);
  const stranger = strangerIn(given, known, "option");
  if (stranger !== undefined) throw new AgentError("config/invalid", `${from}: ${stranger}`);
}
