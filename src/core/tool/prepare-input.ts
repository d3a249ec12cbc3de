import { parsedJson, hasNull, copyOf, isTooDeep, MAX_DEPTH, type JsonObject } from "../base/json.ts";
import { messageOf } from "../base/error.ts";
import type { ToolUseBlock } from "../message/types.ts";
import { hashInput } from "../base/hash.ts";
import { pruneNulls, type Refuses } from "./prune-nulls.ts";
import { badInput } from "./results.ts";
import { FOREIGN } from "./schema.ts";
import { validateInput } from "./validate-input.ts";
import type { StandardSchema, AnyTool, CallInput, ParsedInput, PreparedInput } from "./types.ts";

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
};

type ZodOutcome =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

type ZodSchema = StandardSchema & { safeParseAsync(value: unknown): Promise<ZodOutcome> };

type Outcome = { readonly value?: unknown; readonly issues?: readonly Issue[] };

/** Validates a value. A zod schema is parsed asynchronously at once: its `~standard.validate` tries to parse synchronously
 *  first, so that an asynchronous transform or refinement would run twice. */
async function validated(schema: StandardSchema, value: unknown): Promise<Outcome> {
  if (schema["~standard"].vendor !== "zod" || !("safeParseAsync" in schema))
    return (await schema["~standard"].validate(value)) as Outcome;
  const outcome = await (schema as ZodSchema).safeParseAsync(value);
  return outcome.success ? { value: outcome.data } : { issues: outcome.error.issues };
}

/** The problems with a value: the problems in one line, and the path of each. */
export type Misfit = { readonly problems: string; readonly paths: readonly (readonly string[])[] };

/** Runs a Standard Schema: the parsed value, or the problems. */
export async function parseStandard(
  schema: StandardSchema,
  value: unknown,
): Promise<{ readonly value: unknown } | Misfit> {
  const outcome = await validated(schema, value);
  if (!outcome.issues) return { value: outcome.value };
  const paths = outcome.issues.map(({ path }) =>
    (path ?? []).map((step) => String(typeof step === "object" ? step.key : step)),
  );
  const problems = outcome.issues.map(({ message }, index) => {
    const where = paths[index]!.join("/");
    return where === "" ? message : `${where}: ${message}`;
  });
  return { problems: problems.join("; "), paths };
}

/** The maximum number of times that arguments are parsed: a schema may name one wrong field at a time. */
const MAX_ROUNDS = 20;

/** Returns the reason for which the text of the arguments cannot be read; undefined if they are an object. */
function unreadable({ rawInput: text }: ToolUseBlock): string | undefined {
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  if (value === undefined) return `the arguments are not valid JSON: ${text.slice(0, 200)}`;
  if (isTooDeep(value)) return `the arguments are nested deeper than ${MAX_DEPTH} levels`;
  return `the arguments must be a JSON object, and are not: ${text.slice(0, 200)}`;
}

/** The arguments that are parsed: presets added. */
function completeInput(tool: AnyTool, call: ToolUseBlock): JsonObject {
  return copyOf({ ...call.input, ...tool.preset });
}

/** The hash of the arguments that would be parsed. Runs no code of the user. */
export function argsHashOf(tool: AnyTool, call: ToolUseBlock): string {
  return hashInput(unreadable(call) === undefined ? completeInput(tool, call) : call.input);
}

/** Completes the arguments of a call and parses them with the tool's schema. Never rejects: a schema that throws is an error result. */
export async function parseInput(tool: AnyTool, call: ToolUseBlock): Promise<CallInput> {
  const problem = unreadable(call);
  return problem === undefined
    ? parsedBy(tool, call, completeInput(tool, call))
    : { result: badInput(call, problem) };
}

/** Whether the schema that named these paths refuses null at another path; undefined where it only refuses what is around it. */
const refusesBy =
  (paths: readonly (readonly string[])[]): Refuses =>
  (path) => {
    const around = paths.filter((each) => each.every((step, index) => step === path[index]));
    if (around.length === 0) return false;
    return around.some(({ length }) => length === path.length) ? true : undefined;
  };

/** Parses arguments with a Standard Schema, again without the nulls that it has refused, as long as there are such. */
async function parsedByStandard(tool: AnyTool, schema: StandardSchema, input: JsonObject) {
  if (!hasNull(input) || schema["~standard"].vendor === FOREIGN) return parseStandard(schema, input);
  let given = input;
  for (let round = 1; ; round++) {
    const parsed = await parseStandard(schema, copyOf(given));
    if ("value" in parsed || round > MAX_ROUNDS) return parsed;
    const pruned = pruneNulls(tool.inputSchema, given, refusesBy(parsed.paths));
    const next = { ...(pruned as JsonObject), ...tool.preset };
    if (JSON.stringify(next) === JSON.stringify(given)) return parsed;
    given = next;
  }
}

/** The parsed arguments, or what is wrong with them. Never rejects. */
async function checkedBy(
  tool: AnyTool,
  input: JsonObject,
): Promise<{ readonly value: unknown } | { readonly problems: string }> {
  if (!tool.schema) {
    const pruned = pruneNulls(tool.inputSchema, input) as JsonObject;
    const value = pruned === input ? input : { ...pruned, ...tool.preset };
    const problems = validateInput(tool.inputSchema, value);
    return problems === null ? { value } : { problems };
  }
  try {
    return await parsedByStandard(tool, tool.schema, input);
  } catch (error) {
    return { problems: messageOf(error) };
  }
}

async function parsedBy(tool: AnyTool, call: ToolUseBlock, input: JsonObject): Promise<CallInput> {
  const checked = await checkedBy(tool, input);
  return "value" in checked ? { value: checked.value } : { result: badInput(call, checked.problems) };
}

/** Returns what is wrong with the arguments of a call, with the paths, presets added; undefined if nothing is. */
export async function inputProblem(tool: AnyTool, call: ToolUseBlock): Promise<string | undefined> {
  const checked = await checkedBy(tool, completeInput(tool, call));
  return "value" in checked ? undefined : checked.problems;
}

/** As {@link parseInput}, with what the value belongs to. Returns `known` instead of parsing if it was parsed from the same arguments
 *  with the same schema. */
export async function prepareInput(
  tool: AnyTool,
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

/** The object that knows the calls of a session. */
export type OpenCalls = {
  /** Returns whether a call still waits for its result. */
  isOpen(callId: string): boolean;
};

/**
 * The parsed inputs of calls that wait for their execution.
 *
 * An input is parsed at most once per attempt. Review parses it and keeps the value, unless the call is allowed whatever its
 * arguments are; the first attempt takes the value out, or parses the input. A later attempt parses the input again, so that
 * it never sees what a former attempt did to its input. A value belongs to the arguments and the schema it was parsed with:
 * edited arguments, changed presets and a replaced tool are parsed again.
 *
 * A parsed input may be anything, not only JSON, so it stays in this process: after a restore, the input is parsed once
 * more. A value is dropped when its call has its result.
 */
export class ParsedInputs {
  #values: Map<string, ParsedInput> | undefined;
  readonly #calls: OpenCalls;

  constructor(calls: OpenCalls) {
    this.#calls = calls;
  }

  /** For review: parses the input of a call and caches the value. Parses nothing if the value of these arguments is cached. */
  async prepare(tool: AnyTool, call: ToolUseBlock): Promise<PreparedInput> {
    const prepared = await prepareInput(tool, call, this.#values?.get(call.id));
    if ("value" in prepared && this.#calls.isOpen(call.id))
      (this.#values ??= new Map()).set(call.id, prepared);
    return prepared;
  }

  /** For one attempt: takes out the cached value, or parses the input. With `isBound` it has the hash of its arguments. */
  async take(tool: AnyTool, call: ToolUseBlock, isBound: boolean): Promise<CallInput> {
    const kept = this.#values?.get(call.id);
    this.#values?.delete(call.id);
    return kept || isBound ? prepareInput(tool, call, kept) : parseInput(tool, call);
  }

  /** Drops the values of calls that have their result. */
  prune(): void {
    for (const callId of this.#values?.keys() ?? [])
      if (!this.#calls.isOpen(callId)) this.#values?.delete(callId);
  }

  /** Drops all values. */
  clear(): void {
    this.#values = undefined;
  }
}
