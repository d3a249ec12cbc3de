import type { Tool } from "@modelcontextprotocol/client";
import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { schemaProblem } from "../../core/tool/schema-problem.ts";

/** Something that is wrong with a tool of a list: `left-out` if it cannot be offered. */
export type Fault = {
  readonly type: "left-out" | "warning";
  readonly message: string;
  readonly tool?: string;
};

/** A list of tools as a server sent it, and what is wrong with it. */
export type ToolList = { readonly tools: readonly Tool[]; readonly faults: readonly Fault[] };

/** The maximum number of tools of a server that are offered. */
export const MAX_TOOLS = 1_000;
/** The maximum length of the descriptions and schemas of all tools that are retained. */
const MAX_LIST_CHARACTERS = 1_000_000;
/** The maximum length of a description that is read. */
const MAX_DESCRIPTION = 10_000;
const MAX_CHARACTERS = 100_000;
const MAX_DEPTH = 200;
const MAX_REASON = 300;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Returns how deep a value is, and a reference in it that leads to another document. */
function shapeOf(schema: unknown): { readonly depth: number; readonly remote?: string } {
  const open: [value: unknown, depth: number][] = [[schema, 1]];
  let deepest = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    deepest = Math.max(deepest, depth);
    if (typeof value !== "object" || value === null) continue;
    const ref: unknown = Array.isArray(value) ? undefined : (value as { readonly $ref?: unknown }).$ref;
    if (typeof ref === "string" && !ref.startsWith("#")) return { depth, remote: ref };
    for (const each of Object.values(value)) open.push([each, depth + 1]);
  }
  return { depth: deepest };
}

/** Returns why a schema cannot be used; undefined if it can. */
function problemOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return "its schema is not a JSON Schema: it is not an object";
  const { depth, remote } = shapeOf(schema);
  if (remote !== undefined) return "its schema refers to another document";
  if (depth > MAX_DEPTH) return `its schema is nested more than ${MAX_DEPTH} deep`;
  const size = JSON.stringify(schema).length;
  if (size > MAX_CHARACTERS) return `its schema has ${size} characters; at most ${MAX_CHARACTERS} are read`;
  const problem = schemaProblem(schema);
  return problem === undefined
    ? undefined
    : `its schema is not a JSON Schema: ${problem.slice(0, MAX_REASON)}`;
}

/** Returns a schema without an invalid name of its dialect. */
const dialected = ({ $schema, ...rest }: JsonObject): JsonObject =>
  typeof $schema === "string" ? { $schema, ...rest } : rest;

const isObjectType = (type: Json | undefined): boolean =>
  type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));

/** Returns why a tool cannot be offered; undefined if it can. */
function whyNot({ inputSchema, execution }: JsonObject): string | undefined {
  if (isObject(execution) && execution["taskSupport"] === "required")
    return "it runs as a task only, which is not supported";
  const problem = problemOf(inputSchema);
  if (problem !== undefined) return problem;
  return isObjectType((inputSchema as JsonObject)["type"])
    ? undefined
    : "its schema is not that of an object";
}

/** Returns what is used of a tool, in the form that the protocol has; undefined if it cannot be offered. */
function mended(raw: unknown, isModern: boolean, note: (fault: Fault) => void): JsonObject | undefined {
  const name = isObject(raw) ? raw["name"] : undefined;
  if (!isObject(raw) || typeof name !== "string" || name === "") {
    note({ type: "left-out", message: "A tool is not offered: it has no name." });
    return undefined;
  }
  const reason = whyNot(raw);
  if (reason !== undefined) {
    note({ type: "left-out", message: `The tool is not offered: ${reason}.`, tool: name });
    return undefined;
  }
  const { title, description, inputSchema, outputSchema, annotations } = raw;
  const output = outputSchema === undefined ? undefined : problemOf(outputSchema);
  if (output !== undefined)
    note({ type: "warning", message: `The results are not checked: ${output}.`, tool: name });
  const isChecked =
    output === undefined && isObject(outputSchema) && (isModern || outputSchema["type"] === "object");
  const hints = HINTS.map((hint) => [hint, isObject(annotations) ? annotations[hint] : undefined] as const);
  return {
    name,
    ...(typeof title === "string" && { title: title.slice(0, MAX_DESCRIPTION) }),
    ...(typeof description === "string" && { description: description.slice(0, MAX_DESCRIPTION) }),
    inputSchema: { ...dialected(inputSchema as JsonObject), type: "object" },
    ...(isChecked && { outputSchema: dialected(outputSchema) }),
    annotations: Object.fromEntries(hints.filter(([, hint]) => typeof hint === "boolean")) as JsonObject,
  };
}

/** The limits of what is read of a list, over all its pages. */
export class ListLimits {
  tools = 0;
  #characters = 0;

  /** Takes a tool. Returns false once the list is longer than it may be. */
  takes(tool: JsonObject): boolean {
    this.#characters += JSON.stringify(tool).length;
    return this.#characters <= MAX_LIST_CHARACTERS;
  }

  /** Whether no further page is wanted. */
  get isFull(): boolean {
    return this.tools > MAX_TOOLS || this.#characters > MAX_LIST_CHARACTERS;
  }
}

/** Mends the tools of a page of a list, and takes out those that cannot be offered. One that does not keep to the protocol would otherwise
 *  make the whole list unreadable. Of more than can be offered only the number is kept, and no further page is asked for. */
export function mendTools(
  page: { [field: string]: Json },
  isModern: boolean,
  note: (fault: Fault) => void,
  limits: ListLimits,
): void {
  const { tools: raw } = page;
  if (!Array.isArray(raw)) return;
  const tools = (raw as readonly Json[]).flatMap((each) => {
    if (limits.isFull) return [];
    const tool = mended(each, isModern, note);
    if (!tool) return [];
    if (!limits.takes(tool)) {
      const message = `The list has more than ${MAX_LIST_CHARACTERS} characters; what comes after is not offered.`;
      note({ type: "left-out", message });
      return [];
    }
    limits.tools++;
    return [tool];
  });
  page["tools"] = tools;
  if (limits.isFull) delete page["nextCursor"];
}
