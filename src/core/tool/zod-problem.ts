import { messageOf } from "../base/error.ts";
import { isObject } from "../base/json.ts";
import { loadZod } from "./load-zod.cjs";

/** The reason for which a schema of zod has no JSON Schema, and the field that is the reason, such as "stay/nights"; "" is the schema
 *  itself. */
export type ZodProblem = { readonly path: string; readonly message: string };

type Child = readonly [step: string | undefined, schema: unknown];
type Def = { readonly [part: string]: unknown };

const ZOD_3 = "it is a schema of zod 3; expected zod 4 (npm install zod@4)";
const MAX_DEPTH = 100;

const defOf = (schema: unknown): Def | undefined =>
  (schema as { readonly _zod?: { readonly def?: Def } } | undefined)?._zod?.def;

/** True for a schema that zod 3 made: it has no `_zod`. */
export const isZod3 = (schema: unknown): boolean =>
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
export function zodProblem(schema: unknown): ZodProblem | undefined {
  return problemAt(schema, [], new Set());
}
