import { jsonSchemaOf } from "./schema.ts";
import type { Schema, Suspension, ToolOutcome } from "./types.ts";

/**
 * Returned by a tool whose answer comes from outside: the turn rests in `suspended` until a result, a decision or
 * another `call()` arrives. Never throw it. `answerSchema` describes the answer for the caller that gives it.
 *
 * @example
 * ```ts
 * import { defineTool, suspend } from "agentchart";
 * import { z } from "zod";
 *
 * export const askCustomer = defineTool({
 *   name: "ask_customer",
 *   description: "Asks the customer a question.",
 *   input: z.object({ question: z.string() }),
 *   execute: ({ question }) => suspend(question, { answerSchema: z.object({ answer: z.string() }) }),
 * });
 * ```
 */
export function suspend(reason?: string, options: { readonly answerSchema?: Schema } = {}): Suspension {
  return {
    suspended: true,
    ...(reason !== undefined && { reason }),
    ...(options.answerSchema && { answerSchema: jsonSchemaOf(options.answerSchema) }),
  };
}

/**
 * A result that reports an error to the model; stored as `Error: <text>` with the state `error`.
 *
 * @example
 * ```ts
 * import { defineTool, toolError } from "agentchart";
 * import { z } from "zod";
 *
 * const prices = new Map([["apple", 2]]);
 *
 * export const priceOf = defineTool({
 *   name: "price_of",
 *   description: "Returns the price of a product.",
 *   input: z.object({ product: z.string() }),
 *   execute: ({ product }) => prices.get(product) ?? toolError(`There is no product named ${product}.`),
 * });
 * ```
 */
export function toolError(text: string): ToolOutcome {
  return { output: [{ type: "text", text: `Error: ${text}` }], state: "error" };
}
