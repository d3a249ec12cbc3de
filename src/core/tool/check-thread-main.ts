import { parentPort } from "node:worker_threads";
import { messageOf } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Checked, Job } from "./check-thread.ts";
import { pruneNulls } from "./prune-nulls.ts";
import { validateInput } from "./validate-input.ts";

/** The maximum number of schemas that are cached as they were parsed. */
const MAX_SCHEMAS = 100;
/** The maximum length of the problems that are said, in characters. */
const MAX_PROBLEMS = 2_000;

const schemas = new Map<string, JsonObject>();

function schemaOf(text: string): JsonObject {
  let schema = schemas.get(text);
  if (!schema) {
    if (schemas.size >= MAX_SCHEMAS) schemas.clear();
    schema = JSON.parse(text) as JsonObject;
    schemas.set(text, schema);
  }
  return schema;
}

function checked({ schema: text, value: given }: Job): Checked {
  try {
    const schema = schemaOf(text);
    const value = JSON.parse(given) as Json;
    const pruned = pruneNulls(schema, value);
    const problems = validateInput(schema, pruned);
    if (problems === null) return pruned === value ? {} : { changed: JSON.stringify(pruned) };
    return { problems: problems.length > MAX_PROBLEMS ? `${problems.slice(0, MAX_PROBLEMS)} …` : problems };
  } catch (error) {
    return { problems: `Schema validation error: ${messageOf(error)}` };
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
const say = (message: Checked | "ready"): void => parentPort?.postMessage(message);

parentPort?.on("message", (job: Job) => say(checked(job)));
say("ready");
