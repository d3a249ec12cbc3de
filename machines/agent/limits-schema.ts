import * as s from "../../src/core/base/option-schema.ts";
import { LIMIT_TABLE, LIMITS, type Limits } from "./limits.ts";

const amount = (name: keyof Limits): s.OptionSchema<number> => {
  const { unit } = LIMIT_TABLE[name];
  return unit === "calls" || unit === "tokens" ? s.count() : s.positive();
};

type LimitShape = { readonly [K in keyof Limits]-?: ReturnType<typeof s.optional<number>> };

/** The schemas of {@link Limits}: whole numbers of calls and tokens, and numbers above 0; `Infinity` is not a limit. */
export const limitShape = s.lazily(
  () => Object.fromEntries(LIMITS.map((name) => [name, s.optional(amount(name))])) as LimitShape,
);

/** The schema of {@link Limits}. */
export const limitsSchema = s.lazily(() => s.options<Limits>(limitShape(), { of: "limits" }));
