// Checked by `npm run typecheck`, never run: the schema of options fits their type, and the other way round.
import * as s from "../../src/core/base/option-schema.ts";

type Options = { readonly mode?: "fast" | "safe"; readonly count: number };
const count = s.integer(1);

s.options<Options>({ mode: s.optional(s.oneOf("fast", "safe")), count });
// @ts-expect-error: a value is missing
s.options<Options>({ mode: s.optional(s.oneOf("fast")), count });
// @ts-expect-error: a value is too many
s.options<Options>({ mode: s.optional(s.oneOf("fast", "safe", "slow")), count });
// @ts-expect-error: an option is missing
s.options<Options>({ count });
// @ts-expect-error: an option is too many
s.options<Options>({ mode: s.optional(s.oneOf("fast", "safe")), count, more: s.optional(s.string()) });
// @ts-expect-error: `count` is not optional
s.options<Options>({ mode: s.optional(s.oneOf("fast", "safe")), count: s.optional(count) });
// @ts-expect-error: `mode` is optional
s.options<Options>({ mode: s.oneOf("fast", "safe"), count });
// @ts-expect-error: `count` is a number
s.options<Options>({ mode: s.optional(s.oneOf("fast", "safe")), count: s.string() });
