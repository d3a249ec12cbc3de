import { copyOf, isTooDeep, MAX_DEPTH } from "../base/freeze.ts";
import type { JsonObject } from "../base/json.ts";
import { messageOf } from "../base/error.ts";
import type { ToolResultBlock, ToolUseBlock } from "../message/types.ts";
import { hashInput } from "./hash.ts";
import { pruneNulls } from "./prune-nulls.ts";
import { badInput } from "./results.ts";
import { parseStandard } from "./schema.ts";
import { validateInput } from "./validate-input.ts";
import type { Tool } from "./types.ts";

/** What `execute` gets, and what it was parsed from. */
export type ParsedInput = {
  /** The output of the tool's schema: any value, not only JSON. */
  readonly value: unknown;
  /** The hash of the arguments, presets included. */
  readonly argsHash: string;
  /** The schema that parsed them. */
  readonly schema: object;
};

/** A parsed input, or the error result that the model reads. */
export type PreparedInput = ParsedInput | { readonly result: ToolResultBlock };

/** As {@link PreparedInput}, without the hash if nothing is bound to the arguments. */
export type CallInput =
  | (Pick<ParsedInput, "value"> & Partial<ParsedInput>)
  | { readonly result: ToolResultBlock };

/** Why the text of the arguments cannot be read; undefined if they are an object. */
function unreadable({ rawInput: text }: ToolUseBlock): string | undefined {
  if (text === undefined) return undefined;
  try {
    if (isTooDeep(JSON.parse(text))) return `the arguments are nested deeper than ${MAX_DEPTH} levels`;
    return `the arguments must be a JSON object, and are not: ${text.slice(0, 200)}`;
  } catch {
    return `the arguments are not valid JSON: ${text.slice(0, 200)}`;
  }
}

/** The arguments that would be parsed: presets added, optional nulls removed. */
function completeInput(tool: Tool<never>, call: ToolUseBlock): JsonObject {
  const pruned = pruneNulls(tool.inputSchema, { ...call.input, ...tool.preset }) as JsonObject;
  return copyOf({ ...pruned, ...tool.preset });
}

/** The hash of the arguments that would be parsed. Runs no code of the user. */
export function argsHashOf(tool: Tool<never>, call: ToolUseBlock): string {
  return hashInput(unreadable(call) === undefined ? completeInput(tool, call) : call.input);
}

/** Completes the arguments of a call and parses them with the tool's schema. Never rejects: a schema that throws is an error result. */
export async function parseInput(tool: Tool<never>, call: ToolUseBlock): Promise<CallInput> {
  const problem = unreadable(call);
  return problem === undefined
    ? parsedBy(tool, call, completeInput(tool, call))
    : { result: badInput(call, problem) };
}

async function parsedBy(tool: Tool<never>, call: ToolUseBlock, input: JsonObject): Promise<CallInput> {
  if (!tool.schema) {
    const problems = validateInput(tool.inputSchema, input);
    return problems === null ? { value: input } : { result: badInput(call, problems) };
  }
  try {
    const parsed = await parseStandard(tool.schema, input);
    return "value" in parsed ? parsed : { result: badInput(call, parsed.problems) };
  } catch (error) {
    return { result: badInput(call, messageOf(error)) };
  }
}

/** As {@link parseInput}, with what the value belongs to. Returns `known` instead of parsing if it was parsed from the same arguments
 *  with the same schema. */
export async function prepareInput(
  tool: Tool<never>,
  call: ToolUseBlock,
  known?: ParsedInput,
): Promise<PreparedInput> {
  const problem = unreadable(call);
  if (problem !== undefined) return { result: badInput(call, problem) };
  const input = completeInput(tool, call);
  const argsHash = hashInput(input);
  const schema = tool.schema ?? tool.inputSchema;
  if (known?.argsHash === argsHash && known.schema === schema) return known;
  const parsed = await parsedBy(tool, call, input);
  return "value" in parsed ? { value: parsed.value, argsHash, schema } : parsed;
}
