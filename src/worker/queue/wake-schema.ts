import * as s from "../../core/base/option-schema.ts";
import type { WakeOptions } from "./port.ts";

/** The priority that is last. */
export const MAX_PRIORITY = 2_097_152;

/** The schemas of {@link WakeOptions}. */
export const wakeShape = s.lazily((): s.ShapeOf<WakeOptions> => ({
  priority: s.optional(s.integer(0, MAX_PRIORITY)),
  delayMs: s.optional(s.integer(0)),
}));

/** The schema of {@link WakeOptions}. */
export const wakeSchema = s.lazily(() => s.options<WakeOptions>(wakeShape()));
