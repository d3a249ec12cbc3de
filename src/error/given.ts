import { nearestName } from "./nearest-name.ts";

/** What is wrong with the names of what was given, such as "`maxIter` is no setting; did you mean `maxIters`?". Undefined if
 *  nothing is; what is undefined was not given. */
export function strangerIn(
  given: object,
  known: readonly string[],
  kind: "setting" | "option" | "limit",
): string | undefined {
  const name = Object.entries(given).find(
    ([each, value]) => value !== undefined && !known.includes(each),
  )?.[0];
  if (name === undefined) return undefined;
  const near = nearestName(name, known);
  const instead = near === undefined ? `there are ${known.join(", ")}.` : `did you mean \`${near}\`?`;
  return `\`${name}\` is no ${kind}; ${instead}`;
}

/** What somebody gave, to be told apart from what it looks like: a text in quotes, an object without what is in it. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}
