import * as s from "../../src/base/option-schema.ts";
import type { Limits } from "./settings.ts";

/** The schemas of {@link Limits}, each a number above 0; `Infinity` is no limit. */
export const limitShape = s.lazily(() => ({
  modelCalls: s.optional(s.positive()),
  toolCalls: s.optional(s.positive()),
  inputTokens: s.optional(s.positive()),
  outputTokens: s.optional(s.positive()),
  totalTokens: s.optional(s.positive()),
  cost: s.optional(s.positive()),
  wallMs: s.optional(s.positive()),
}));

/** The schema of {@link Limits}. */
export const limitsSchema = s.lazily(() => s.options<Limits>(limitShape(), { of: "limits" }));
