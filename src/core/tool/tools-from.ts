import { type AgentError, configError } from "../base/error.ts";
import { isObject } from "../base/json.ts";
import { defineTool, type ToolDefinition } from "./define.ts";
import type { OutputOf, Schema, Tool, ToolContext, ToolReturn } from "./types.ts";

/** One row of the table of {@link toolsFrom}: what {@link defineTool} takes, without the function. */
export type ToolRow<S extends Schema, Ctx = unknown> = Omit<ToolDefinition<S, Ctx>, "name" | "execute"> & {
  /** The name of the tool; default: that of the method. */
  readonly name?: string | undefined;
};

/** An object with a method for each row: it gets the parsed arguments as one object, and the context of the call. */
export type ToolMethods<S extends { readonly [method: string]: Schema }, Ctx = unknown> = {
  readonly [M in keyof S]: (
    input: OutputOf<S[M]>,
    ctx: ToolContext<Ctx>,
  ) => ToolReturn | Promise<ToolReturn> | AsyncGenerator<string, ToolReturn>;
};

type Method = (this: object, input: unknown, ctx: unknown) => never;

function invalid(problem: string): AgentError {
  return configError(`toolsFrom: ${problem}`);
}

/** The methods of an object and of its classes, or the static ones of a class; without those that every object and every function has. */
function methodsOf(object: object): readonly string[] {
  const names = new Set<string>();
  for (
    let at: object | null = object;
    at && at !== Object.prototype && at !== Function.prototype;
    at = Object.getPrototypeOf(at) as object | null
  )
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === "function" && name !== "constructor") names.add(name);
  return [...names];
}

/**
 * Makes tools of the methods of an object, of an instance of a class, or of a class itself, whose static methods are then meant. It makes
 * one for each row of the table, in its order. A method runs with that object or class as `this`; methods without a row are not tools.
 * Throws `config/invalid` for a row without a method, for a name that two rows have, and as {@link defineTool} for a wrong row.
 *
 * @example
 * ```ts
 * import { createAgent, toolsFrom, type ChatModel } from "agentchart";
 * import { z } from "zod";
 *
 * class Stock {
 *   #items = new Map([["apple", 3]]);
 *
 *   count({ item }: { item: string }) {
 *     return this.#items.get(item) ?? 0;
 *   }
 *
 *   add({ item, pieces }: { item: string; pieces: number }) {
 *     this.#items.set(item, this.count({ item }) + pieces);
 *     return "ok";
 *   }
 * }
 *
 * export const clerkOf = (model: ChatModel) =>
 *   createAgent({
 *     name: "clerk",
 *     model,
 *     tools: toolsFrom(new Stock(), {
 *       count: { description: "Counts the pieces of an item.", input: z.object({ item: z.string() }), idempotent: true },
 *       add: {
 *         name: "add_to_stock",
 *         description: "Adds pieces of an item.",
 *         input: z.object({ item: z.string(), pieces: z.int().positive() }),
 *         permission: "ask",
 *       },
 *     }),
 *   });
 * ```
 */
export function toolsFrom<const S extends { readonly [method: string]: Schema }, Ctx = unknown>(
  object: ToolMethods<NoInfer<S>, Ctx>,
  table: { readonly [M in keyof S]: ToolRow<S[M], Ctx> },
): readonly Tool<Ctx>[] {
  if (!isObject(object) && typeof object !== "function")
    throw invalid("expected an object or an instance of a class, or a class, whose methods become tools.");
  if (!isObject(table))
    throw invalid("expected a table of methods, such as { count: { description, input } }.");
  const methods = methodsOf(object);
  const tools = Object.entries(table as { readonly [method: string]: ToolRow<Schema, Ctx> }).map(
    ([name, row]) => {
      const method = methods.includes(name) && (object as { readonly [name: string]: unknown })[name];
      if (typeof method !== "function")
        throw invalid(
          `'${name}' is not a method of the object; expected one of ${methods.join(", ") || "its methods, but it has none"}.`,
        );
      if (!isObject(row))
        throw invalid(`the row '${name}' is not an object; expected { description, input }.`);
      if ("execute" in row)
        throw invalid(`the row '${name}' has an \`execute\`; expected none, because the method runs.`);
      const execute = (input: unknown, ctx: unknown): never => (method as Method).call(object, input, ctx);
      return defineTool({ ...row, name: row.name ?? name, execute }) as Tool<Ctx>;
    },
  );
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`two rows are named '${twice}'; expected different names.`);
  return tools;
}
