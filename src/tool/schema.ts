import { AgentError, messageOf } from "../base/error.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { loadZod } from "./load-zod.cjs";
import type { Schema, StandardSchema } from "./types.ts";

const TARGET = "draft-2020-12";

type JsonSchemaGiver = {
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown };
};

/** True for zod and every other Standard Schema, false for plain JSON Schema. */
export function isStandardSchema(schema: Schema): schema is StandardSchema {
  return "~standard" in schema;
}

/** The JSON Schema 2020-12 of what a schema accepts. Throws `config/invalid` if the schema cannot give one. */
export function jsonSchemaOf(schema: Schema): JsonObject {
  const isSchema = typeof schema === "function" || (typeof schema === "object" && schema !== null);
  if (!isSchema || Array.isArray(schema))
    throw new AgentError("config/invalid", `A schema is expected, not ${JSON.stringify(schema)}.`);
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
    throw new AgentError("config/invalid", `This schema has no JSON Schema form: ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new AgentError(
    "config/invalid",
    `A ${standard.vendor} schema gives no JSON Schema; pass zod, a Standard Schema with JSON Schema, or JSON Schema itself.`,
  );
}

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
};

type ZodOutcome =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

type ZodSchema = StandardSchema & { safeParseAsync(value: unknown): Promise<ZodOutcome> };

type Outcome = { readonly value?: unknown; readonly issues?: readonly Issue[] };

/** Validates a value. A zod schema is parsed asynchronously at once: its `~standard.validate` tries to parse synchronously
 *  first, so that an asynchronous transform or refinement would run twice. */
async function validated(schema: StandardSchema, value: unknown): Promise<Outcome> {
  if (schema["~standard"].vendor !== "zod" || !("safeParseAsync" in schema))
    return (await schema["~standard"].validate(value)) as Outcome;
  const outcome = await (schema as ZodSchema).safeParseAsync(value);
  return outcome.success ? { value: outcome.data } : { issues: outcome.error.issues };
}

/** Runs a Standard Schema: the parsed value, or the problems in one line. */
export async function parseStandard(
  schema: StandardSchema,
  value: unknown,
): Promise<{ readonly value: unknown } | { readonly problems: string }> {
  const outcome = await validated(schema, value);
  if (!outcome.issues) return { value: outcome.value };
  const problems = outcome.issues.map(({ message, path }) => {
    const where = (path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join("/");
    return where === "" ? message : `${where}: ${message}`;
  });
  return { problems: problems.join("; ") };
}
