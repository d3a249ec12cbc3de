import { AgentError, messageOf } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { loadZod } from "./load-zod.cjs";
import type { Schema, StandardSchema } from "./types.ts";
import { isZod3, zodProblem } from "./zod-problem.ts";

const TARGET = "draft-2020-12";

type JsonSchemaGiver = {
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown };
};

/** The vendor of schemas that somebody else has written, which are checked in a thread of their own. */
export const FOREIGN = "agentchart-foreign";

/** True for zod and every other Standard Schema, false for plain JSON Schema. */
export function isStandardSchema(schema: Schema): schema is StandardSchema {
  return "~standard" in schema;
}

/** Instead of the types of zod that JSON does not have. */
const INSTEAD = "Use a type that JSON has, such as z.iso.datetime() for a date and z.string() for a bigint.";

/** The JSON Schema 2020-12 of what a schema accepts. Throws `config/invalid` if the schema cannot give one; `what` is what the error
 *  calls it, such as "Tool 'pay': `input`". */
export function jsonSchemaOf(schema: Schema, what = "The schema"): JsonObject {
  const isSchema = typeof schema === "function" || (typeof schema === "object" && schema !== null);
  if (!isSchema || Array.isArray(schema))
    throw new AgentError("config/invalid", `${what}: a schema is expected, not ${JSON.stringify(schema)}.`);
  if (isZod3(schema)) throw withoutForm(what, schema);
  if (!isStandardSchema(schema)) return schema;
  const standard = schema["~standard"];
  try {
    const found =
      (standard as JsonSchemaGiver).jsonSchema?.input?.({ target: TARGET }) ??
      // schemas of zod before 4.2 and of zod/mini do not convert themselves
      (standard.vendor === "zod"
        ? loadZod().toJSONSchema(schema, { io: "input", target: TARGET })
        : undefined);
    if (found) {
      const { $schema: _, ...rest } = found as { $schema?: Json };
      return rest as JsonObject;
    }
  } catch (error) {
    throw withoutForm(what, schema, error);
  }
  throw new AgentError(
    "config/invalid",
    `${what}: a ${standard.vendor} schema gives no JSON Schema; pass zod, a Standard Schema with JSON Schema, or JSON Schema itself.`,
  );
}

/** The error of a schema without a JSON Schema, which names the part that is the reason. */
function withoutForm(what: string, schema: Schema, cause?: unknown): AgentError {
  const isZod = isZod3(schema) || (schema as Partial<StandardSchema>)["~standard"]?.vendor === "zod";
  const found = isZod ? zodProblem(schema) : undefined;
  const where = found && found.path !== "" ? ` at '${found.path}'` : "";
  const reason = found?.message ?? messageOf(cause);
  const advice = isZod && !reason.includes("zod 3") ? ` ${INSTEAD}` : "";
  return new AgentError("config/invalid", `${what} has no JSON Schema form${where}: ${reason}.${advice}`, {
    ...(cause !== undefined && { cause }),
  });
}
