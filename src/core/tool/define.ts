import { configError } from "../base/error.ts";
import * as s from "../base/option-schema.ts";
import { check } from "../base/options.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { executionSchema } from "../model/execution-schema.ts";
import type { Execution } from "../model/port.ts";
import type { ArgumentsOf } from "./calls.ts";
import { presetProblem } from "./presets.ts";
import { isStandardSchema, jsonSchemaOf } from "./schema.ts";
import { slotSchema } from "./slot.ts";
import { permissionSchema } from "./tool-schema.ts";
import type { OutputOf, PermissionAction, Schema, Slot, Tool, ToolContext, ToolReturn } from "./types.ts";

/** The definition that {@link defineTool} takes. */
export type ToolDefinition<
  S extends Schema,
  Ctx,
  Name extends string = string,
  Preset extends string = string,
> = {
  /** 1 to 64 letters, digits, `_` or `-`: what model providers accept. */
  readonly name: Name;
  readonly description: string;
  readonly input: S;
  /** Absent = external: a call of it suspends the turn. An async generator yields progress and returns the result.
   *  Runs at least once: hand `ctx.idempotencyKey` on. A throw is a result the model reads. */
  readonly execute?:
    | ((
        input: OutputOf<S>,
        ctx: ToolContext<Ctx>,
      ) => ToolReturn | Promise<ToolReturn> | AsyncGenerator<string, ToolReturn>)
    | undefined;
  readonly groups?: readonly string[] | undefined;
  /** Values of arguments: they win over the model's, and the model does not see them. A name that the schema does not have is
   *  refused. */
  readonly preset?: { readonly [argument in Preset]: Json } | undefined;
  /** The maximum number of calls of this tool that may run at once. */
  readonly maxParallel?: number | undefined;
  readonly execution?: Execution | undefined;
  readonly permission?: PermissionAction | ((input: OutputOf<S>, ctx: Ctx) => PermissionAction) | undefined;
  readonly idempotent?: boolean | undefined;
  /** The handling of a call that was in flight when its process died; default `retry` if idempotent, else `ask`. */
  readonly onRestart?: "retry" | "ask" | "fail" | undefined;
  /** The slots whose new values the result may bring. Calls that write one slot never run at the same time. */
  readonly writes?: readonly Slot[] | undefined;
  /** True: the model is not offered the tool until it finds it with `search_tools`. False: it is offered always. Default: it is
   *  offered unless the tools of the agent are more than `toolOptions.search.maxTools`, or have more tokens than
   *  `toolOptions.search.maxTokens`. */
  readonly deferred?: boolean | undefined;
};

type Definition = ToolDefinition<Schema, never>;
type Permission = NonNullable<Definition["permission"]>;

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === "function";
const isStandard = (value: unknown): boolean => isObject(value) && "~standard" in value;
const hasSchemas = (value: unknown): boolean => Object.values(value as object).some(isStandard);

/** The schema of {@link ToolDefinition}. */
export const definitionSchema = s.lazily(() => {
  const input = s.restricted(
    s.value<Schema>(isSchema, "a schema, such as z.object({ … })"),
    (value) => isStandard(value) || !hasSchemas(value),
    "a schema and not the parts of one: z.object({ … })",
  );
  return s.options<Definition>(
    {
      name: s.matching(/^[\w-]{1,64}$/, '1 to 64 letters, digits, "_" or "-"'),
      description: s.string("a string: the model chooses by it"),
      input,
      execute: s.optional(s.func("a function, or nothing for a tool that is answered from outside")),
      groups: s.optional(s.listOf(s.string("the name of a group"))),
      preset: s.optional(s.object()),
      maxParallel: s.optional(s.integer(1)),
      execution: s.optional(executionSchema()),
      permission: s.optional(
        s.either(
          permissionSchema(),
          s.func<Exclude<Permission, PermissionAction>>(),
          '"allow", "ask", "deny" or a function',
        ),
      ),
      idempotent: s.optional(s.boolean()),
      onRestart: s.optional(s.oneOf("retry", "ask", "fail")),
      writes: s.optional(s.listOf(slotSchema())),
      deferred: s.optional(s.boolean()),
    },
    { what: "an object with `name`, `description` and `input`" },
  );
});

/**
 * A tool whose input is parsed before `execute` sees it. Throws `config/invalid` for an invalid name, schema or option. For a typed
 * context annotate `ctx: ToolContext<MyContext>`.
 *
 * @example
 * ```ts
 * import { createAgent, defineTool } from "agentchart";
 * import { scriptedModel } from "agentchart/testing";
 * import { z } from "zod";
 *
 * const time = defineTool({
 *   name: "time",
 *   description: "Returns the current time in a time zone.",
 *   input: z.object({ timeZone: z.string() }),
 *   execute: ({ timeZone }) => new Date().toLocaleTimeString("en", { timeZone }),
 * });
 * const agent = createAgent({ name: "clock", model: scriptedModel(["It is noon."]), tools: [time] });
 * ```
 */
export function defineTool<
  const S extends Schema,
  Ctx = unknown,
  const Name extends string = string,
  Preset extends string = never,
>(spec: ToolDefinition<S, Ctx, Name, Preset>): Tool<Ctx, Name, ArgumentsOf<S, Preset>> {
  const named: unknown = (spec as Partial<typeof spec> | null | undefined)?.name;
  check(definitionSchema(), spec, typeof named === "string" ? `Tool '${named}'` : "defineTool");
  const { name, description, input, execute, preset = {}, groups = [], idempotent = false, ...rest } = spec;
  const inputSchema = jsonSchemaOf(input, `Tool '${name}': \`input\``);
  if (typeof inputSchema["type"] === "string" && inputSchema["type"] !== "object")
    throw configError(
      `Tool '${name}': \`input\` must be the schema of an object, not of ${inputSchema["type"]}: arguments have names.`,
    );
  checkPreset(name, inputSchema, preset);
  if (rest.writes && !execute)
    throw configError(`Tool '${name}' has no \`execute\`, so nothing in \`writes\` is ever written.`);
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
    ...(rest.writes && rest.writes.length > 0 && { writes: rest.writes }),
    ...(rest.deferred !== undefined && { deferred: rest.deferred }),
    ...(rest.permission && { permission: rest.permission as NonNullable<Tool<Ctx>["permission"]> }),
  };
}

/** Throws `config/invalid` for presets that are not an object, and for one of a parameter that the schema does not have. */
export function checkPreset(name: string, schema: JsonObject, preset: JsonObject): void {
  if (!isObject(preset)) throw configError(`Tool '${name}': \`preset\` must be an object.`);
  const problem = presetProblem(schema, preset);
  if (problem !== undefined) throw configError(`Tool '${name}' ${problem}`);
}
