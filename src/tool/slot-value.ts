import { messageOf } from "../base/error.ts";
import { frozenCopy } from "../base/freeze.ts";
import type { Json } from "../base/json.ts";
import { isStandardSchema } from "./schema.ts";
import type { Slot, StandardSchema } from "./types.ts";
import { validateInput } from "./validate-input.ts";

/** How long the JSON of a slot's value may be, in bytes of UTF-8. */
export const MAX_SLOT_BYTES = 64 * 1024;

type Outcome = { readonly value?: unknown; readonly issues?: readonly { readonly message: string }[] };

function parsed(schema: StandardSchema, value: Json): Outcome {
  const outcome = schema["~standard"].validate(value);
  if (outcome instanceof Promise) {
    outcome.catch(() => {}); // nobody waits for it
    return { issues: [{ message: "its schema is asynchronous" }] };
  }
  return outcome as Outcome;
}

/** The JSON of a value, as it will be read again; undefined for what is none. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // holds itself, or a bigint
  }
}

/** Returns a value as the slot stores it, deeply frozen, or why it does not take it, as a predicate that follows the value's name. */
export function slotValue(
  { schema }: Slot,
  value: unknown,
): { readonly value: Json } | { readonly problem: string } {
  let given = value;
  if (schema && isStandardSchema(schema)) {
    try {
      const { issues, value: output } = parsed(schema, value as Json);
      if (issues)
        return { problem: `is refused by its schema: ${issues.map(({ message }) => message).join("; ")}` };
      given = output;
    } catch (error) {
      return { problem: `is refused by its schema: ${messageOf(error)}` };
    }
  }
  const text = jsonOf(given);
  if (text === undefined) return { problem: "is no JSON" };
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_SLOT_BYTES)
    return { problem: `has ${bytes} bytes of JSON; a slot takes ${MAX_SLOT_BYTES}` };
  const json = frozenCopy(JSON.parse(text) as Json);
  const problems = schema && !isStandardSchema(schema) ? validateInput(schema, json) : null;
  return problems === null ? { value: json } : { problem: `is refused by its schema: ${problems}` };
}
