import { z } from "@hono/zod-openapi";
import type { JsonObject } from "../base/json.ts";

/** An optional key. JSON has no undefined, so that the key is absent or has a value, as the type says. */
export function optional<S extends z.ZodType>(
  schema: S,
  about: { readonly description?: string; readonly example?: unknown } = {},
): z.ZodExactOptional<S> {
  return schema.optional().openapi(about) as unknown as z.ZodExactOptional<S>;
}

/** Databases and JSON.stringify refuse values that are nested some thousand levels deep. */
const MAX_DEPTH = 100;

function isShallow(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

export const jsonObject = z
  .record(z.string(), z.unknown())
  .refine((value) => isShallow(value), `at most ${MAX_DEPTH} levels deep`)
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

/** Text blocks and media blocks. */
export const blocks = z.array(content).min(1).readonly();

/** A decision about an open call. */
export const decision = z
  .union([
    z.enum(["approve", "deny", "retry"]),
    z.strictObject({ approve: z.literal(true), remember: optional(z.enum(["tool", "input"])) }),
    z.strictObject({ deny: z.string() }),
    z.strictObject({ edit: jsonObject }),
    z.strictObject({ answer: z.union([z.string(), blocks]) }),
  ])
  .openapi("Decision");
