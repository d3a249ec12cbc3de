import { z } from "@hono/zod-openapi";
import type { JsonObject } from "../base/json.ts";

/** A key that may be left out. JSON has no undefined, so it is never there without a value, as the type says. */
export function maybe<S extends z.ZodType>(
  schema: S,
  about: { readonly description?: string; readonly example?: unknown } = {},
): z.ZodExactOptional<S> {
  return schema.optional().openapi(about) as unknown as z.ZodExactOptional<S>;
}

/** Databases, and whoever writes JSON, refuse what is deeper than some thousand levels. */
const DEEPEST = 100;

function isFlat(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isFlat(each, levels - 1));
}

export const jsonObject = z
  .record(z.string(), z.unknown())
  .refine((value) => isFlat(value), `at most ${DEEPEST} levels deep`)
  .transform((value) => value as JsonObject)
  .openapi({ type: "object", additionalProperties: true });

const source = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("url"), url: z.url({ protocol: /^https?$/ }) }),
  z.strictObject({ type: z.literal("base64"), mediaType: z.string(), data: z.base64() }),
]);

const content = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().min(1) }),
  z.strictObject({ type: z.enum(["image", "audio", "video"]), source }),
]);

/** Blocks of text and media. */
export const blocks = z.array(content).min(1).readonly();

/** What is decided about an open call. */
export const decision = z
  .union([
    z.enum(["approve", "deny", "retry"]),
    z.strictObject({ approve: z.literal(true), remember: maybe(z.enum(["tool", "input"])) }),
    z.strictObject({ deny: z.string() }),
    z.strictObject({ edit: jsonObject }),
    z.strictObject({ answer: z.union([z.string(), blocks]) }),
  ])
  .openapi("Decision");
