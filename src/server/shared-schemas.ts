import { z } from "@hono/zod-openapi";
import type { Json, JsonObject } from "../core/base/json.ts";
import type { OptionSchema } from "../core/base/option-schema.ts";
import type { MediaBlock, TextBlock } from "../core/message/types.ts";
import { decisionSchema } from "../core/tool/decision-schema.ts";
import type { Decision } from "../core/tool/pending.ts";

/** An optional key. JSON has no undefined, so that the key is absent or has a value, as the type says. */
export function optional<S extends z.ZodType>(
  schema: S,
  about: { readonly description?: string; readonly example?: unknown } = {},
): z.ZodExactOptional<S> {
  return schema.optional().openapi(about) as unknown as z.ZodExactOptional<S>;
}

/** A text of 1 to `max` characters. */
export const shortText = (max: number) => z.string().min(1).max(max);

/** An id that may stand in a path and in a store. */
export const idText = shortText(200).refine(
  (id) => id.isWellFormed() && !/\p{Cc}/u.test(id),
  "no control characters",
);

/** The part `name` of a path. */
export const inPath = <S extends z.ZodType>(
  schema: S,
  name: string,
  about: { readonly description?: string; readonly example?: string } = {},
): S => schema.openapi({ param: { name, in: "path" }, ...about });

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

/** Any JSON. */
export const json = z
  .unknown()
  .refine((value) => value !== undefined && isShallow(value), `JSON of at most ${MAX_DEPTH} levels`)
  .openapi({ description: "Any JSON" }) as unknown as z.ZodType<Json, Json>;

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

/** A decision about an open call. The media of an answer have the forms of an input. */
export const decision = schemaOf(decisionSchema())
  .refine((value) => isShallow(value, MAX_DEPTH + 1), `at most ${MAX_DEPTH} levels deep`)
  .refine(
    (value) => !isAnswer(value) || blocks.safeParse(value.answer).success,
    "`answer` needs text or media blocks",
  )
  .openapi("Decision");

function isAnswer(value: Decision): value is { readonly answer: readonly (TextBlock | MediaBlock)[] } {
  return typeof value === "object" && "answer" in value && typeof value.answer !== "string";
}

/** The schema of an option as one of a route, which describes it as its JSON Schema. */
export function schemaOf<T>(option: OptionSchema<T>): z.ZodType<T, T> {
  return z
    .unknown()
    .check(({ value, issues }) => {
      const issue = option.issueOf(value);
      if (issue)
        issues.push({ code: "custom", path: [...issue.path], message: issue.message(), input: value });
    })
    .openapi(option.json()) as unknown as z.ZodType<T, T>;
}
