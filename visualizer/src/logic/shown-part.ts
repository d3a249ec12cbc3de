import { isObject } from "../../../src/core/base/json.ts";
import type { JsonObject, ToolResultBlock } from "../wire/types.ts";
import { headOf } from "./step-notes.ts";

/** About so many characters are a token. */
const CHARACTERS_PER_TOKEN = 3.5;
/** A shorter result is always shown whole: its beginning and its end are as long. */
const MIN_LENGTH = 4_000;

/** The bound of a result that the model sees only in part, in tokens; undefined if it sees all of it. */
export function boundOf(
  { name, output }: ToolResultBlock,
  settings: JsonObject | undefined,
): number | undefined {
  const limits = settings?.["results"];
  if (!isObject(limits)) return undefined;
  const { maxTokens, tools, exclude } = limits;
  const tool = headOf(name);
  if (Array.isArray(exclude) && exclude.includes(tool)) return undefined;
  const bound = isObject(tools) && Object.hasOwn(tools, tool) ? tools[tool] : maxTokens;
  if (typeof bound !== "number") return undefined;
  // a blob has a length too
  const length = output.reduce((sum, part) => {
    if (!("text" in part)) return sum;
    return sum + part.text.length;
  }, 0);
  return length > MIN_LENGTH && length / CHARACTERS_PER_TOKEN > bound ? bound : undefined;
}
