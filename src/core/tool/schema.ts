import { type AgentError, configError, messageOf } from "../base/error.ts";
import { type Json, type JsonObject, isObject } from "../base/json.ts";
import { loadZod } from "./load-zod.cjs";
import type { Schema, StandardSchema } from "./types.ts";

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
    throw configError(`${what}: a schema is expected, not ${JSON.stringify(schema)}.`);
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
  throw configError(
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
  return configError(`${what} has no JSON Schema form${where}: ${reason}.${advice}`, {
    ...(cause !== undefined && { cause }),
  });
}

/** The reason for which a schema of zod has no JSON Schema, and the field that is the reason, such as "stay/nights"; "" is the schema
 *  itself. */
type ZodProblem = { readonly path: string; readonly message: string };

type Child = readonly [step: string | undefined, schema: unknown];
type Def = { readonly [part: string]: unknown };

const ZOD_3 = "it is a schema of zod 3; expected zod 4 (npm install zod@4)";
const MAX_DEPTH = 100;

const defOf = (schema: unknown): Def | undefined =>
  (schema as { readonly _zod?: { readonly def?: Def } } | undefined)?._zod?.def;

/** True for a schema that zod 3 made: it has no `_zod`. */
const isZod3 = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && "_def" in schema && !("_zod" in schema);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The schemas inside of one, with the step of the path that leads to each. */
function childrenOf({ shape, items, options, element, rest, valueType, ...def }: Def): readonly Child[] {
  const same = [...listOf(options), def["left"], def["right"], def["innerType"], def["in"]];
  return [
    ...(isObject(shape) ? Object.entries(shape) : []),
    ...listOf(items).map((item, index): Child => [String(index), item]),
    ...[element, rest, valueType].map((each): Child => ["*", each]),
    ...same.map((each): Child => [undefined, each]),
    ...(typeof def["getter"] === "function" ? [[undefined, def["getter"]() as unknown] as const] : []),
  ].filter(([, schema]) => schema !== undefined && schema !== null);
}

function ownProblem(schema: unknown): string | undefined {
  if (isZod3(schema)) return ZOD_3;
  try {
    loadZod().toJSONSchema(schema as never, { io: "input", target: "draft-2020-12" });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function problemAt(schema: unknown, path: readonly string[], seen: Set<unknown>): ZodProblem | undefined {
  if (seen.has(schema) || path.length > MAX_DEPTH) return undefined;
  seen.add(schema);
  const message = ownProblem(schema);
  if (message === undefined) return undefined;
  for (const [step, child] of childrenOf(defOf(schema) ?? {})) {
    const problem = problemAt(child, step === undefined ? path : [...path, step], seen);
    if (problem) return problem;
  }
  return { path: path.join("/"), message };
}

/** Returns the innermost part of a zod schema that has no JSON Schema; undefined if each has one. */
function zodProblem(schema: unknown): ZodProblem | undefined {
  return problemAt(schema, [], new Set());
}
