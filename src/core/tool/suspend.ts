import { configError } from "../base/error.ts";
import type { Json } from "../base/json.ts";
import type { Ask } from "./pending.ts";
import { jsonSchemaOf } from "./schema.ts";
import type { Schema, Suspension, ToolOutcome } from "./types.ts";

/** A question as a tool asks it: an {@link Ask} whose schema may be zod. */
export type AskOptions = Omit<Ask, "schema"> & { readonly schema?: Schema | undefined };

/** Options of {@link suspend}. */
export type SuspendOptions = {
  /** Describes the answer for the caller that gives it. */
  readonly answerSchema?: Schema | undefined;
  /** `result` (default): the answer is the result of the call. `resume`: the tool runs again, in any process, once every one of
   *  its `asks` is answered, or with the next `call()` if it has none; at most 10 times. It finds the answers and `state` in
   *  `ctx.resumed`. That run is not a retry, and needs no permission. */
  readonly then?: "result" | "resume" | undefined;
  /** With `resume`: what the tool remembers, at most 64 KB of JSON; default null. */
  readonly state?: Json | undefined;
  /** With `resume`: what must be answered first. `decide` takes the answers, and refuses one that its schema does not accept. */
  readonly asks?: readonly AskOptions[] | undefined;
};

/**
 * Returned by a tool whose answer comes from outside: the turn rests in `suspended` until a result, a decision or
 * another `call()` arrives. Never throw it. Throws `config/invalid` for a schema that has no JSON Schema form, and for
 * \`state\` or \`asks\` without \`then: "resume"\`. A suspension that cannot be stored makes the result of the call an error.
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
 *
 * export const bookRoom = defineTool({
 *   name: "book_room",
 *   description: "Books a room.",
 *   input: z.object({ city: z.string() }),
 *   execute: ({ city }, { resumed }) => {
 *     const answer = resumed?.answers["nights"];
 *     if (typeof answer === "object" && "respond" in answer) return `Booked ${String(answer.respond)} nights in ${city}.`;
 *     if (resumed) return "Nobody said for how long, so nothing is booked.";
 *     const nights = { id: "nights", kind: "question", message: "How many nights?", schema: z.int().min(1) } as const;
 *     return suspend("The length of the stay is missing.", { then: "resume", asks: [nights] });
 *   },
 * });
 * ```
 */
export function suspend(reason?: string, options: SuspendOptions = {}): Suspension {
  const { answerSchema, then, state, asks } = options;
  if (then !== "resume" && (state !== undefined || asks !== undefined))
    throw configError('suspend: `state` and `asks` expect `then: "resume"`.');
  return {
    suspended: true,
    ...(reason !== undefined && { reason }),
    ...(answerSchema && { answerSchema: jsonSchemaOf(answerSchema, "suspend: `answerSchema`") }),
    ...(then && { then }),
    ...(state !== undefined && { state }),
    ...(asks && { asks: asks.map(plainAsk) }),
  };
}

function plainAsk({ schema, ...ask }: AskOptions): Ask {
  const what = `suspend: the \`schema\` of the question '${ask.id}'`;
  return { ...ask, ...(schema !== undefined && { schema: jsonSchemaOf(schema, what) }) };
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
