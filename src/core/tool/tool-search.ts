import { isObject, type Json } from "../base/json.ts";
import type { ToolSpec } from "../model/port.ts";
import { defineTool } from "./define.ts";
import { rank, wordsOf } from "./rank.ts";
import { SEARCH_TOOL } from "./reserved-names.ts";
import { defineSlot } from "./slot.ts";
import type { AnyTool } from "./types.ts";

/** The maximum number of tools that a search loads. */
const MAX_FOUND = 5;

/** The names of the deferred tools that the model has loaded, in the order of loading. As long as there is room for them, names are only
 *  added, so that the list of tools that a provider has cached stays the beginning of the next one. */
export const loadedTools = defineSlot<readonly string[]>({ name: "tools.loaded", initial: [] });

/** The names of the parameters in a schema, those of nested objects too. */
function parametersOf(schema: Json | undefined): readonly string[] {
  if (Array.isArray(schema)) return (schema as readonly Json[]).flatMap(parametersOf);
  if (!isObject(schema)) return [];
  const { properties } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  return [...names, ...(Object.values(schema) as Json[]).flatMap(parametersOf)];
}

function searchedOf(spec: ToolSpec) {
  const name = wordsOf(spec.name);
  const parameters = parametersOf(spec.inputSchema).flatMap(wordsOf);
  return { item: spec, words: [...name, ...name, ...name, ...wordsOf(spec.description), ...parameters] };
}

/** The tools that a query finds: the one that it names exactly, else the best matches. */
export function findTools(query: string, specs: readonly ToolSpec[], limit = MAX_FOUND): readonly ToolSpec[] {
  const exact = specs.find(({ name }) => name === query.trim());
  return exact ? [exact] : rank(query, specs.map(searchedOf)).slice(0, limit);
}

/** The number of tools that are named if nothing is found. */
const MAX_NAMED = 40;

/** Names the tools that a search looks through, so that a model and a person see what it could have found. */
function named(deferred: readonly ToolSpec[]): string {
  const names = deferred.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = deferred.length - names.length;
  if (names.length === 0) return "";
  return `, or one of these names: ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

const described = ({ name, description }: ToolSpec): string => `- ${name}: ${description}`;

/** The tool with which the model loads deferred tools. `offered` are the tools that it has without them; of those that were loaded, only
 *  the last `room` are offered. */
export function searchTool(
  offered: readonly ToolSpec[],
  deferred: readonly ToolSpec[],
  room: number,
): AnyTool {
  return defineTool({
    name: SEARCH_TOOL,
    description: `Finds and loads more tools, which are not in your list yet: up to ${MAX_FOUND} that match some words, or the one with an exact name. You can call them from your next answer on.`,
    input: {
      type: "object",
      properties: {
        query: { type: "string", description: "What the tool should do, or its name." },
        limit: { type: "integer", minimum: 1, maximum: MAX_FOUND },
      },
      required: ["query"],
      additionalProperties: false,
    },
    idempotent: true,
    writes: [loadedTools],
    execute: (input, { slots }) => {
      const query = String(input["query"]);
      const loaded = slots.get(loadedTools).filter((name) => deferred.some((spec) => spec.name === name));
      const present = loaded.slice(-room);
      const has = ({ name }: ToolSpec): boolean =>
        present.includes(name) || offered.some((each) => each.name === name);
      const isOffered = offered.some(({ name }) => name === query.trim());
      const found = isOffered
        ? findTools(query, offered)
        : findTools(query, deferred, input["limit"] as number | undefined);
      const fresh = found.filter((spec) => !has(spec));
      const known = found.filter(has).map(({ name }) => name);
      const text = [
        ...(fresh.length > 0 ? ["Loaded; call them directly:", ...fresh.map(described)] : []),
        ...(known.length > 0 ? [`Already in your list; call directly: ${known.join(", ")}.`] : []),
        ...(found.length === 0
          ? [`No tool matches ${JSON.stringify(query)}. Try other words${named(deferred)}.`]
          : []),
      ].join("\n");
      const added = fresh.map(({ name }) => name);
      const names = [...slots.get(loadedTools).filter((name) => !added.includes(name)), ...added];
      return {
        output: [{ type: "text", text }],
        ...(fresh.length > 0 && { slots: { [loadedTools.name]: names } }),
      };
    },
  }) as AnyTool;
}
