import type { Conversation, JsonFields, JsonValue, Step } from "./conversation.ts";

/** A call that the plan wants. */
export type WantedCall = { readonly tool: string; readonly input: JsonFields };

/** Where a wanted call stands in the conversation; `missing` if its tool is not offered. */
export type Run =
  | { readonly state: "todo" }
  | { readonly state: "missing" }
  | { readonly state: "done"; readonly result: JsonFields }
  | { readonly state: "failed"; readonly error: string };

/** A call that failed for a reason that may pass is tried once more, every other one never. */
const MOST_ATTEMPTS = 2;
const MAY_PASS = /locked|busy|timeout|timed out|outcome|previous tool execution/i;

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function matches(step: Step, { tool, input }: WantedCall): boolean {
  return step.tool === tool && Object.keys(input).every((key) => same(step.input[key], input[key]));
}

/** What has become of a call so far. */
export function runOf(conversation: Conversation, wanted: WantedCall): Run {
  const attempts = conversation.steps.filter((step) => matches(step, wanted));
  const done = attempts.find(({ result }) => result !== undefined);
  if (done?.result) return { state: "done", result: done.result };
  const error = attempts.at(-1)?.error;
  const mayTry = error === undefined || (attempts.length < MOST_ATTEMPTS && MAY_PASS.test(error));
  if (mayTry && conversation.tools.has(wanted.tool)) return { state: "todo" };
  return error === undefined ? { state: "missing" } : { state: "failed", error: plainError(error) };
}

/** The error without what tool runners put before it, in one line. */
function plainError(error: string): string {
  return error
    .replace(/^\[?Error\]?:?\s*(Tool execution failed:\s*)?/i, "")
    .split("\n")[0]!
    .trim();
}

/** The rows of a query's result as records; a cell is its text as the tool gave it, null if it has none. */
export function recordsOf(result: JsonFields): ReadonlyMap<string, string | null>[] {
  const columns = Array.isArray(result["columns"]) ? result["columns"].map(String) : [];
  const rows = Array.isArray(result["rows"]) ? (result["rows"] as readonly (readonly JsonValue[])[]) : [];
  return rows.map((row) => new Map(columns.map((column, index) => [column, cellText(row[index])])));
}

/** A JSON scalar as the tool wrote it. */
export function cellText(value: JsonValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
