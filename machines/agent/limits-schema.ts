import * as s from "../../src/base/option-schema.ts";
import type { Limits } from "./settings.ts";

/** The schemas of {@link Limits}: whole numbers of calls and tokens, and numbers above 0; `Infinity` is no limit. */
export const limitShape = s.lazily(() => ({
  modelCalls: s.optional(s.count()),
  toolCalls: s.optional(s.count()),
  inputTokens: s.optional(s.count()),
  outputTokens: s.optional(s.count()),
  totalTokens: s.optional(s.count()),
  cost: s.optional(s.positive()),
  wallMs: s.optional(s.positive()),
}));

/** The schema of {@link Limits}. */
export const limitsSchema = s.lazily(() => s.options<Limits>(limitShape(), { of: "limits" }));
