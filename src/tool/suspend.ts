import { jsonSchemaOf } from "./schema.ts";
import type { Schema, Suspension, ToolOutcome } from "./types.ts";

/** Returned by a tool whose answer comes from outside: the turn rests in `suspended` until a result, a decision or
 *  another `call()` arrives. Never throw it. `answerSchema` describes the answer for whoever gives it. */
export function suspend(reason?: string, options: { readonly answerSchema?: Schema } = {}): Suspension {
  return {
    suspended: true,
    ...(reason !== undefined && { reason }),
    ...(options.answerSchema && { answerSchema: jsonSchemaOf(options.answerSchema) }),
  };
}

/** A result that tells the model of an error; stored as `Error: <text>` with the state `error`. */
export function toolError(text: string): ToolOutcome {
  return { output: [{ type: "text", text: `Error: ${text}` }], state: "error" };
}
