import { messageOf } from "../base/error.ts";
import { perObject, type Json, type JsonObject } from "../base/json.ts";
import { boundedSchema } from "./bounded-schema.ts";
import { CheckThread, threadFile, type Checked } from "./check-thread.ts";
import { FOREIGN } from "./schema.ts";
import { validateInput } from "./validate-input.ts";
import type { StandardSchema } from "./types.ts";

/** A schema of arguments that takes out nulls itself. */
type ForeignSchema = StandardSchema & {
  readonly "~standard": { readonly types?: { readonly input: JsonObject; readonly output: JsonObject } };
};

/** The maximum time of one check, ms. */
const LIMIT_MS = 1_000;
/** The maximum size of a value, in characters of its JSON. */
const MAX_CHARACTERS = 10_000_000;

/** The maximum cost of a check without a thread, as the product of the characters of the schema and of the value. */
const MAX_PRODUCT = 1_000_000;

let thread: CheckThread | null | undefined;
const textOf = perObject((schema: JsonObject): string => JSON.stringify(schema));

/** The thread; null where a bundler has left out its file. */
function threadOf(): CheckThread | null {
  if (thread !== undefined) return thread;
  const file = threadFile();
  return (thread = file ? new CheckThread(file) : null);
}

/** Checks what can be checked in bounded time, without a thread. */
function checkedHere(schema: JsonObject, value: Json, size: number): Checked {
  if (size > MAX_PRODUCT) return {};
  const problems = validateInput(boundedSchema(schema) as JsonObject, value);
  return problems === null ? {} : { problems };
}

/**
 * Checks a value against a JSON Schema that somebody else has written, in a thread of its own and within a second. A small schema can cost
 * any time. Resolves with the value, without the nulls that the schema refuses for optional fields, or with the problems. A check that
 * takes too long is a problem. In a bundle without the file of the thread, only what takes bounded time is checked.
 */
export async function checkForeign(
  schema: JsonObject,
  value: Json,
  limitMs = LIMIT_MS,
): Promise<{ readonly value: Json } | { readonly problems: string }> {
  let checked: Checked;
  try {
    const text = JSON.stringify(value);
    if (text.length > MAX_CHARACTERS)
      return { problems: `it has ${text.length} characters; at most ${MAX_CHARACTERS} are checked` };
    const job = { schema: textOf(schema), value: text };
    checked =
      (await threadOf()?.check(job, limitMs)) ??
      checkedHere(schema, value, job.schema.length * job.value.length);
  } catch (error) {
    return { problems: messageOf(error) };
  }
  if (checked.problems !== undefined) return { problems: checked.problems };
  return { value: checked.changed === undefined ? value : (JSON.parse(checked.changed) as Json) };
}

/** Returns a JSON Schema that somebody else has written as a schema of a tool: its check never runs on the main thread. */
export function foreignSchema(schema: JsonObject): ForeignSchema {
  return {
    "~standard": {
      version: 1,
      vendor: FOREIGN,
      jsonSchema: { input: () => schema },
      validate: async (value: unknown) => {
        const checked = await checkForeign(schema, value as Json);
        return "value" in checked ? checked : { issues: [{ message: checked.problems }] };
      },
    } as ForeignSchema["~standard"],
  };
}
