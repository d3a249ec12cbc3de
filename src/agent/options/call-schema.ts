import { positionSchema } from "../../core/event/position.ts";
import * as s from "../../core/base/option-schema.ts";
import { frozenCopy, isObject } from "../../core/base/json.ts";
import { EVENT_TYPES } from "../../core/event/emitter.ts";
import type {
  Agent,
  CallOptions,
  AnyCallOptions,
  DecideOptions,
  RetryOptions,
  StreamOptions,
} from "../types.ts";
import { configError } from "../../core/base/error.ts";
import { check, isRight } from "../../core/base/options.ts";
import { jsonSchemaOf } from "../../core/tool/schema.ts";
import { schemaProblem } from "../../core/tool/schema-problem.ts";
import { decisionSchema } from "../../core/tool/decision-schema.ts";
import type { Schema } from "../../core/tool/types.ts";
import { limitsSchema } from "../../../machines/agent/limits-schema.ts";
import type { Decision } from "../../core/tool/pending.ts";

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === "function";

/** The schema of {@link CallOptions}, and of the options that only `call` or only `stream` has. */
export const callSchema = s.lazily(() =>
  s.options<CallOptions<unknown> & StreamOptions & RetryOptions>({
    output: s.optional(s.value(isSchema, "a schema")),
    clientTools: s.optional(s.list()),
    context: s.anything(),
    timeoutMs: s.optional(s.number()),
    fallbackReply: s.optional(s.string()),
    whenBusy: s.optional(s.oneOf("refuse", "queue")),
    idempotencyKey: s.optional(s.nonEmpty()),
    signal: s.optional(s.having("addEventListener", "an AbortSignal")),
    retries: s.optional(s.integer(0)),
    cumulative: s.optional(s.boolean()),
    onLeave: s.optional(s.oneOf("interrupt", "continue")),
  }),
);

/** The schema of the options of `subscribe`. */
export const subscribeSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Agent["subscribe"]>[1]>>({
    after: s.optional(positionSchema()),
    types: s.optional(s.listOf(s.oneOf(...EVENT_TYPES), `an array of ${EVENT_TYPES.join(", ")}`)),
  }),
);

/** The schema of the options of `open`. */
export const openSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Agent["open"]>[0]>>({ waitMs: s.optional(s.atLeast(0)) }),
);

/** The schemas of {@link DecideOptions}. */
export const decideShape = s.lazily((): s.ShapeOf<DecideOptions> => ({
  argsHash: s.optional(s.string()),
  by: s.optional(s.matching(/^.{1,200}$/su, "a name of 1 to 200 characters")),
}));

/** The schema of {@link DecideOptions}. */
export const decideSchema = s.lazily(() => s.options<DecideOptions>(decideShape()));

/** The schema of the options of `compact`. */
export const compactSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Agent["compact"]>[0]>>({ instructions: s.optional(s.string()) }),
);

/** The schema of the options of `shutdown`. */
export const shutdownSchema = s.lazily(() =>
  s.options<NonNullable<Parameters<Agent["shutdown"]>[0]>>({ deadlineMs: s.optional(s.atLeast(0)) }),
);

/** Returns a frozen copy of a decision. Throws `config/invalid` for any other value. */
export function checkDecision(decision: unknown): Decision {
  check(decisionSchema(), decision, "decide", "The decision");
  return frozenCopy(decision) as Decision;
}

/** Throws `config/invalid` unless these are limits, each a number above 0; `from` is what the message begins with. */
export function checkLimits(limits: unknown, from: string): void {
  check(limitsSchema(), limits, from);
}

/** Throws `config/invalid` that names the first option of a call that makes no sense. */
export function checkCallOptions(options: AnyCallOptions<unknown>): void {
  if (!isRight(callSchema(), options as CallOptions<unknown>))
    check(callSchema(), options, "call", "The argument `options`");
  const { output } = options;
  const problem = output === undefined ? undefined : schemaProblem(jsonSchemaOf(output as Schema));
  if (problem !== undefined) throw configError(`call: the schema \`output\` cannot be used: ${problem}.`);
}
