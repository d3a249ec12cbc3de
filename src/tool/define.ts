import { isObject } from "../base/is-object.ts";
import { AgentError } from "../base/error.ts";
import { strangerIn } from "../base/options.ts";
import type { JsonObject } from "../base/json.ts";
import { executionProblem } from "../model/execution.ts";
import type { Execution } from "../model/port.ts";
import { isStandardSchema, jsonSchemaOf } from "./schema.ts";
import type { OutputOf, PermissionAction, Schema, Tool, ToolContext, ToolReturn } from "./types.ts";

/** What {@link defineTool} takes. */
export type ToolDefinition<S extends Schema, Ctx> = {
  /** 1 to 64 letters, digits, `_` or `-`: what model providers accept. */
  readonly name: string;
  readonly description: string;
  readonly input: S;
  /** Absent = external: a call of it suspends the turn. An async generator yields progress and returns the result.
   *  Runs at least once: hand `ctx.idempotencyKey` on. A throw is a result the model reads. */
  readonly execute?: (
    input: OutputOf<S>,
    ctx: ToolContext<Ctx>,
  ) => ToolReturn | Promise<ToolReturn> | AsyncGenerator<string, ToolReturn>;
  readonly groups?: readonly string[];
  /** Argument values that win over the model and leave the published schema. */
  readonly preset?: JsonObject;
  /** How many calls of this tool may run at once. */
  readonly maxParallel?: number;
  readonly execution?: Execution;
  readonly permission?: PermissionAction | ((input: OutputOf<S>, ctx: Ctx) => PermissionAction);
  readonly idempotent?: boolean;
  /** What a call does that was in flight when its process died; default `retry` if idempotent, else `ask`. */
  readonly onRestart?: "retry" | "ask" | "fail";
};

export const PERMISSION_ACTIONS: readonly PermissionAction[] = ["allow", "ask", "deny"];

export function isPermissionAction(value: unknown): value is PermissionAction {
  return PERMISSION_ACTIONS.includes(value as PermissionAction);
}

const SETTINGS: { readonly [name in keyof Required<ToolDefinition<Schema, unknown>>]: true } = {
  name: true,
  description: true,
  input: true,
  execute: true,
  groups: true,
  preset: true,
  maxParallel: true,
  execution: true,
  permission: true,
  idempotent: true,
  onRestart: true,
};

/** What is wrong with what a tool is, in one sentence. */
function kindProblem(spec: { readonly [name in keyof ToolDefinition<Schema, unknown>]: unknown }):
  | string
  | undefined {
  const { input } = spec;
  const stranger = strangerIn(spec, Object.keys(SETTINGS), "option");
  if (stranger !== undefined) return stranger;
  if (input === undefined) return "`input` must be a schema, such as z.object({ … }).";
  if (
    isObject(input) &&
    !("~standard" in input) &&
    Object.values(input).some((part) => isObject(part) && "~standard" in part)
  )
    return "`input` must be a schema and not the parts of one: z.object({ … }).";
  return undefined;
}

/** What is wrong with how a tool is to be called, in one sentence. */
function callingProblem(spec: Partial<Record<keyof Tool, unknown>>): string | undefined {
  const { permission = "allow", maxParallel = 1, onRestart = "ask", groups = [] } = spec;
  const { description, execute } = spec;
  if (typeof description !== "string") return "`description` must be a text: the model chooses by it.";
  if (execute !== undefined && typeof execute !== "function")
    return "`execute` must be a function, or absent for a tool that is answered from outside.";
  if (typeof permission !== "function" && !isPermissionAction(permission))
    return "`permission` must be allow, ask, deny or a function.";
  if (!Number.isInteger(maxParallel) || (maxParallel as number) < 1)
    return "`maxParallel` must be a whole number of at least 1.";
  if (!["retry", "ask", "fail"].includes(onRestart as string))
    return "`onRestart` must be retry, ask or fail.";
  if (!Array.isArray(groups) || groups.some((group) => typeof group !== "string"))
    return "`groups` must be a list of names.";
  return undefined;
}

/** A tool whose input is parsed before `execute` sees it. Throws `config/invalid` for a bad name, schema or
 *  setting. For a typed context annotate `ctx: ToolContext<MyContext>`. */
export function defineTool<const S extends Schema, Ctx = unknown>(spec: ToolDefinition<S, Ctx>): Tool<Ctx> {
  if (typeof spec !== "object" || spec === null)
    throw new AgentError(
      "config/invalid",
      "defineTool: an object with `name`, `description` and `input` is expected.",
    );
  if (typeof spec.name !== "string" || !/^[\w-]{1,64}$/.test(spec.name)) {
    throw new AgentError(
      "config/invalid",
      `Tool name ${JSON.stringify(spec.name)} is not 1 to 64 letters, digits, "_" or "-".`,
    );
  }
  const problem =
    kindProblem(spec) ??
    executionProblem(spec.execution)?.replace("`", "`execution.") ??
    callingProblem(spec);
  if (problem !== undefined) throw new AgentError("config/invalid", `Tool '${spec.name}': ${problem}`);
  const { name, description, input, execute, preset = {}, groups = [], idempotent = false, ...rest } = spec;
  const inputSchema = jsonSchemaOf(input);
  if (typeof inputSchema["type"] === "string" && inputSchema["type"] !== "object")
    throw new AgentError(
      "config/invalid",
      `Tool '${name}': \`input\` must be the schema of an object, not of ${inputSchema["type"]}: arguments have names.`,
    );
  checkPreset(name, inputSchema, preset);
  return {
    name,
    description,
    inputSchema,
    external: execute === undefined,
    groups,
    preset,
    onRestart: rest.onRestart ?? (idempotent ? "retry" : "ask"),
    ...(isStandardSchema(input) && { schema: input }),
    ...(execute && { execute: execute as NonNullable<Tool<Ctx>["execute"]> }),
    ...(rest.maxParallel !== undefined && { maxParallel: rest.maxParallel }),
    ...(rest.execution && { execution: rest.execution }),
    ...(rest.permission && { permission: rest.permission as NonNullable<Tool<Ctx>["permission"]> }),
  };
}

/** Throws `config/invalid` for presets that are none, and for one that the tool's schema refuses: the model could not
 *  mend that. */
export function checkPreset(
  name: string,
  { properties, additionalProperties }: JsonObject,
  preset: JsonObject,
): void {
  if (!isObject(preset))
    throw new AgentError("config/invalid", `Tool '${name}': \`preset\` must be an object.`);
  if (additionalProperties !== false) return;
  const declared = isObject(properties) ? properties : {};
  const unknown = Object.keys(preset).find((key) => !Object.hasOwn(declared, key));
  if (unknown !== undefined)
    throw new AgentError("config/invalid", `Tool '${name}' has no parameter '${unknown}' to preset.`);
}
